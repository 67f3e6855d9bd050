#pragma once

// The interface between a game's room and the binding. The file bind.hpp in the folder of a game defines, in the
// namespace joute::NAME_room,
//
//   struct Binding : RoomBinding<Connect4> {
//       static constexpr const char* class_name = "Connect4";              // in Python
//       static constexpr const auto& evaluations = connect4_evaluations;   // an array, the simplest first
//       static void members(nb::module_& module, Binder& game);            // attributes of this game alone
//   };
//
// and may redefine `searches` and `truth` of RoomBinding. CMake creates the units that bind the rules, the searches and
// the networks (cmake/units). They are three units because perft loses a quarter of its speed when the rules are
// compiled together with the searches.

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

    // Adds searches that only this game has: searches.add(OwnSearch<Solver, SolverOptions>{"SolverOptions"}).
    static void searches(nb::module_&, auto& /*searches*/) {}
    // Returns the maker of exact outcomes of late positions, for self-play; empty if the game has no solver.
    static MakeTruth<S> truth() { return {}; }
};

}  // namespace joute
