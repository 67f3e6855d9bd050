#pragma once

#include "../../bind/room.hpp"
#include "avalam.hpp"
#include "evaluate.hpp"
#include "solver.hpp"

namespace joute::avalam_room {

struct Binding : RoomBinding<Avalam> {
    static constexpr const char* class_name = "Avalam";
    static constexpr const auto& evaluations = avalam_evaluations;

    static void members(nb::module_&, Binder& game) {
        game.state_class().def(
            "tower_at",
            [](const Avalam& state, int row, int column) {
                if (row < 0 || row >= AvalamRules::rows || column < 0 || column >= AvalamRules::columns)
                    throw nb::index_error("row and column must be 0 to 8");
                return state.tower_at(row, column);
            },
            nb::arg("row"), nb::arg("column"),
            "The height of the tower, negative for the second player; 0 if there is no tower or no cell. Row 0 is the "
            "top.");
    }

    static void searches(nb::module_& module, auto& searches) {
        bind_options<AvalamSolverOptions>(module, "AvalamSolverOptions");
        searches.add(OwnSearch<AvalamSolver, AvalamSolverOptions>{"AvalamSolverOptions"});
    }
};

}  // namespace joute::avalam_room
