#pragma once

// Langorou, the alpha-beta player of the paper on Vampires vs Werewolves (CentraleSupélec, 2019/2020).
//
// Minimax from the view of the root side with alpha-beta, iterative deepening, and a table that stores the best turn of
// each position, which the next iteration tries first. The paper tried to store values too and gave it up, because the
// heuristic depends on the path (the cumulative score); table=values has this cache. The search plays the best turn of
// the last completed depth. The value of a turn with random battles is the mean over their outcomes.
//
// In the paper, outcomes are searched in the window of their turn. That is an error: a returned value may be a bound
// outside the window, and a mean of such bounds is not a bound. LangorouOptions has a switch for this error and for all
// other known ones. With all of them corrected, the value of the root is that of plain expectimax.
//
// Undefined behaviour of the paper's program is defined here: its groups come in the random order of a hash map, here
// row by row; and it recycles turns that are still in use, so that it may send a turn it did not choose, or an illegal
// one.

#include <memory>

#include "../../../search/search.hpp"
#include "../vampires.hpp"
#include "options.hpp"

namespace joute {

class Langorou : public Search<Vampires> {
public:
    explicit Langorou(const LangorouOptions& options);
    ~Langorou() override;

    // Always returns a turn: depth 1 respects only the time limit, and if that is too short, the result is the best
    // turn seen so far, at depth 0.
    SearchResult run(const Vampires& root, const Limits& limits, const Poll& poll, const Watch& watch) override;
    // Nothing is kept between searches.
    void forget() override {}

private:
    // Cached battles and gains, which depend on the rules; rebuilt when they change.
    struct Knowledge;

    LangorouOptions options_;
    std::unique_ptr<Knowledge> knowledge_;
};

}  // namespace joute
