#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "../../evaluation.hpp"
#include "connect4.hpp"

namespace joute {

// Discs near the centre belong to more lines: each counts 3 in the middle column, 2 next to it, then 1, then 0; the
// opponent's discs count negatively.
inline double connect4_centre(const Connect4& state, const void*, const void*, Player for_player) {
    // The columns at least this far from the edge: a disc in the middle column is in all three sets.
    constexpr auto columns_from = [](int edge_distance) {
        std::uint64_t cells = 0;
        for (int column = edge_distance; column <= Connect4Rules::mirrored(edge_distance); ++column)
            cells |= std::uint64_t{0x7f} << (column * Connect4::column_bits);
        return cells;
    };
    int value_for_first = 0;
    for (const std::uint64_t cells : {columns_from(1), columns_from(2), columns_from(3)})
        value_for_first += std::popcount(state.discs(0) & cells) - std::popcount(state.discs(1) & cells);
    return for_player == 0 ? value_for_first : -value_for_first;
}

// The features of one player for the threat evaluation below. A line is four cells in a row; it is open while the
// opponent has no disc in it.
struct Connect4Threats {
    int lines_of_one = 0, lines_of_two = 0;  // open lines with one or two discs
    // Empty cells that complete a four: those playable now, and the others by the parity of their row. Odd rows are the
    // first, third and fifth: once the rest of the board is full, the first player gets the odd cells of a column and
    // the second player the even ones (Allis 1988).
    int wins_now = 0, wins_odd = 0, wins_even = 0;

    Connect4Threats(const Connect4& state, Player player) {
        const std::uint64_t own = state.discs(player), other = state.discs(opponent(player));
        for (const int step : {1, Connect4::column_bits - 1, Connect4::column_bits, Connect4::column_bits + 1})
            count_lines(own, Connect4::all_cells & ~other, step);
        constexpr std::uint64_t odd_rows = Connect4::bottom_row * 0b010101;
        const std::uint64_t wins = Connect4::winning_cells(own, own | other), later = wins & ~state.playable();
        wins_now = std::popcount(wins & ~later);
        wins_odd = std::popcount(later & odd_rows);
        wins_even = std::popcount(later & ~odd_rows);
    }

private:
    // Counts the discs in all lines of one direction at once: bit i of `ones` and `twos` is the count of the line that
    // begins at cell i.
    void count_lines(std::uint64_t own, std::uint64_t free, int step) {
        const std::uint64_t open = free & (free >> step) & (free >> (2 * step)) & (free >> (3 * step));
        const std::uint64_t a = own, b = own >> step, c = own >> (2 * step), d = own >> (3 * step);
        const std::uint64_t ones = a ^ b ^ c ^ d;
        const std::uint64_t twos = (a & b) ^ (c & d) ^ ((a ^ b) & (c ^ d));
        lines_of_one += std::popcount(open & ones & ~twos);
        lines_of_two += std::popcount(open & ~ones & twos);
    }
};

// The log-odds that a player wins under perfect play: a weighted sum of both players' features and of the cells of
// their discs. The weights are a logistic regression on the exact results of 100,000 positions of random play, plies 4
// to 35 (core/games/connect4/fit/fit.py); the sign is right in 84.8% of the held-out positions that are not drawn.
struct Connect4ThreatWeights {
    struct OfPlayer {
        double line_of_one, line_of_two, win_odd, win_even, win_now;
    };
    static constexpr OfPlayer first{0.349, 0.727, 2.141, 0.836, 3.085}, second{0.333, 0.633, 1.207, 1.595, 2.600};
    static constexpr double to_move = 2.302, constant = -0.993;
    static constexpr double win_at_once = 8;  // larger than the sum in any position without an immediate win
    // The value of a disc by column and row; columns 5 to 7 mirror 3 to 1.
    static constexpr double of_cell[4][6]{{0.262, 0.055, 0.000, 0.350, 0.318, 0.039},
                                          {0.423, 0.439, -0.015, 0.054, -0.067, -0.168},
                                          {0.317, 0.255, -0.204, -0.656, -0.606, -0.619},
                                          {0.394, 0.144, -0.261, -0.759, -0.638, -0.704}};

    // The same, indexed by bit.
    static constexpr auto of_bit = [] {
        std::array<double, Connect4Rules::columns * Connect4::column_bits> worth{};
        for (int column = 0; column < Connect4Rules::columns; ++column)
            for (int row = 0; row < Connect4Rules::rows; ++row)
                worth[static_cast<std::size_t>(column * Connect4::column_bits + row)] =
                    of_cell[std::min(column, Connect4Rules::mirrored(column))][row];
        return worth;
    }();
};

inline double connect4_threats(const Connect4& state, const void*, const void*, Player for_player) {
    using Weights = Connect4ThreatWeights;
    const auto weigh = [&](Player player, const Connect4Threats& t, const Weights::OfPlayer& w) {
        double sum = w.line_of_one * t.lines_of_one + w.line_of_two * t.lines_of_two + w.win_odd * t.wins_odd +
                     w.win_even * t.wins_even + w.win_now * t.wins_now;
        for (std::uint64_t discs = state.discs(player); discs; discs &= discs - 1)
            sum += Weights::of_bit[static_cast<std::size_t>(std::countr_zero(discs))];
        return sum;
    };
    const Connect4Threats threats[2]{{state, 0}, {state, 1}};
    const Player mover = state.to_move();
    double value_for_first = weigh(0, threats[0], Weights::first) - weigh(1, threats[1], Weights::second) +
                             Weights::constant + (mover == 0 ? Weights::to_move : -Weights::to_move);
    if (threats[mover].wins_now) value_for_first = mover == 0 ? Weights::win_at_once : -Weights::win_at_once;
    return for_player == 0 ? value_for_first : -value_for_first;
}

inline constexpr std::array connect4_evaluations{
    Evaluation<Connect4>{
        .name = "centre", .help = "discs near the middle column", .roles = {.greedy = true}, .value = connect4_centre},
    Evaluation<Connect4>{.name = "threats",
                         .help = "log-odds of winning, from open lines and threats",
                         .roles = {.by_default = true},
                         .value = connect4_threats},
};

}  // namespace joute
