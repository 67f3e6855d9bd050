#pragma once

#include <functional>

namespace joute {

// Knows the outcome of late positions for the first player. Each thread of self-play has one of its own.
template <class S>
using Truth = std::function<int(const S&)>;

// Makes one; empty where nothing knows late outcomes.
template <class S>
using MakeTruth = std::function<Truth<S>()>;

}  // namespace joute
