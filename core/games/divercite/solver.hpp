#pragma once

// Solves late Divercité positions exactly.
//
// The search is alpha-beta with null windows: it asks "does White get at least v?" and narrows the range of scores with
// each answer. These techniques make it fast:
//
//   * Points, and every rung of the tie-break ladder, are sums over cities. So a city is one of 239 states (cities.hpp)
//     with a transition for each arriving resource; a city that can gain no more is settled and dropped, and its points
//     become a number. Positions that agree in all that still matters share a table entry: by points, a city that
//     cannot become a Divercité is only its colour and its free cells; colours that matter to no city are equivalent in
//     the hands, and so are cells beside settled cities. Only one of several equivalent moves is tried.
//   * Points are searched first, ignoring ties, which keeps the number of positions small. Only if equal points may be
//     the best result, a second prover searches points and rungs as one number. The course's program gives White two
//     points for more twos and one for more of anything else, so one of its scores is not a threshold of that number:
//     a third prover handles it.
//   * The final value is bounded from both sides (bounds.hpp): one player's best gains for each free cell, minus the
//     losses that the other inflicts by always filling the cell with the largest loss. Without these losses the search
//     takes 1.8 times the nodes.
//   * Move ordering: by immediate gain, by the gain denied to the opponent, by change in potential; then by history.
//     The first move causes the cut-off in about 19 of 20 cut nodes.
//
// Nodes on the 20 random positions with 14 plies left of `python -m benchmarks divercite-solver` in total: 29.1 million
// with bounds that ignore the opponent's resistance, 16.2 with it, 15.8 with bounds that count the resources of each
// colour, 13.5 with tuned potentials in the move ordering. Tried without gain: looking up all moves in the table before
// one is searched (0.87 of the nodes, the same time), prices for colours in the bounds (0.98 of the nodes, 1.4 times
// the time), assigning the whole value of a Divercité to one of its cells.

#include "../../options.hpp"
#include "../../search/exact_solver.hpp"
#include "divercite.hpp"

namespace joute {

struct DiverciteSolverOptions {
    int memory_mb;      // size of the table
    bool outcome_only;  // stop once win, draw or loss is proven
    int lines;          // number of moves with an exact score

    static constexpr auto fields() {
        using O = DiverciteSolverOptions;
        return std::tuple{
            Option<&O::memory_mb>{"memory_mb"},
            Option<&O::outcome_only>{"outcome_only"},
            Option<&O::lines>{"lines"},
        };
    }
};

// Values are points for the mover: the margin by the rules, or half a point if the handout's ladder decides a game with
// equal points.
struct DiverciteEndings {
    using State = Divercite;
    using Options = DiverciteSolverOptions;
    class Memory;
    class Root;
};
using DiverciteSolver = ExactSolver<DiverciteEndings>;
extern template class ExactSolver<DiverciteEndings>;

}  // namespace joute
