#pragma once

#include <cstdint>

#include "../base/poll.hpp"
#include "../game.hpp"

namespace joute {

// The results of a batch of random games, from the first player's view.
struct Playouts {
    std::uint64_t games = 0;
    std::uint64_t first_wins = 0;
    std::uint64_t draws = 0;
    std::uint64_t second_wins = 0;
    std::uint64_t plies = 0;  // sum over all games
    std::int64_t margin = 0;  // sum over all games

    bool operator==(const Playouts&) const = default;
};

// Plays random moves to the end of the game, or for `max_plies` plies, and returns the result.
template <Playable S>
Result play_out(S& state, Random& random, int max_plies) {
    settle_chance(state, random);
    for (int ply = 0; ply < max_plies; ++ply) {
        if (state.is_terminal()) return state.result();
        state.play(state.random_move(random));
        settle_chance(state, random);
    }
    return state.is_terminal() ? state.result() : state.result_if_stopped();
}

// Plays `count` random games from one state. The same seed gives the same games on every machine.
template <Playable S>
Playouts playouts(const S& start, std::uint64_t count, std::uint64_t seed, int max_plies, const Poll& poll) {
    Playouts sum;
    Random random(seed);
    while (sum.games < count) {
        S state = start;
        const Result result = play_out(state, random, max_plies);
        sum.first_wins += result.outcome > 0;
        sum.draws += result.outcome == 0;
        sum.second_wins += result.outcome < 0;
        sum.plies += static_cast<std::uint64_t>(state.ply() - start.ply());
        sum.margin += result.margin;
        if ((++sum.games & 0xf) == 0 && poll) poll();  // every 16 games, since a game may last thousands of plies
    }
    return sum;
}

}  // namespace joute
