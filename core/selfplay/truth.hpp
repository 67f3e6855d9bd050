#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "../search/search.hpp"

namespace joute {

// Returns the exact outcome of a late position for the first player, if it is found soon enough: a batch waits for its
// slowest game. Each thread of self-play has its own.
template <class S>
using Truth = std::function<std::optional<int>(const S&)>;

// Creates a Truth; empty if the game has no solver.
template <class S>
using MakeTruth = std::function<Truth<S>()>;

// The truths of a solver that gives up after `most_nodes`.
template <class Solver, class Options>
auto truths_by(const Options& options, std::uint64_t most_nodes) {
    using S = typename Solver::State;
    return MakeTruth<S>([options, most_nodes] {
        return Truth<S>([solver = std::make_shared<Solver>(options), most_nodes](const S& state) -> std::optional<int> {
            Limits limits;
            limits.nodes = most_nodes;
            const auto best = solver->run(state, limits, {}, {}).moves[0];
            if (best.lower != best.upper) return std::nullopt;
            return state.to_move() == 0 ? best.lower : -best.lower;
        });
    });
}

}  // namespace joute
