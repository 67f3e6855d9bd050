#pragma once

// The heuristic of the Quoridor paper (Balea & Lasnier, team PouletDansCage, INF8215, Polytechnique Montréal, 2021).
//
// Path lengths and walls in hand, with weights that depend on who is closer to the goal. `report` is the paper's
// program. It uses the course's paths, which go around or over the other pawn. It values a finished game by the steps
// the loser still had to go, on the scale of the heuristic (ends=eval), so a win can be worth less than waiting. If a
// pawn blocks the last gap, the course finds no path, and the program is meant to count rows instead; it forgets the
// minus sign of the own rows. The original crashes there, because it treats a goal, a row number, as a cell.
// `report-corrected` uses paths that depend on walls only.
//
// Terms are added in the program's order, so the values equal the program's to the last digit, by which it breaks ties.

#include <array>
#include <cstddef>

#include "../../evaluation.hpp"
#include "quoridor.hpp"

namespace joute::quoridor_paper {

// A set of weights for a player who is level, closer and farther, each in the order of `Weight`.
enum Weight : std::size_t { own_path, other_path, own_walls, other_walls, set_size };
inline constexpr std::array<double, 3 * set_size> paper_weights{2.0, 1.8, 0.5, 0.5,   // level
                                                                2.2, 1.5, 0.7, 0.5,   // closer
                                                                1.7, 1.5, 0.4, 0.3};  // farther

// `lead` is the opponent's path minus the player's.
inline double weighed(const Quoridor& state, Player player, int own_path_signed, int other_steps, int lead,
                      const void* params) {
    const std::size_t set = lead > 0 ? 1 : lead < 0 ? 2 : 0;
    const double* weights = Evaluation<Quoridor>::weights_at(params, paper_weights) + set * set_size;
    return own_path_signed * weights[own_path] + other_steps * weights[other_path] +
           state.walls_left(player) * weights[own_walls] + -state.walls_left(opponent(player)) * weights[other_walls];
}

inline int rows_to_go(const Quoridor& state, Player player) {
    const int row = state.pawn(player) / quoridor_board::side;
    return player == 0 ? quoridor_board::side - 1 - row : row;
}

inline double program(const Quoridor& state, const void*, const void* params, Player for_player) {
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
    return weighed(state, for_player, has_paths ? -own : own, other, lead, params);
}

inline double corrected(const Quoridor& state, const void*, const void* params, Player for_player) {
    const int own = state.distance(for_player), other = state.distance(opponent(for_player));
    return weighed(state, for_player, -own, other, other - own, params);
}

}  // namespace joute::quoridor_paper
