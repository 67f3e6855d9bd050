#pragma once

// Solves late Avalam positions exactly.
//
// The search is alpha-beta with null windows: it asks "is there a move worth at least v?" and narrows the range of
// scores with each answer. These techniques make it fast:
//
//   * It searches only towers that can still merge (live.hpp). Frozen towers are a number, so positions that differ
//   only
//     in them, or in where an island lies on the board, share a table entry.
//   * The board splits into islands that no move connects. Their values do not add up, because players must move and
//     alternate over all of them. But the value of an island of up to six towers *in any context* has a simplest form,
//     and most islands share theirs with many others (islands.hpp). A position consists of its large islands and a few
//     such games. Dominated moves in games are not tried, games that cancel are removed, and the value of a single
//     remaining game is known without search. Without games the search takes 16 times the nodes.
//   * Computing the forms of sums takes time too: games are summed only up to a total depth of four moves.
//   * The number of towers decides, fives break ties. So the margin in towers is searched first, one value after
//   another,
//     ignoring fives, which keeps the number of forms small. Only if equal towers are the best result does a second
//     prover search with 32 for a tower and 1 for a five. These values are lexicographic and still add up, so its table
//     needs no offsets either.
//   * Move ordering: moves that take a tower first, then moves that make own towers safe, then the history heuristic.
//     In large positions all moves are looked up in the table before one is searched ("enhanced transposition
//     cut-offs", Plaat 1996): 0.84 of the nodes.
//
// Nodes on 20 random positions of ply 22 in total: 292 million with null windows, table and history alone; 41.9 million
// with keys by island; 2.7 million with games. Tried without gain: larger islands (their forms cost more than they
// save), and a search for towers alone at each node of the search for fives.
//
// Nodes count positions entered: those of the search, and those of the islands whose games are computed.

#include "../../options.hpp"
#include "../../search/exact_solver.hpp"
#include "avalam.hpp"

namespace joute {

struct AvalamSolverOptions {
    int memory_mb;      // half for the table, half for the games of islands
    bool outcome_only;  // stop once win, draw or loss is proven
    int lines;          // number of moves with an exact score
    double tower;       // value of a tower of the margin; a five counts a sixteenth of it

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

// Values are scores for the mover: 16 for each tower of the margin; if it is 0, the difference in fives.
struct AvalamEndings {
    using State = Avalam;
    using Options = AvalamSolverOptions;
    class Memory;
    class Root;
};
using AvalamSolver = ExactSolver<AvalamEndings>;
extern template class ExactSolver<AvalamEndings>;

}  // namespace joute
