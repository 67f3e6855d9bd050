#pragma once

#include "../../bind/room.hpp"
#include "divercite.hpp"
#include "evaluate.hpp"
#include "solver.hpp"

namespace joute::divercite_room {

// The cell of a row and a column from 0; -1 if the diamond has no cell there.
inline int cell_at(int row, int column) {
    constexpr int side = DiverciteRules::side;
    if (row < 0 || row >= side || column < 0 || column >= side) throw nb::index_error("row and column must be 0 to 8");
    return divercite_board::tables.cell_at[row][column];
}

inline bool has_city(const Divercite& state, int cell) {
    return cell >= 0 && cell < DiverciteRules::city_cells && !(state.empty_cities() >> cell & 1);
}

struct Binding : RoomBinding<Divercite> {
    static constexpr const char* class_name = "Divercite";
    static constexpr const auto& evaluations = divercite_evaluations;

    static void members(nb::module_&, Binder& game) {
        using Rules = DiverciteRules;
        game.state_class()
            .def_prop_ro(
                "scores",
                [](const Divercite& state) {
                    const auto scores = state.scores();
                    return std::pair(scores[0], scores[1]);
                },
                "(White's, Black's) points; with rules=framework, the final points include the tie-break.")
            .def(
                "hand",
                [](const Divercite& state, Player player) {
                    if (player != 0 && player != 1) throw nb::index_error("the player must be 0 or 1");
                    // In the order of the course's program.
                    nb::dict hand;
                    for (int colour = 0; colour < Rules::colours; ++colour) {
                        const std::string letter(1, "RGBY"[colour]);
                        hand[(letter + "C").c_str()] = state.cities_left(player, colour);
                        hand[(letter + "R").c_str()] = state.resources_left(player, colour);
                    }
                    return hand;
                },
                nb::arg("player"), nb::sig("def hand(self, player: int) -> dict[str, int]"),
                "The pieces a player still has to place: RC is a red city, RR a red resource, and so on.")
            .def(
                "piece_at",
                [](const Divercite& state, int row, int column) -> std::string {
                    const int cell = cell_at(row, column);
                    if (cell < 0) return "";
                    const bool is_city = cell < Rules::city_cells;
                    for (int colour = 0; colour < Rules::colours; ++colour) {
                        const std::string letter(1, "RGBY"[colour]);
                        if (!is_city && state.resources(colour) >> (cell - Rules::city_cells) & 1) return letter + "R";
                        if (has_city(state, cell) && state.city_colour(cell) == colour)
                            return letter + (state.city_owner(cell) == 0 ? "CW" : "CB");
                    }
                    return "";
                },
                nb::arg("row"), nb::arg("column"),
                "The piece on a cell: RCW is a red city of White, RR a red resource; '' if there is none. Row 0 is the "
                "top.")
            .def(
                "points_at",
                [](const Divercite& state, int row, int column) {
                    const int cell = cell_at(row, column);
                    return has_city(state, cell) ? Divercite::city_points(state.around(cell), state.city_colour(cell))
                                                 : 0;
                },
                nb::arg("row"), nb::arg("column"), "The points of a city, 5 for a Divercité; 0 if there is no city.")
            .def_prop_ro(
                "canonical_key", [](const Divercite& state) { return state.canonical().key; },
                "A key that is equal for all positions that are symmetric to each other, by board and colours.");
    }

    static void searches(nb::module_& module, auto& searches) {
        bind_options<DiverciteSolverOptions>(module, "DiverciteSolverOptions");
        searches.add(OwnSearch<DiverciteSolver, DiverciteSolverOptions>{"DiverciteSolverOptions"});
    }
};

}  // namespace joute::divercite_room
