#pragma once

#include <functional>

namespace joute {

// Returns the exact outcome of a late position for the first player. Each thread of self-play has its own.
template <class S>
using Truth = std::function<int(const S&)>;

// Creates a Truth; empty if the game has no solver.
template <class S>
using MakeTruth = std::function<Truth<S>()>;

}  // namespace joute
