#pragma once

#include <array>

#include "divercite_report.hpp"

namespace joute {

// Points of the player less those of the opponent.
inline double divercite_score(const Divercite& state, const void*, const void*, Player for_player) {
    return state.points(for_player) - state.points(opponent(for_player));
}

inline constexpr std::array divercite_evaluations{
    Evaluation<Divercite>{.name = "score", .help = "points less the opponent's", .value = divercite_score},
    divercite_report::text,
    divercite_report::program,
};

}  // namespace joute
