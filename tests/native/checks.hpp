#pragma once

// Helpers shared by the sanitizer checks of searches.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/random.hpp"

namespace joute {

inline void check(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s does not hold\n", what.c_str());
    std::exit(1);
}

// A random value among the first `count` of an enumeration.
template <class Enum>
Enum any_of(Random& random, std::uint32_t count) {
    return static_cast<Enum>(random.below(count));
}

}  // namespace joute
