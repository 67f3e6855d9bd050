#pragma once

// The arrays that carry positions to the network and its outputs back.

#include <span>
#include <vector>

#include "../../base/half.hpp"
#include "../../input_frame.hpp"
#include "../search.hpp"

namespace joute {

// One row per position. `legal`, of shape (positions, width, parts), holds the policy indices of the moves in order, -1
// for none. `priors`, of shape (positions, width), holds the probabilities of the same moves. `values` holds the values
// for the player to move, in [-1, 1].
struct BatchArrays {
    std::uint8_t* planes = nullptr;
    std::int16_t* legal = nullptr;
    const Half* priors = nullptr;
    const Half* values = nullptr;
};

// Writes positions of one frame into these arrays, transformed by symmetry g (0: the identity).
template <NetworkGame S>
class PositionWriter {
public:
    static constexpr int width = InputFrame<S>::most_moves;
    static constexpr int parts = policy_parts<S>;

    explicit PositionWriter(const InputFrame<S>& frame) : frame_(frame), input_(frame.shape().size()) {
        for (int g = 0; g < frame.symmetries(); ++g) {
            Map map;
            for (int i = 0; i < input_; ++i) map.input.push_back(frame.map_input(i, g));
            for (int i = 0; i < frame.policy_size(); ++i)
                map.policy.push_back(static_cast<std::int16_t>(frame.map_policy(i, g)));
            maps_.push_back(std::move(map));
        }
    }

    const InputFrame<S>& frame() const { return frame_; }
    int input_size() const { return input_; }
    int symmetries() const { return static_cast<int>(maps_.size()); }

    void write_planes(const S& state, int g, std::uint8_t* planes) const {
        if (g == 0) {
            frame_.encode(state, {planes, static_cast<std::size_t>(input_)});
            return;
        }
        thread_local std::vector<std::uint8_t> plain;
        plain.resize(static_cast<std::size_t>(input_));
        frame_.encode(state, plain);
        const auto& map = maps_[static_cast<std::size_t>(g)].input;
        for (std::size_t i = 0; i < plain.size(); ++i) planes[map[i]] = plain[i];
    }

    // Writes the policy indices of `count` moves and fills the rest of the row with -1. `move(i)` is the i-th move.
    template <class MoveAt>
    void write_legal(const S& state, std::size_t count, const MoveAt& move, int g, std::int16_t* legal) const {
        const auto& map = maps_[static_cast<std::size_t>(g)].policy;
        PolicyIndices indices;
        for (std::size_t i = 0; i < count; ++i) {
            indices.clear();
            frame_.policy_indices(state, move(i), indices);
            for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part)
                *legal++ = part < indices.size() ? map[indices[part]] : std::int16_t{-1};
        }
        std::fill_n(legal, (static_cast<std::size_t>(width) - count) * parts, std::int16_t{-1});
    }

private:
    struct Map {
        std::vector<int> input;
        std::vector<std::int16_t> policy;
    };
    InputFrame<S> frame_;
    int input_;
    std::vector<Map> maps_;
};

}  // namespace joute
