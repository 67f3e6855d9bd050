#pragma once

// Langorou, the alpha-beta player of the report on Vampires vs Werewolves (CentraleSupélec, 2019/2020).
//
// Minimax for the side at the root with alpha-beta, iterative deepening, and a table that remembers the best turn of
// each position, which the next iteration tries first; values are not kept, because the heuristic counts how the line
// of play got there (the cumulative score). The turn of the last depth that was finished is played. A turn may lead to
// battles that are left to chance; its value is the mean over their outcomes.
//
// As the report has it, outcomes are searched in the window of their turn. That is an error: what comes back may be a
// bound on the far side of the window, and a mean of bounds bounds nothing. LangorouOptions says, for this and for all
// other errors that are known, whether a search has them. With all of them mended, the value of the root is that of
// plain expectimax.
//
// What of the report's program is undefined, here is not: its groups come in the random order of a hash map, here row
// by row; and it recycles turns that are still in use, so that it may send another one than it chose, or an illegal
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

    // There is a turn to play whatever the limits are: depth 1 keeps to none but time, and where that is too short,
    // the best turn that it has seen is reported, at depth 0.
    SearchResult run(const Vampires& root, const Limits& limits, const Poll& poll, const Watch& watch) override;
    // Nothing is kept from one search to the next.
    void forget() override {}

private:
    // What is known of battles, which depends on the rules; made anew where they change.
    struct Knowledge;

    LangorouOptions options_;
    std::unique_ptr<Knowledge> knowledge_;
};

}  // namespace joute
