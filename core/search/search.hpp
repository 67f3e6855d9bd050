#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../base/poll.hpp"
#include "../game.hpp"
#include "limits.hpp"

namespace joute {

// What a search found out about one move. Values are from the view of the player to move at the root.
template <class Move>
struct MoveResult {
    Move move;
    double value = 0;           // in the search's own unit: a share of wins, or an evaluation
    bool is_exact = true;       // whether it is what the search found, not a bound that was enough to set it aside
    std::uint64_t visits = 0;   // simulations that began with it, or nodes spent on it
    int lower = -1, upper = 1;  // the outcome is proven to lie between: 1 win, 0 draw, -1 loss
    int end_in = -1;            // plies to the end under best play, where they are known
    std::vector<Move> line;     // best play for both, this move first; ends before a random event
};

template <class Move>
struct SearchResult {
    std::vector<MoveResult<Move>> moves;            // best first; the first is the one to play
    double value = 0;                               // of the root, for the player to move
    bool proven = false;                            // whether nothing that a longer search finds can change the value
    int depth = 0;                                  // plies searched in full, or those of the deepest line in the tree
    std::uint64_t nodes = 0;                        // positions entered by play()
    std::uint64_t iterations = 0;                   // simulations
    bool memory_full = false;                       // whether the tree stopped growing at the memory limit
    std::uint64_t table_looks = 0, table_hits = 0;  // of searches that count how often their table was asked, and knew
};

// Throws where the game has no such generator of moves.
template <Playable S>
void check_generator(int generator) {
    if (generator < 0 || generator >= static_cast<int>(std::size(S::generators)))
        throw JouteError("there is no move generator " + std::to_string(generator) + ": there are " +
                         std::to_string(std::size(S::generators)) + ", counted from 0");
}

// What every search is to those who use one: it looks at a position until a limit, and reports.
//
// A search may remember what it saw (a tree, a table); `forget` makes it as new. The same seed, the same
// limits other than seconds, and one thread give the same report on every machine.
template <Playable S>
class Search {
public:
    using Move = typename S::Move;
    using SearchResult = joute::SearchResult<Move>;
    // Told now and then what is known so far, on the calling thread.
    using Watch = std::function<void(const SearchResult&)>;

    virtual ~Search() = default;
    // `root` is a state in which a player is to move. `poll` and `watch` may be empty, and may throw.
    virtual SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) = 0;
    // The same in a game that came to the root by `past`. Alpha-beta and MCTS look for repetition; searches that play
    // whole games (NRPA, nested) and those of games in which nothing comes back do not ask.
    virtual SearchResult run_after(Past, const S& root, const Limits& limits, const Poll& poll, const Watch& watch) {
        return run(root, limits, poll, watch);
    }
    virtual void forget() = 0;
};

}  // namespace joute
