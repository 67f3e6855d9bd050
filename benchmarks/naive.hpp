#pragma once

#include <cstdint>

// As cheap as a generator can be (xorshift64, Marsaglia 2003), so that it is not what is measured.
struct Generator {
    std::uint64_t state;
    std::uint64_t below(std::uint64_t bound) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (state >> 32) * bound >> 32;
    }
};
