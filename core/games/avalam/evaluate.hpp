#pragma once

#include <array>

#include "paper.hpp"
#include "towers.hpp"

namespace joute {

// The player's towers minus the opponent's; on a tie, the difference in fives. The same count as the course's referee
// makes at the end of a game.
inline double avalam_score(const Avalam& state, const void*, const void*, Player for_player) {
    const int points = state.result_if_stopped().points();
    return for_player == 0 ? points : -points;
}

inline constexpr std::array avalam_evaluations{
    Evaluation<Avalam>{.name = "score",
                       .help = "difference in towers; on a tie, in fives",
                       .roles = {.greedy = true},
                       .value = avalam_score},
    avalam_paper::guaranteed_own,
    avalam_paper::guaranteed_difference,
    avalam_paper::one_own,
    avalam_paper::one_difference,
    avalam_paper::two_own,
    avalam_paper::two_difference,
    Evaluation<Avalam>{.name = "towers",
                       .help = "expected final lead in towers, from the merges each tower still has",
                       .roles = {.by_default = true, .engine = true},
                       .value = avalam_towers,
                       .accumulator_size = sizeof(AvalamTowerSums),
                       .start = AvalamTowerSums::start,
                       .update = AvalamTowerSums::update},
};

}  // namespace joute
