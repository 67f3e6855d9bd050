#pragma once

#include <optional>

#include "winning_moves.hpp"

namespace joute {

// A move that one look ahead demands, or none: a move that wins at once (a "decisive move", Teytaud &
// Teytaud 2010); else, from `block` on, where some moves would let the opponent win at once and others not,
// one of the others. Games with a faster way offer `tactical_move` themselves; only they know forks.
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
