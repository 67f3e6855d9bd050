#pragma once

// Avalam solved exactly from a late position on.

#include <memory>

#include "../games/avalam.hpp"
#include "search.hpp"

namespace joute {

struct AvalamSolverOptions {
    int memory_mb = 256;        // of the table
    bool outcome_only = false;  // stop once win, draw or loss is proven
    int lines = 1;              // how many moves get an exact score
    double tower = 16;          // what a tower of the margin counts in values; a five counts a sixteenth of that
};

// Values are scores for the mover: 16 for each tower of the margin or, where towers are level, the fives.
//
// `proven` says that the score is exact; with `outcome_only`, that the outcome is. Where a limit ends the search
// first, the value of a move is the middle of what its score is proven to lie between, and the best of these
// comes first.
class AvalamSolver : public Search<Avalam> {
public:
    explicit AvalamSolver(const AvalamSolverOptions& options);
    ~AvalamSolver() override;

    Report run(const Avalam& root, const Limits& limits, const Poll& poll, const Watch& watch) override;
    void forget() override;

private:
    class Memory;
    class Questions;

    AvalamSolverOptions options_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace joute
