#pragma once

// Divercité solved exactly from a late position on.

#include <memory>

#include "../games/divercite.hpp"
#include "search.hpp"

namespace joute {

struct DiverciteSolverOptions {
    int memory_mb = 256;        // of the table
    bool outcome_only = false;  // stop once win, draw or loss is proven
    int lines = 1;              // how many moves get an exact score
};

// Values are points for the mover: the margin as the rules count it, or half a point where the handout's ladder decides
// a level game.
//
// `proven` says that the value is exact; with `outcome_only`, that the outcome is. Where a limit ends the search first,
// the value of a move is the middle of what it is proven to lie between, and the best of these comes first.
class DiverciteSolver : public Search<Divercite> {
public:
    explicit DiverciteSolver(const DiverciteSolverOptions& options);
    ~DiverciteSolver() override;

    Report run(const Divercite& root, const Limits& limits, const Poll& poll, const Watch& watch) override;
    void forget() override;

private:
    class Memory;
    class Questions;

    DiverciteSolverOptions options_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace joute
