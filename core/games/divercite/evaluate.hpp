#pragma once

#include <array>

#include "paper.hpp"
#include "weights.hpp"

namespace joute {

// The player's points minus the opponent's.
inline double divercite_score(const Divercite& state, const void*, const void*, Player for_player) {
    return state.points(for_player) - state.points(opponent(for_player));
}

// The predicted final lead in points. `params` points to a DiverciteProspects; null for the shipped weights.
inline double divercite_prospects(const Divercite& state, const void*, const void* params, Player for_player) {
    static const DiverciteProspects shipped(divercite_weights);
    const auto& prospects = params ? *static_cast<const DiverciteProspects*>(params) : shipped;
    const int value = prospects.value(state);
    return (for_player == state.to_move() ? value : -value) / 100.0;
}

inline constexpr std::array divercite_evaluations{
    Evaluation<Divercite>{
        .name = "score", .help = "points minus the opponent's", .roles = {.greedy = true}, .value = divercite_score},
    divercite_paper::text,
    divercite_paper::program,
    divercite_paper::with_hands,
    Evaluation<Divercite>{.name = "prospects",
                          .help = "expected final lead in points, from what cities and cells can still become",
                          .roles = {.by_default = true, .engine = true},
                          .value = divercite_prospects},
};

}  // namespace joute
