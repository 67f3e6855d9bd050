#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../base/poll.hpp"
#include "../game.hpp"
#include "limits.hpp"

namespace joute {

// The result for one root move. Values take the view of the player to move at the root.
template <class Move>
struct MoveResult {
    Move move;
    double value = 0;           // in the search's own unit: a share of wins, or an evaluation
    bool is_exact = true;       // false if `value` is only a bound
    std::uint64_t visits = 0;   // simulations that began with this move, or nodes searched below it
    int lower = -1, upper = 1;  // proven bounds on the outcome: 1 win, 0 draw, -1 loss
    int end_in = -1;            // plies to the end under best play; -1 if not known
    std::vector<Move> line;     // principal variation, this move first; ends before a random event
};

template <class Move>
struct SearchResult {
    std::vector<MoveResult<Move>> moves;  // best first; the first is the one to play
    double value = 0;                     // of the root, for the player to move
    bool proven = false;                  // whether no longer search can change the value
    int depth = 0;                        // depth of the last finished iteration, or of the tree's deepest line
    std::uint64_t nodes = 0;              // positions reached by play()
    std::uint64_t iterations = 0;         // simulations
    bool memory_full = false;             // whether the tree stopped growing at the memory limit
    std::uint64_t table_looks = 0, table_hits = 0;  // table lookups and hits, if the search counts them
};

// Throws if the game has no move generator of this index.
template <Playable S>
void check_generator(int generator) {
    if (generator < 0 || generator >= static_cast<int>(std::size(S::generators)))
        throw JouteError("there is no move generator " + std::to_string(generator) + "; their numbers are 0 to " +
                         std::to_string(std::size(S::generators) - 1));
}

// The interface of all searches: `run` searches a position until a limit and returns a result.
//
// A search may keep data between runs (a tree, a table); `forget` discards it. With one thread and without a limit on
// seconds, the same seed and limits give the same result on every machine.
template <Playable S>
class Search {
public:
    using Move = typename S::Move;
    using SearchResult = joute::SearchResult<Move>;
    // Receives intermediate results during a search, on the calling thread.
    using Watch = std::function<void(const SearchResult&)>;

    virtual ~Search() = default;
    // In `root` a player is to move. `poll` and `watch` may be empty, and may throw.
    virtual SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) = 0;
    // Like `run`, given the game's history before the root. Alpha-beta, MCTS and the network search use it to detect
    // repetitions. Searches that play whole games (NRPA, nested) and searches of games without repetition ignore it.
    virtual SearchResult run_after(Past, const S& root, const Limits& limits, const Poll& poll, const Watch& watch) {
        return run(root, limits, poll, watch);
    }
    virtual void forget() = 0;
};

}  // namespace joute
