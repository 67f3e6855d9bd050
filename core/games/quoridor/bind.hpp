#pragma once

#include "../../bind/room.hpp"
#include "evaluate.hpp"
#include "quoridor.hpp"

namespace joute::quoridor_room {

inline std::vector<std::pair<int, int>> anchors_of(std::uint64_t walls) {
    std::vector<std::pair<int, int>> anchors;
    for (; walls; walls &= walls - 1) {
        const int anchor = std::countr_zero(walls);
        anchors.emplace_back(anchor / quoridor_board::anchors_a_side, anchor % quoridor_board::anchors_a_side);
    }
    return anchors;
}

inline std::pair<int, int> place(int cell) { return {cell / quoridor_board::side, cell % quoridor_board::side}; }

inline constinit NamedTuple wall("joute.games.quoridor.records", "Wall");

// All walls, horizontal ones first.
inline nb::object walls_of(const quoridor_board::Walls& walls) {
    return tuple_by(static_cast<std::size_t>(walls.count()), [rest = walls](std::size_t) mutable {
        const bool is_horizontal = rest.horizontal != 0;
        std::uint64_t& of_direction = is_horizontal ? rest.horizontal : rest.vertical;
        const int anchor = std::countr_zero(of_direction);
        of_direction &= of_direction - 1;
        return wall(anchor / quoridor_board::anchors_a_side, anchor % quoridor_board::anchors_a_side, is_horizontal);
    });
}

struct Binding : RoomBinding<Quoridor> {
    static constexpr const char* class_name = "Quoridor";
    static constexpr const auto& evaluations = quoridor_evaluations;

    static void members(nb::module_&, Binder& game) {
        game.move_class()
            .def_prop_ro(
                "is_wall", [](Quoridor::Move move) { return !Quoridor::is_step(move); },
                "Whether the move places a wall; else it moves the pawn.")
            .def_prop_ro(
                "is_horizontal",
                [](Quoridor::Move move) { return !Quoridor::is_step(move) && Quoridor::is_horizontal(move); },
                "Whether the move places a horizontal wall.")
            .def_prop_ro(
                "cell",
                [](Quoridor::Move move) {
                    if (Quoridor::is_step(move)) return place(move.code);
                    return place(quoridor_board::cell_of_anchor(Quoridor::anchor(move)));
                },
                "(row, column) that the pawn enters; for a wall, its place as in `walls`.");
        game.state_class()
            .def_prop_ro(
                "pawns",
                [](const WithHistory<Quoridor>& state) {
                    return std::pair(place(state.pawn(0)), place(state.pawn(1)));
                },
                "(row, column) of each player's pawn; row 0 is on White's side, column 0 on the left.")
            .def_prop_ro(
                "walls", [](const WithHistory<Quoridor>& state) { return walls_of(state.walls()); },
                nb::for_getter(nb::sig("def walls(self) -> tuple[Wall, ...]")),
                "The walls on the board, horizontal ones first.")
            .def_prop_ro(
                "walls_in_hand",
                [](const WithHistory<Quoridor>& state) { return std::pair(state.walls_left(0), state.walls_left(1)); },
                "The number of walls that each player has in hand.")
            .def_prop_ro(
                "distances",
                [](const WithHistory<Quoridor>& state) { return std::pair(state.distance(0), state.distance(1)); },
                "The length of each player's shortest path to the goal, ignoring the other pawn.")
            .def(
                "pawn",
                [](const WithHistory<Quoridor>& state, Player player) {
                    return place(state.pawn(checked_player(player)));
                },
                nb::arg("player"), "(row, column) of a player's pawn; row 0 is on White's side, column 0 on the left.")
            .def(
                "walls_left",
                [](const WithHistory<Quoridor>& state, Player player) {
                    return state.walls_left(checked_player(player));
                },
                nb::arg("player"), "The number of walls a player has in hand.")
            .def(
                "distance",
                [](const WithHistory<Quoridor>& state, Player player) {
                    return state.distance(checked_player(player));
                },
                nb::arg("player"), "The length of a player's shortest path to the goal, ignoring the other pawn.")
            .def(
                "course_path",
                [](const WithHistory<Quoridor>& state, Player player) {
                    const auto path = quoridor_course::path(state.ways(), state.pawn(checked_player(player)),
                                                            state.pawn(opponent(player)), Quoridor::goal(player));
                    std::optional<std::vector<std::pair<int, int>>> places;
                    if (path) {
                        places.emplace();
                        for (const int cell : *path) places->push_back(place(cell));
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
