#pragma once

#include <array>

#include "paper.hpp"
#include "towers.hpp"

namespace joute {

// Towers of the player less those of the opponent; where they are level, fives. What the course's referee would
// count if the game ended here.
inline double avalam_score(const Avalam& state, const void*, const void*, Player for_player) {
    const int points = state.result_if_stopped().points();
    return for_player == 0 ? points : -points;
}

inline constexpr std::array avalam_evaluations{
    Evaluation<Avalam>{.name = "score",
                       .help = "towers, or fives where they are level",
                       .roles = {.greedy = true},
                       .value = avalam_score},
    avalam_paper::guaranteed_own,
    avalam_paper::guaranteed_difference,
    avalam_paper::one_own,
    avalam_paper::one_difference,
    avalam_paper::two_own,
    avalam_paper::two_difference,
    Evaluation<Avalam>{.name = "towers",
                       .help = "towers ahead at the end, by what each can still merge with",
                       .roles = {.by_default = true, .engine = true},
                       .value = avalam_towers,
                       .accumulator_size = sizeof(AvalamTowerSums),
                       .start = AvalamTowerSums::start,
                       .update = AvalamTowerSums::update},
};

}  // namespace joute
