#pragma once

// The evaluation of Vampires vs Werewolves: a small network over the features of a position.
// core/games/vampires/fit/fit.sh produces its weights.

#include <cstring>

#include "../../base/numeric.hpp"
#include "features.hpp"

namespace joute {

struct VampiresWeights {
    static constexpr std::size_t hidden = 32, second = 16;

    alignas(64) std::array<std::array<float, hidden>, VampiresFeatures::count> of_feature;
    std::array<float, hidden> bias;
    std::array<std::array<float, second>, hidden> to_second;
    std::array<float, second> second_bias;
    std::array<float, second> to_value;
    float value_bias;
};

// Four units of a layer. Written out, because compilers find a slow order of the loops by themselves.
using VampiresLanes [[gnu::vector_size(16)]] = float;

// The outputs of a layer, clipped to [0, 1]. Each sum adds its inputs in order, so the result is the same on every
// machine.
template <std::size_t Inputs, std::size_t Units>
std::array<float, Units> vampires_layer(const std::array<float, Inputs>& inputs,
                                        const std::array<std::array<float, Units>, Inputs>& weights,
                                        const std::array<float, Units>& bias) {
    constexpr std::size_t lanes = sizeof(VampiresLanes) / sizeof(float);
    static_assert(Units % lanes == 0);
    VampiresLanes sums[Units / lanes];
    std::memcpy(sums, bias.data(), sizeof sums);
    for (std::size_t i = 0; i < Inputs; ++i) {
        VampiresLanes row[Units / lanes];
        std::memcpy(row, weights[i].data(), sizeof row);
        for (std::size_t j = 0; j < Units / lanes; ++j) sums[j] += inputs[i] * row[j];
    }
    std::array<float, Units> outputs;
    std::memcpy(outputs.data(), sums, sizeof outputs);
    for (float& output : outputs) output = std::min(std::max(output, 0.0f), 1.0f);
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
