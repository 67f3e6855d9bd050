#pragma once

#include "joute/evaluation.hpp"
#include "othello.hpp"

namespace othello {

// Discs ahead: what the game would be worth if it ended here, and a poor guide before its end.
inline double discs_ahead(const State& state, const void*, const void*, Player for_player) {
    const int margin = state.result_if_stopped().margin;
    return for_player == 0 ? margin : -margin;
}

// What players look at before the last plies: corners, which nobody turns; the cells diagonally beside an empty corner,
// which give it away; and moves to choose from. The weights are round numbers of common advice, not fitted.
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
    joute::Evaluation<State>{.name = "discs", .help = "discs ahead", .value = discs_ahead},
    joute::Evaluation<State>{
        .name = "mobility", .help = "corners and moves to choose from", .value = corners_and_mobility},
};

}  // namespace othello
