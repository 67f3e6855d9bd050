#pragma once

// What a room tells the binding. The file bind.hpp in a game's folder defines, in the namespace joute::NAME_room,
//
//   struct Binding : RoomBinding<Connect4> {
//       static constexpr const char* class_name = "Connect4";              // in Python
//       static constexpr const auto& evaluations = connect4_evaluations;   // an array, the simplest first
//       static void members(nb::module_& module, Binder& game);            // what Python asks of this game alone
//   };
//
// and may define `searches` and `truth` as RoomBinding does. CMake makes the units that bind the rules, the searches
// and the networks (core/bind/units). They are three because rules that are compiled together with the searches cost
// perft a quarter of its speed.

#include "../evaluation.hpp"
#include "../selfplay/truth.hpp"
#include "bind_game.hpp"
#include "bind_options.hpp"

namespace joute {

// A search of one game, and the name of its options in Python.
template <class Kind, class Options>
struct OwnSearch {
    const char* options_name;
};

template <Game S>
struct RoomBinding {
    using State = S;
    using Binder = GameBinder<InPlay<S>>;

    // Adds the searches of this game alone: searches.add(OwnSearch<Solver, SolverOptions>{"SolverOptions"}).
    static void searches(nb::module_&, auto& /*searches*/) {}
    // What knows the outcome of late positions, for self-play.
    static MakeTruth<S> truth() { return {}; }
};

}  // namespace joute
