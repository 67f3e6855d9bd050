#pragma once

#include <array>

#include "../../evaluation.hpp"
#include "network.hpp"
#include "paper.hpp"
#include "quoridor.hpp"
#include "race.hpp"
#include "weights.hpp"

namespace joute {

// The opponent's shortest path minus the player's, in steps.
inline double quoridor_steps(const Quoridor& state, const void*, const void*, Player for_player) {
    return state.distance(opponent(for_player)) - state.distance(for_player);
}

inline double quoridor_network(const Quoridor& state, const void*, const void* params, Player for_player) {
    const auto& weights = params ? *static_cast<const QuoridorWeights*>(params) : quoridor_weights;
    const double value = quoridor_network_value(state, weights);
    return state.to_move() == for_player ? value : -value;
}

inline constexpr std::array<Evaluation<Quoridor>, 4> quoridor_evaluations{
    {{.name = "steps",
      .help = "the opponent's shortest path minus the player's, in steps",
      .roles = {.greedy = true},
      .value = quoridor_steps,
      .bound = 81},
     {.name = "report",
      .help = "the paper's: paths and walls in hand",
      .value = quoridor_paper::program,
      .weights = quoridor_paper::paper_weights},
     {.name = "report-corrected",
      .help = "the same with paths that ignore the other pawn",
      .value = quoridor_paper::corrected,
      .weights = quoridor_paper::paper_weights},
     {.name = "network",
      .help = "a small network fitted to self-play: the logit of the probability to win",
      .roles = {.by_default = true, .engine = true},
      .value = quoridor_network,
      .known = quoridor_race_end,
      // Solving a race takes 0.05 ms. With races from depth 2 on, the search enters a third fewer positions a second
      // in late positions.
      .least_known_depth = 4}}};

}  // namespace joute
