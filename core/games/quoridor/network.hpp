#pragma once

// Quoridor's evaluation: a small network over the features of a position, in integer arithmetic, so that every machine
// computes the same value. core/games/quoridor/fit/fit.sh produces its weights.

#include <array>

#include "features.hpp"

namespace joute {

struct QuoridorWeights {
    static constexpr int first = 32, second = 16;
    // Weights and activations are in 256ths; activations are clipped to [0, 1]. Sums must fit in 16 bits: with the
    // shipped weights they stay below 3,000 in every position.
    static constexpr int one = 256;

    alignas(64) std::array<std::array<std::int16_t, first>, QuoridorFeatures::count> of_feature;
    std::array<std::int16_t, first> first_bias;
    std::array<std::array<std::int16_t, first>, second> to_second;
    std::array<std::int32_t, second> second_bias;  // in units of 1/256²
    std::array<std::int16_t, second> to_value;
    std::int32_t value_bias;  // in units of 1/256²
};

// The logit of the mover's probability to win.
inline double quoridor_network_value(const Quoridor& state, const QuoridorWeights& weights) {
    using W = QuoridorWeights;
    QuoridorFeatures::List features;
    QuoridorFeatures::list(state, features);
    alignas(64) std::int16_t active[W::first];
    // A block at a time, which the compiler keeps in registers.
    constexpr std::size_t block = 16;
    for (std::size_t begin = 0; begin < W::first; begin += block) {
        std::int16_t sums[block];
        for (std::size_t i = 0; i < block; ++i) sums[i] = weights.first_bias[begin + i];
        for (const std::int16_t feature : features) {
            const std::int16_t* row = weights.of_feature[static_cast<std::size_t>(feature)].data() + begin;
            for (std::size_t i = 0; i < block; ++i) sums[i] = static_cast<std::int16_t>(sums[i] + row[i]);
        }
        for (std::size_t i = 0; i < block; ++i)
            active[begin + i] = std::min<std::int16_t>(std::max<std::int16_t>(sums[i], 0), W::one);
    }
    std::int32_t value = weights.value_bias;
    for (std::size_t j = 0; j < W::second; ++j) {
        std::int32_t sum = weights.second_bias[j];
        const std::int16_t* row = weights.to_second[j].data();
        for (std::size_t i = 0; i < W::first; ++i) sum += std::int32_t{active[i]} * std::int32_t{row[i]};
        value += std::min(std::max(sum / W::one, 0), W::one) * weights.to_value[j];
    }
    return value / static_cast<double>(W::one * W::one);
}

}  // namespace joute
