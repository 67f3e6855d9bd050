#pragma once

#include "../../bind/room.hpp"
#include "avalam.hpp"
#include "evaluate.hpp"
#include "solver.hpp"

namespace joute::avalam_room {

inline std::pair<int, int> place(int cell) { return {AvalamRules::row_of(cell), AvalamRules::column_of(cell)}; }

struct Binding : RoomBinding<Avalam> {
    static constexpr const char* class_name = "Avalam";
    static constexpr const auto& evaluations = avalam_evaluations;

    static void members(nb::module_&, Binder& game) {
        game.move_class()
            .def_prop_ro(
                "source", [](Avalam::Move move) { return place(Avalam::from(move)); },
                "(row, column) of the tower that moves.")
            .def_prop_ro(
                "target", [](Avalam::Move move) { return place(Avalam::to(move)); },
                "(row, column) of the tower that it is put on.");
        game.state_class()
            .def_prop_ro(
                "towers",
                [](const Avalam& state) {
                    return rows_by(AvalamRules::rows, AvalamRules::columns,
                                   [&](int row, int column) { return state.tower_at(row, column); });
                },
                nb::for_getter(nb::sig("def towers(self) -> tuple[tuple[int, ...], ...]")),
                "towers[row][column] is the height of a tower, negative for the second player; 0 if there is none.")
            .def_prop_ro(
                "partners",
                [](const Avalam& state) {
                    return rows_by(AvalamRules::rows, AvalamRules::columns, [&](int row, int column) {
                        const int cell = AvalamRules::cell_at(row, column);
                        return cell < 0 ? 0 : std::popcount(state.partners(cell));
                    });
                },
                nb::for_getter(nb::sig("def partners(self) -> tuple[tuple[int, ...], ...]")),
                "partners[row][column] is the number of neighbours that a tower can still merge with.")
            .def(
                "tower_at",
                [](const Avalam& state, int row, int column) {
                    if (row < 0 || row >= AvalamRules::rows || column < 0 || column >= AvalamRules::columns)
                        throw nb::index_error("row and column must be 0 to 8");
                    return state.tower_at(row, column);
                },
                nb::arg("row"), nb::arg("column"),
                "The height of the tower, negative for the second player; 0 if there is no tower or no cell. Row 0 is "
                "the top.");
    }

    static void searches(nb::module_& module, auto& searches) {
        bind_options<AvalamSolverOptions>(module, "AvalamSolverOptions");
        searches.add(OwnSearch<AvalamSolver, AvalamSolverOptions>{"AvalamSolverOptions"});
    }

    static MakeTruth<Avalam> truth() {
        constexpr std::uint64_t most_nodes = 2'000;  // about 0.5 ms
        return truths_by<AvalamSolver>(
            AvalamSolverOptions{.memory_mb = 16, .outcome_only = true, .lines = 1, .tower = 16}, most_nodes);
    }
};

}  // namespace joute::avalam_room
