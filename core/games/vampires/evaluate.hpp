#pragma once

#include <array>

#include "../../evaluation.hpp"
#include "network.hpp"
#include "vampires.hpp"
#include "weights.hpp"

namespace joute {

// The lead in units as a share of all units of both species, from -1 to 1.
inline double vampires_units(const Vampires& state, const void*, const void*, Player for_player) {
    const int own = state.units(for_player), other = state.units(opponent(for_player));
    return own + other ? static_cast<double>(own - other) / (own + other) : 0;
}
inline double vampires_units_order(const Vampires& state, Player for_player) {
    return vampires_units(state, nullptr, nullptr, for_player);
}

// The network is for positions in which a player is to move and both species are alive; all others use the lead in
// units.
inline double vampires_network(const Vampires& state, const void* accumulator, const void* params, Player for_player) {
    if (state.is_chance() || state.units(0) == 0 || state.units(1) == 0)
        return vampires_units(state, accumulator, params, for_player);
    const auto& weights = params ? *static_cast<const VampiresWeights*>(params) : vampires_weights;
    const double value = vampires_network_value(state, weights);
    return state.to_move() == for_player ? value : -value;
}

constexpr std::array<Evaluation<Vampires>, 2> vampires_evaluations{{
    {.name = "units",
     .help = "the lead in units as a share of all units",
     .roles = {.greedy = true},
     .value = vampires_units,
     .bound = 1},
    {.name = "network",
     .help = "a small network fitted to self-play: 1 is a sure win, -1 a sure loss",
     .roles = {.by_default = true, .engine = true},
     .value = vampires_network,
     .order = vampires_units_order,
     .bound = 1,
     .is_slow = true},
}};

}  // namespace joute
