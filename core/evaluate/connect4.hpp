#pragma once

#include <array>
#include <bit>

#include "../evaluation.hpp"
#include "../games/connect4.hpp"

namespace joute {

// Discs near the centre take part in more lines: each counts 3 in the middle column, 2 beside it,
// then 1, then 0; the opponent's count against.
inline double connect4_centre(const Connect4& state, const void*, const void*, Player for_player) {
    // The columns at least this far from the edge: a disc in the middle lies in all three.
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

inline constexpr std::array connect4_evaluations{
    Evaluation<Connect4>{.name = "centre", .help = "discs near the middle column", .value = connect4_centre},
};

}  // namespace joute
