#pragma once

#include "evaluate.hpp"
#include "joute/bind/room.hpp"

namespace joute::othello_room {

struct Binding : RoomBinding<othello::State> {
    static constexpr const char* class_name = "Othello";
    static constexpr const auto& evaluations = othello::evaluations;

    static void members(nb::module_&, Binder& game) {
        game.move_class().def_prop_ro(
            "cell",
            [](othello::State::Move move) { return std::pair(move.cell / othello::side, move.cell % othello::side); },
            "(row, column) of the new disc.");
        game.state_class()
            .def_prop_ro(
                "cells",
                [](const othello::State& state) {
                    return rows_by(othello::side, othello::side,
                                   [&](int row, int column) { return state.disc_at(row * othello::side + column); });
                },
                nb::for_getter(nb::sig("def cells(self) -> tuple[tuple[int, ...], ...]")),
                "cells[row][column] is the player whose disc is there, -1 if none; row 0 is the top.")
            .def(
                "disc_at",
                [](const othello::State& state, int row, int column) {
                    if (row < 0 || row >= othello::side || column < 0 || column >= othello::side)
                        throw nb::index_error("row and column must be 0 to 7");
                    return state.disc_at(row * othello::side + column);
                },
                nb::arg("row"), nb::arg("column"),
                "The player whose disc is on this cell, -1 if none; row 0 is the top.");
    }
};

}  // namespace joute::othello_room
