#pragma once

// 16-bit floating-point numbers (IEEE binary16), the output format of GPUs.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "numeric.hpp"

namespace joute {

using Half = std::uint16_t;

constexpr float float_of(Half half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
    const std::uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    if (exponent == 0) {
        const float tiny = static_cast<float>(fraction) * 0x1.0p-24f;
        return sign ? -tiny : tiny;
    }
    const std::uint32_t widened = exponent == 0x1f ? 0xffu : exponent + 112;
    return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

// A Half in [0, 1] as a float; 0 for any other value, including NaN.
constexpr float probability_of(Half half) {
    constexpr Half one = 0x3c00;
    return half <= one ? float_of(half) : 0.0f;
}

// The logarithm of a probability, by table lookup. A probability of 0 counts as the smallest positive Half.
inline float log_of(Half probability) {
    static const std::vector<float> logs = [] {
        std::vector<float> table(0x8000);
        for (std::size_t i = 0; i < table.size(); ++i) {
            const auto half = static_cast<Half>(i == 0 ? 1 : i < 0x7c00 ? i : 0x3c00);
            table[i] = static_cast<float>(natural_log(static_cast<double>(float_of(half))));
        }
        return table;
    }();
    return logs[probability & 0x7fff];
}

// The logarithm of a probability in single precision; that of `log_of` if a Half represents it.
inline float log_of_prior(float probability) {
    const auto bits = std::bit_cast<std::uint32_t>(probability);
    constexpr std::uint32_t smallest_normal = 113u << 23, one = 127u << 23;
    if ((bits & 0x1fff) == 0 && bits >= smallest_normal && bits <= one)
        return log_of(static_cast<Half>((bits - (112u << 23)) >> 13));
    return static_cast<float>(natural_log(std::max(static_cast<double>(probability), 0x1.0p-24)));
}

}  // namespace joute
