#pragma once

#include "../../bind/room.hpp"
#include "evaluate.hpp"
#include "quoridor.hpp"

namespace joute::quoridor_room {

inline Player checked(Player player) {
    if (player != 0 && player != 1) throw nb::index_error("the player must be 0 or 1");
    return player;
}

inline std::vector<std::pair<int, int>> anchors_of(std::uint64_t walls) {
    std::vector<std::pair<int, int>> anchors;
    for (; walls; walls &= walls - 1) {
        const int anchor = std::countr_zero(walls);
        anchors.emplace_back(anchor / quoridor_board::anchors_a_side, anchor % quoridor_board::anchors_a_side);
    }
    return anchors;
}

struct Binding : RoomBinding<Quoridor> {
    static constexpr const char* class_name = "Quoridor";
    static constexpr const auto& evaluations = quoridor_evaluations;

    static void members(nb::module_&, Binder& game) {
        game.state_class()
            .def(
                "pawn",
                [](const WithHistory<Quoridor>& state, Player player) {
                    const int cell = state.pawn(checked(player));
                    return std::pair(cell / quoridor_board::side, cell % quoridor_board::side);
                },
                nb::arg("player"), "(row, column) of a player's pawn; row 0 is on White's side, column 0 on the left.")
            .def(
                "walls_left",
                [](const WithHistory<Quoridor>& state, Player player) { return state.walls_left(checked(player)); },
                nb::arg("player"), "The number of walls a player has in hand.")
            .def(
                "distance",
                [](const WithHistory<Quoridor>& state, Player player) { return state.distance(checked(player)); },
                nb::arg("player"), "The length of a player's shortest path to the goal, ignoring the other pawn.")
            .def(
                "course_path",
                [](const WithHistory<Quoridor>& state, Player player) {
                    const auto path = quoridor_course::path(state.ways(), state.pawn(checked(player)),
                                                            state.pawn(opponent(player)), Quoridor::goal(player));
                    std::optional<std::vector<std::pair<int, int>>> places;
                    if (path) {
                        places.emplace();
                        for (const int cell : *path)
                            places->emplace_back(cell / quoridor_board::side, cell % quoridor_board::side);
                    }
                    return places;
                },
                nb::arg("player"),
                "(row, column) of each cell on the path to a player's goal that the course's program finds, around "
                "or over the other pawn; None if that pawn blocks the last gap.")
            .def_prop_ro(
                "horizontal_walls",
                [](const WithHistory<Quoridor>& state) { return anchors_of(state.walls().horizontal); },
                "(row, column) of each horizontal wall: it lies between rows r and r + 1, along columns c and c + 1.")
            .def_prop_ro(
                "vertical_walls", [](const WithHistory<Quoridor>& state) { return anchors_of(state.walls().vertical); },
                "(row, column) of each vertical wall: it lies between columns c and c + 1, along rows r and r + 1.");
    }
};

}  // namespace joute::quoridor_room
