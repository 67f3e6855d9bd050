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

inline std::string colour_letter(int colour) { return std::string(1, "RGBY"[colour]); }

// The piece on a cell: RCW is a red city of White, RR a red resource; empty if there is none.
inline std::string piece_on(const Divercite& state, int cell) {
    if (cell < 0) return "";
    if (has_city(state, cell))
        return colour_letter(state.city_colour(cell)) + (state.city_owner(cell) == 0 ? "CW" : "CB");
    if (cell >= DiverciteRules::city_cells)
        for (int colour = 0; colour < DiverciteRules::colours; ++colour)
            if (state.resources(colour) >> (cell - DiverciteRules::city_cells) & 1) return colour_letter(colour) + "R";
    return "";
}

inline constinit NamedTuple city("joute.games.divercite.records", "City"),
    resource("joute.games.divercite.records", "Resource");

inline nb::object cities_of(const Divercite& state) {
    const std::uint32_t placed = Divercite::all_cities & ~state.empty_cities();
    return tuple_by(static_cast<std::size_t>(std::popcount(placed)), [&state, rest = placed](std::size_t) mutable {
        const int cell = std::countr_zero(rest);
        rest &= rest - 1;
        const auto place = divercite_board::tables.places[static_cast<std::size_t>(cell)];
        const std::uint32_t around = state.around(cell);
        const int colour = state.city_colour(cell);
        return city(static_cast<int>(place.row), static_cast<int>(place.column), colour_letter(colour),
                    state.city_owner(cell), Divercite::city_points(around, colour),
                    std::tuple(Divercite::count(around, 0), Divercite::count(around, 1), Divercite::count(around, 2),
                               Divercite::count(around, 3)));
    });
}

inline nb::object resources_of(const Divercite& state) {
    const std::uint32_t placed = Divercite::all_resources & ~state.empty_resources();
    return tuple_by(static_cast<std::size_t>(std::popcount(placed)), [&state, rest = placed](std::size_t) mutable {
        const int cell = std::countr_zero(rest);
        rest &= rest - 1;
        const auto place = divercite_board::tables.places[static_cast<std::size_t>(DiverciteRules::city_cells + cell)];
        int colour = 0;
        while (!(state.resources(colour) >> cell & 1)) ++colour;
        return resource(static_cast<int>(place.row), static_cast<int>(place.column), colour_letter(colour));
    });
}

struct Binding : RoomBinding<Divercite> {
    static constexpr const char* class_name = "Divercite";
    static constexpr const auto& evaluations = divercite_evaluations;

    static void members(nb::module_&, Binder& game) {
        using Rules = DiverciteRules;
        game.move_class()
            .def_prop_ro(
                "colour", [](Divercite::Move move) { return colour_letter(Divercite::colour(move)); },
                "The colour of the piece: R, G, B or Y.")
            .def_prop_ro(
                "is_city", [](Divercite::Move move) { return Divercite::is_city(move); },
                "Whether the piece is a city; else it is a resource.")
            .def_prop_ro(
                "piece",
                [](Divercite::Move move) {
                    return colour_letter(Divercite::colour(move)) + (Divercite::is_city(move) ? "C" : "R");
                },
                "The piece as in a hand: RC is a red city, RR a red resource.")
            .def_prop_ro(
                "cell",
                [](Divercite::Move move) {
                    const auto place =
                        divercite_board::tables.places[static_cast<std::size_t>(move.code % Rules::cells)];
                    return std::pair(static_cast<int>(place.row), static_cast<int>(place.column));
                },
                "(row, column) where the piece is placed.");
        game.state_class()
            .def_prop_ro(
                "cells",
                [](const Divercite& state) {
                    return rows_by(Rules::side, Rules::side, [&](int row, int column) {
                        return piece_on(state, divercite_board::tables.cell_at[row][column]);
                    });
                },
                nb::for_getter(nb::sig("def cells(self) -> tuple[tuple[str, ...], ...]")),
                "cells[row][column] is the piece there, as piece_at gives it; '' if there is none.")
            .def_prop_ro("cities", &cities_of, nb::for_getter(nb::sig("def cities(self) -> tuple[City, ...]")),
                         "The cities on the board, row by row, with their points and the resources around them.")
            .def_prop_ro("resources", &resources_of,
                         nb::for_getter(nb::sig("def resources(self) -> tuple[Resource, ...]")),
                         "The resources on the board, row by row.")
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
                    checked_player(player);
                    // In the order of the course's program.
                    nb::dict hand;
                    for (int colour = 0; colour < Rules::colours; ++colour) {
                        const std::string letter = colour_letter(colour);
                        hand[(letter + "C").c_str()] = state.cities_left(player, colour);
                        hand[(letter + "R").c_str()] = state.resources_left(player, colour);
                    }
                    return hand;
                },
                nb::arg("player"), nb::sig("def hand(self, player: int) -> dict[str, int]"),
                "The pieces a player still has to place: RC is a red city, RR a red resource, and so on.")
            .def(
                "piece_at",
                [](const Divercite& state, int row, int column) { return piece_on(state, cell_at(row, column)); },
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

    static MakeTruth<Divercite> truth() {
        constexpr std::uint64_t most_nodes = 2'000;  // about 0.5 ms
        return truths_by<DiverciteSolver>(DiverciteSolverOptions{.memory_mb = 8, .outcome_only = true, .lines = 1},
                                          most_nodes);
    }
};

}  // namespace joute::divercite_room
