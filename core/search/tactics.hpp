#pragma once

#include <optional>

#include "winning_moves.hpp"

namespace joute {

// A move that a search of one or two plies forces, or none. A move that wins at once comes first (a "decisive move",
// Teytaud & Teytaud 2010). With `block` or `fork`, if some moves let the opponent win at once and others do not, one of
// the others follows. Games with a faster method offer `TacticalMove`; only these find forks.
template <Playable S>
std::optional<typename S::Move> tactical_move(const S& state, Tactics tactics, Random& random) {
    if constexpr (HasTacticalMove<S>) {
        return state.tactical_move(tactics, random);
    } else {
        const auto one_of = [&](const MoveList<S>& moves) {
            return moves[random.below(static_cast<std::uint32_t>(moves.size()))];
        };
        MoveList<S> wins;
        winning_moves(state, wins);
        if (!wins.empty()) return one_of(wins);
        if (tactics == Tactics::win) return std::nullopt;
        MoveList<S> moves, safe;
        state.generate(moves, 0);
        for (const auto move : moves) {
            S next = state;
            next.play(move);
            MoveList<S> replies;
            if (!is_chance(next) && !next.is_terminal() && next.to_move() != state.to_move())
                winning_moves(next, replies);
            if (replies.empty()) safe.push_back(move);
        }
        if (safe.empty() || safe.size() == moves.size()) return std::nullopt;
        return one_of(safe);
    }
}

}  // namespace joute
