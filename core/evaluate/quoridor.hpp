#pragma once

#include <array>

#include "../evaluation.hpp"
#include "../games/quoridor.hpp"

namespace joute {

// How many steps more the opponent has to go.
inline double quoridor_steps(const Quoridor& state, const void*, const void*, Player for_player) {
    return state.distance(opponent(for_player)) - state.distance(for_player);
}

inline constexpr std::array<Evaluation<Quoridor>, 1> quoridor_evaluations{
    {{.name = "steps", .help = "how many steps more the opponent has to go", .value = quoridor_steps, .bound = 81}}};

}  // namespace joute
