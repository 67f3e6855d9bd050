#pragma once

#include "../../bind/room.hpp"
#include "connect4.hpp"
#include "endings.hpp"
#include "evaluate.hpp"
#include "solver.hpp"

namespace joute::connect4_room {

// Defined in bind_solver.cpp.
void bind_book_and_solver(nb::module_& module);

struct Binding : RoomBinding<Connect4> {
    static constexpr const char* class_name = "Connect4";
    static constexpr const auto& evaluations = connect4_evaluations;

    static void members(nb::module_& module, Binder& game) {
        constexpr int columns = Connect4Rules::columns, rows = Connect4Rules::rows;
        game.move_class().def_prop_ro(
            "column", [](Connect4::Move move) { return static_cast<int>(move.column); },
            "The column from 0, one less than in the notation.");
        game.state_class()
            .def_prop_ro(
                "cells",
                [](const Connect4& state) {
                    return rows_by(columns, rows, [&](int column, int row) { return state.disc_at(column, row); });
                },
                nb::for_getter(nb::sig("def cells(self) -> tuple[tuple[int, ...], ...]")),
                "cells[column][row] is the player whose disc is there, -1 if none; row 0 is the bottom.")
            .def_prop_ro(
                "heights",
                [](const Connect4& state) {
                    return tuple_by(columns,
                                    [&](std::size_t column) { return state.height(static_cast<int>(column)); });
                },
                nb::for_getter(nb::sig("def heights(self) -> tuple[int, ...]")), "The number of discs in each column.")
            .def_prop_ro(
                "discs", [](const Connect4& state) { return std::pair(state.discs(0), state.discs(1)); },
                "The discs of each player as a bitboard: bit 7 * column + row.")
            .def(
                "disc_at",
                [](const Connect4& state, int column, int row) {
                    if (column < 0 || column >= Connect4Rules::columns || row < 0 || row >= Connect4Rules::rows)
                        throw nb::index_error("column must be 0 to 6 and row 0 to 5");
                    return state.disc_at(column, row);
                },
                nb::arg("column"), nb::arg("row"),
                "The player whose disc is on this cell, -1 if none; row 0 is the bottom.");
        module.def(
            "connect4_order",
            [](std::pair<std::uint64_t, std::uint64_t> discs) {
                return Connect4::order_of({discs.first, discs.second});
            },
            nb::arg("discs"), nb::call_guard<nb::gil_scoped_release>(),
            "The columns of a game that leads to these discs of each player, as in `discs`; None if there is none. "
            "Discs must fill columns from below.");
        bind_book_and_solver(module);
    }

    static void searches(nb::module_& module, auto& searches) {
        bind_options<Connect4EndingsOptions>(module, "Connect4EndingsOptions");
        searches.add(OwnSearch<Connect4Endings, Connect4EndingsOptions>{"Connect4EndingsOptions"});
    }

    static MakeTruth<Connect4> truth() {
        return [] {
            // Late positions need little memory, and every thread has its own solver.
            auto solver =
                std::make_shared<Connect4Solver>(Connect4Solver::Options{.memory_mb = 8, .threads = 1, .book = {}});
            return Truth<Connect4>([solver](const Connect4& state) {
                const int for_mover = solver->outcome(state);
                return state.to_move() == 0 ? for_mover : -for_mover;
            });
        };
    }
};

}  // namespace joute::connect4_room
