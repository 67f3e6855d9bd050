#pragma once

// The evaluation of Vampires vs Werewolves: a small network over the features of a position.
// core/games/vampires/fit/fit.sh produces its weights.

#include "../../base/numeric.hpp"
#include "features.hpp"

namespace joute {

struct VampiresWeights {
    static constexpr std::size_t hidden = 16, second = 8;

    alignas(64) std::array<std::array<float, hidden>, VampiresFeatures::count> of_feature;
    std::array<float, hidden> bias;
    std::array<std::array<float, second>, hidden> to_second;
    std::array<float, second> second_bias;
    std::array<float, second> to_value;
    float value_bias;
};

// The outputs of a layer, clipped to [0, 1]. Sums over blocks of adjacent units, which the compiler keeps in vectors;
// the order of additions is fixed, so the result is the same on every machine.
template <std::size_t Inputs, std::size_t Units>
std::array<float, Units> vampires_layer(const std::array<float, Inputs>& inputs,
                                        const std::array<std::array<float, Units>, Inputs>& weights,
                                        const std::array<float, Units>& bias) {
    std::array<float, Units> outputs;
    constexpr std::size_t block = 8;
    static_assert(Units % block == 0);
    for (std::size_t begin = 0; begin < Units; begin += block) {
        float sums[block];
        for (std::size_t j = 0; j < block; ++j) sums[j] = bias[begin + j];
        for (std::size_t i = 0; i < Inputs; ++i)
            for (std::size_t j = 0; j < block; ++j) sums[j] += inputs[i] * weights[i][begin + j];
        for (std::size_t j = 0; j < block; ++j) outputs[begin + j] = std::min(std::max(sums[j], 0.0f), 1.0f);
    }
    return outputs;
}

// The expected outcome for the mover: 1 is a win, -1 a loss.
inline double vampires_network_value(const Vampires& state, const VampiresWeights& weights) {
    using W = VampiresWeights;
    VampiresFeatures::List features;
    VampiresFeatures::list(state, features);
    const auto first = vampires_layer(features, weights.of_feature, weights.bias);
    const auto second = vampires_layer(first, weights.to_second, weights.second_bias);
    float logit = weights.value_bias;
    for (std::size_t k = 0; k < W::second; ++k) logit += second[k] * weights.to_value[k];
    return 2.0f / (1.0f + exponential_f(-logit)) - 1.0f;
}

}  // namespace joute
