#pragma once

#include "joute/evaluation.hpp"
#include "othello.hpp"

namespace othello {

// The lead in discs: the result if the game ended here, and a poor guide before the end.
inline double discs_ahead(const State& state, const void*, const void*, Player for_player) {
    const int margin = state.result_if_stopped().margin;
    return for_player == 0 ? margin : -margin;
}

// The features players use before the last plies: corners, which are never flipped; the cells diagonally next to an
// empty corner, which give it away; and mobility, the number of moves. The weights are round numbers of common advice,
// not fitted.
inline double corners_and_mobility(const State& state, const void*, const void*, Player for_player) {
    constexpr double corner = 25, beside_corner = -12, move = 4;
    constexpr std::array<std::pair<int, int>, 4> corners{{{0, 9}, {7, 14}, {56, 49}, {63, 54}}};
    const auto worth = [&](Player player) {
        const Cells own = state.discs(player), theirs = state.discs(joute::opponent(player));
        double sum = move * std::popcount(playable(own, theirs));
        for (const auto [place, diagonal] : corners) {
            if (own >> place & 1) sum += corner;
            if (own >> diagonal & ~(own | theirs) >> place & 1) sum += beside_corner;
        }
        return sum;
    };
    return worth(for_player) - worth(joute::opponent(for_player));
}

inline constexpr std::array evaluations{
    joute::Evaluation<State>{.name = "discs", .help = "lead in discs", .value = discs_ahead},
    joute::Evaluation<State>{.name = "mobility", .help = "corners and mobility", .value = corners_and_mobility},
};

}  // namespace othello
