#pragma once

#include <cstdint>

#include "../base/poll.hpp"
#include "../game.hpp"

namespace joute {

// Perft: counts the lines of exactly `depth` moves from a state, the standard test of a move generator. Lines that end
// earlier do not count. Each outcome of a random event makes a separate line and takes no depth. With `bulk`, the moves
// of the last ply are counted without being played, as fast engines do. Games with chance always play them, since one
// move may lead to several lines.
struct Perft {
    bool bulk = true;
    Poll poll;
    std::uint64_t nodes = 0;  // positions reached by play()

    template <Playable S>
    std::uint64_t count(const S& state, int depth) {
        if constexpr (S::has_chance)
            if (state.is_chance()) return count_outcomes(state, depth);
        if (depth <= 0) return 1;
        if (state.is_terminal()) return 0;
        MoveList<S> moves;
        state.generate(moves, 0);
        if (bulk && !S::has_chance && depth == 1) return moves.size();
        std::uint64_t lines = 0;
        for (const auto move : moves) {
            S next = state;
            next.play(move);
            if ((++nodes & 0xffff) == 0 && poll) poll();
            lines += count(next, depth - 1);
        }
        return lines;
    }

private:
    template <ChancePlayable S>
    std::uint64_t count_outcomes(const S& state, int depth) {
        OutcomeList<S> outcomes;
        state.outcomes(outcomes);
        std::uint64_t lines = 0;
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (outcomes[i] <= 0) continue;
            S next = state;
            next.resolve(static_cast<int>(i));
            lines += count(next, depth);
        }
        return lines;
    }
};

}  // namespace joute
