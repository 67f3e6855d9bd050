#pragma once

// The heuristic of the Quoridor report (Balea & Lasnier, team PouletDansCage, INF8215, Polytechnique Montréal, 2021).
//
// Paths and walls in hand, weighed by who is closer to the goal. `report` is the program: it takes the course's paths,
// which go around the other pawn or over it, and a finished game is worth the steps that the loser still had to go, on
// the heuristic's own scale (ends=eval), so that to win can be worth less than to wait. Where a pawn plugs the last gap
// the course finds no path, and the program means to count rows instead; it forgets the minus before the own ones.
// There it would crash: it treats a goal, the number of a row, as a cell. `report-corrected` has paths on walls only.
//
// Sums are made in the program's order, so they are its numbers to the last digit, by which it breaks ties.

#include "../../evaluation.hpp"
#include "quoridor.hpp"

namespace joute::quoridor_paper {

struct Weights {
    double own_path, other_path, own_walls, other_walls;
};
inline constexpr Weights level{2.0, 1.8, 0.5, 0.5}, closer{2.2, 1.5, 0.7, 0.5}, farther{1.7, 1.5, 0.4, 0.3};

// By how many steps the opponent is farther from the goal than the player.
constexpr const Weights& weights_for(int lead) { return lead > 0 ? closer : lead < 0 ? farther : level; }

inline double weighed(const Quoridor& state, Player player, int own_path_signed, int other_path, int lead) {
    const Weights& weights = weights_for(lead);
    return own_path_signed * weights.own_path + other_path * weights.other_path +
           state.walls_left(player) * weights.own_walls + -state.walls_left(opponent(player)) * weights.other_walls;
}

inline int rows_to_go(const Quoridor& state, Player player) {
    const int row = state.pawn(player) / quoridor_board::side;
    return player == 0 ? quoridor_board::side - 1 - row : row;
}

inline double program(const Quoridor& state, const void*, const void*, Player for_player) {
    const auto path_of = [&](Player player) {
        return quoridor_course::distance(state.ways(), state.pawn(player), state.pawn(opponent(player)),
                                         Quoridor::goal(player));
    };
    int own = path_of(for_player), other = path_of(opponent(for_player));
    const bool has_paths = own >= 0 && other >= 0;
    if (!has_paths) {
        own = rows_to_go(state, for_player);
        other = rows_to_go(state, opponent(for_player));
    }
    const int lead = other - own;
    if (state.is_terminal()) return lead;
    return weighed(state, for_player, has_paths ? -own : own, other, lead);
}

inline double corrected(const Quoridor& state, const void*, const void*, Player for_player) {
    const int own = state.distance(for_player), other = state.distance(opponent(for_player));
    return weighed(state, for_player, -own, other, other - own);
}

}  // namespace joute::quoridor_paper
