#pragma once

// The network's answers by its inputs, as far as memory allows: when it is full, all are forgotten.
//
// The key is a hash of the whole input, so an answer is never that to another ply count or another player's view.

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "../../base/random.hpp"

namespace joute {

class NetworkAnswers {
public:
    explicit NetworkAnswers(std::size_t bytes) : most_bytes_(bytes) {}

    bool is_on() const { return most_bytes_ > 0; }
    static std::uint64_t key(std::span<const std::uint8_t> planes, std::span<const std::int16_t> legal) {
        return hash(mix64(planes.size()), std::as_bytes(planes)) ^ hash(mix64(~legal.size()), std::as_bytes(legal));
    }
    bool knows(std::uint64_t key) const { return known_.contains(key); }
    // Remembers an answer.
    void add(std::uint64_t key, std::span<const float> priors, float value) {
        known_[key] = {static_cast<std::uint32_t>(priors_.size()), static_cast<std::uint32_t>(priors.size()), value};
        priors_.insert(priors_.end(), priors.begin(), priors.end());
    }
    // Copies the priors of a known answer and returns its value.
    float find(std::uint64_t key, std::span<float> priors) const {
        const Answer& answer = known_.at(key);
        std::copy_n(priors_.begin() + answer.first, answer.moves, priors.begin());
        return answer.value;
    }
    // Forgets everything if the memory is full.
    void make_room() {
        if (known_.size() * bytes_of_entry + priors_.size() * sizeof(float) > most_bytes_) clear();
    }
    void clear() {
        known_.clear();
        priors_.clear();
    }

private:
    struct Answer {
        std::uint32_t first, moves;
        float value;
    };
    static constexpr std::size_t bytes_of_entry = 64;  // of the map

    static std::uint64_t hash(std::uint64_t state, std::span<const std::byte> bytes) {
        std::size_t i = 0;
        for (; i + 8 <= bytes.size(); i += 8) {
            std::uint64_t word;
            std::memcpy(&word, bytes.data() + i, 8);
            state = (std::rotl(state, 27) ^ word) * 0x9e3779b97f4a7c15;
        }
        for (; i < bytes.size(); ++i)
            state = (std::rotl(state, 27) ^ static_cast<std::uint64_t>(bytes[i])) * 0x9e3779b97f4a7c15;
        return mix64(state);
    }

    std::size_t most_bytes_;
    std::unordered_map<std::uint64_t, Answer> known_;
    std::vector<float> priors_;
};

}  // namespace joute
