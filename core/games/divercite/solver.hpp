#pragma once

// Divercité solved exactly from a late position on.
//
// The search is alpha-beta with null windows: it asks "does White get at least v?" and narrows the range of scores with
// each answer. What makes it fast:
//
//   * Points, and every rung of the ladder that breaks ties, are sums over cities. So a city is one of 239 things
//     (cities.hpp), with what each arriving resource makes of it; one that can gain no more is settled and
//     forgotten, and its points are a number. Positions that agree in what still matters share an entry of the table:
//     in points, a city that can be no Divercité is its colour and its free cells; colours that no city cares for are
//     alike in the hands, and so are cells beside settled cities. Of alike moves, one is tried.
//   * Points are asked about first, without a thought of ties, which keeps positions few. Only where level points may
//     be best, a second prover takes points and rungs for one number. The course's program gives White two points for
//     more twos and one for more of anything else, so one of its scores is no threshold of that number: a third prover.
//   * What a position can come to is bounded from both sides (bounds.hpp): one player's hopes for each free
//     cell, less what the other takes away by always filling the cell where that hurts most. Without that resistance
//     the search takes 1.8 times the nodes.
//   * Moves come in the order of what they gain, what they deny, and what they do to hopes; then by what refuted much
//     elsewhere. The first move refutes in about 19 of 20 positions that are refuted.
//
// Nodes of the 20 random positions with 14 plies left of `python -m benchmarks divercite-solver` together: 29.1 million
// with bounds that know no resistance, 16.2 with, 15.8 with those that count the resources of a colour, 13.5 with hopes
// in the order of moves set well. Tried without gain: asking the table about all moves before one is searched (0.87 of
// the nodes, as much time), prices for colours in the bounds (0.98 of the nodes, 1.4 times the time), ascribing all
// that a Divercité brings to one of its cells.

#include "../../options.hpp"
#include "../../search/exact_solver.hpp"
#include "divercite.hpp"

namespace joute {

struct DiverciteSolverOptions {
    int memory_mb;      // of the table
    bool outcome_only;  // stop once win, draw or loss is proven
    int lines;          // how many moves get an exact score

    static constexpr auto fields() {
        using O = DiverciteSolverOptions;
        return std::tuple{
            Option<&O::memory_mb>{"memory_mb"},
            Option<&O::outcome_only>{"outcome_only"},
            Option<&O::lines>{"lines"},
        };
    }
};

// Values are points for the mover: the margin as the rules count it, or half a point where the handout's ladder decides
// a level game.
struct DiverciteEndings {
    using State = Divercite;
    using Options = DiverciteSolverOptions;
    class Memory;
    class Root;
};
using DiverciteSolver = ExactSolver<DiverciteEndings>;
extern template class ExactSolver<DiverciteEndings>;

}  // namespace joute
