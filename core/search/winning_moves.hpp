#pragma once

#include "../game.hpp"

namespace joute {

// Appends the moves that end the game at once with a win for the player to move.
template <Playable S>
void winning_moves(const S& state, MoveList<S>& wins) {
    MoveList<S> moves;
    state.generate(moves, 0);
    for (const auto move : moves) {
        S next = state;
        next.play(move);
        if (!is_chance(next) && next.is_terminal() && next.result().outcome_for(state.to_move()) > 0)
            wins.push_back(move);
    }
}

}  // namespace joute
