#pragma once

// Avalam solved exactly from a late position on.
//
// The search is alpha-beta with null windows: it asks "is there a move worth at least v?" and narrows the range of
// scores with each answer. What makes it fast:
//
//   * Only towers that can still merge are searched (live.hpp). Frozen ones are a number, so positions that
//     differ in them, or by where on the board an island lies, share an entry of the table.
//   * The board falls into islands that no move connects. Their worths do not add up, since players must move and
//     alternate over all of them. But what an island of up to six towers is worth *in any company* has a simplest form,
//     and most islands share theirs with many (islands.hpp). A position is its large islands and a few such games;
//     of a game only moves are tried that no other one of it is better than; two games that cancel are gone. Where one
//     game is left, its worth is known without search. Without games the search below takes 16 times the nodes.
//   * Forms of sums cost time too: only games that last four moves at most together are added up.
//   * Towers decide, and fives where these are level: towers come first, one margin after another, and are searched
//     without a thought of fives, which keeps forms few. Only if level towers are best, the second prover takes a
//     tower for 32 and a five for 1. Values are then lexical and still add up, so its table needs no offsets either.
//   * Moves that take a tower come first, those that leave own towers safe before others, then what refuted much
//     elsewhere. In large positions the table is asked about all moves before one is searched ("enhanced
//     transposition cut-offs", Plaat 1996): 0.84 of the nodes.
//
// Nodes of 20 random positions of ply 22 together: 292 million with null windows, table and history alone; 41.9 million
// with keys by island; 2.7 million with games. Tried without gain: larger islands (their forms cost more than they
// save), and asking about towers alone at each node of the search for fives.
//
// Nodes are positions entered: those of the search, and those below the islands whose games are worked out.

#include "../../options.hpp"
#include "../../search/exact_solver.hpp"
#include "avalam.hpp"

namespace joute {

struct AvalamSolverOptions {
    int memory_mb;      // half for the table, half for the games of islands
    bool outcome_only;  // stop once win, draw or loss is proven
    int lines;          // how many moves get an exact score
    double tower;       // what a tower of the margin counts in values; a five counts a sixteenth of that

    static constexpr auto fields() {
        using O = AvalamSolverOptions;
        return std::tuple{
            Option<&O::memory_mb>{"memory_mb"},
            Option<&O::outcome_only>{"outcome_only"},
            Option<&O::lines>{"lines"},
            Option<&O::tower>{"tower"},
        };
    }
};

// Values are scores for the mover: 16 for each tower of the margin or, where towers are level, the fives.
struct AvalamEndings {
    using State = Avalam;
    using Options = AvalamSolverOptions;
    class Memory;
    class Root;
};
using AvalamSolver = ExactSolver<AvalamEndings>;
extern template class ExactSolver<AvalamEndings>;

}  // namespace joute
