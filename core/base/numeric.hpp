#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>

namespace joute {

// Logarithm and exponential that use only IEEE additions, multiplications and divisions, so that they return the same
// bits on every machine. The standard library does not guarantee this, and a difference of one bit can change the move
// of a search. Accurate to a few units in the last place.

// The natural logarithm of a positive, normal number.
constexpr double natural_log(double x) {
    constexpr double ln2 = 0.693147180559945309417;
    constexpr double sqrt_half = 0.707106781186547524401;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<int>(bits >> 52) - 1022;
    double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3fe0000000000000ULL);  // in [0.5, 1)
    if (m < sqrt_half) {
        m *= 2;
        --exponent;
    }
    // log m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| <= 0.172: each term is smaller than the last by a factor
    // of 34.
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    double series = 1.0 / 19;
    for (int k = 17; k >= 1; k -= 2) series = series * z + 1.0 / k;
    return 2 * s * series + exponent * ln2;
}

// e^x; 0 for x < -700, and e^700 for x > 700.
constexpr double exponential(double x) {
    if (x < -700) return 0;
    if (x > 700) x = 700;
    constexpr double log2_e = 1.44269504088896340736;
    constexpr double ln2_high = 0.693145751953125;  // 20 bits, so that k * ln2_high is exact
    constexpr double ln2_low = 1.42860682030941723212e-6;
    const int k = static_cast<int>(x * log2_e + (x < 0 ? -0.5 : 0.5));
    const double r = (x - k * ln2_high) - k * ln2_low;  // |r| <= 0.35
    double series = 1;
    for (int n = 14; n >= 1; --n) series = 1 + series * r / n;
    return series * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

// The smallest number that compares greater than `value`. Skips the subnormal numbers, which some processor modes treat
// as 0.
inline double next_above(double value) {
    if (value >= 0 && value < DBL_MIN) return DBL_MIN;
    if (value < 0 && value >= -DBL_MIN) return 0;
    const auto bits = std::bit_cast<std::int64_t>(value);
    return std::bit_cast<double>(value > 0 ? bits + 1 : bits - 1);
}
inline double next_below(double value) { return -next_above(-value); }

// Exponential in single precision, with a relative error of 1e-6, for the inner loops of a search. Clamps x to [-87,
// 88].
constexpr float exponential_f(float x) {
    if (x < -87.0f) x = -87.0f;
    if (x > 88.0f) x = 88.0f;
    constexpr float log2_e = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    const int k = static_cast<int>(x * log2_e + (x < 0 ? -0.5f : 0.5f));
    const float r = (x - static_cast<float>(k) * ln2_high) - static_cast<float>(k) * ln2_low;
    const float series =
        1 + r * (1 + r * (1.0f / 2 + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
    return series * std::bit_cast<float>(static_cast<std::uint32_t>(k + 127) << 23);
}

}  // namespace joute
