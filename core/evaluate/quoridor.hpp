#pragma once

#include <array>

#include "../evaluation.hpp"
#include "../games/quoridor.hpp"
#include "quoridor_report.hpp"

namespace joute {

// How many steps more the opponent has to go.
inline double quoridor_steps(const Quoridor& state, const void*, const void*, Player for_player) {
    return state.distance(opponent(for_player)) - state.distance(for_player);
}

inline constexpr std::array<Evaluation<Quoridor>, 3> quoridor_evaluations{
    {{.name = "steps", .help = "how many steps more the opponent has to go", .value = quoridor_steps, .bound = 81},
     {.name = "report", .help = "the report's: paths and walls in hand", .value = quoridor_report::program},
     {.name = "report-corrected",
      .help = "the same by paths that look through the other pawn",
      .value = quoridor_report::corrected}}};

}  // namespace joute
