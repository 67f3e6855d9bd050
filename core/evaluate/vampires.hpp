#pragma once

#include <array>

#include "../evaluation.hpp"
#include "../games/vampires.hpp"

namespace joute {

// The lead in units as a share of all units of both species, from -1 to 1.
inline double vampires_units(const Vampires& state, const void*, const void*, Player for_player) {
    const int own = state.units(for_player), other = state.units(opponent(for_player));
    return own + other ? static_cast<double>(own - other) / (own + other) : 0;
}

constexpr std::array<Evaluation<Vampires>, 1> vampires_evaluations{{
    {.name = "units", .help = "the lead in units, as a share of all", .value = vampires_units, .bound = 1},
}};

}  // namespace joute
