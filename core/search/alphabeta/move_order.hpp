#pragma once

// Move ordering: ranked moves, and the history heuristic.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "../../game.hpp"

namespace joute {

struct RankedMove {
    double score;           // highest first
    std::uint32_t history;  // orders equal scores, highest first; the count, or hinted_history() of it
    std::uint32_t index;    // in generated order; orders equal histories
    std::uint32_t code;

    bool operator<(const RankedMove& other) const {
        if (score != other.score) return score > other.score;
        if (history != other.history) return history > other.history;
        return index < other.index;
    }
};

// The i-th move by rank, given that the moves before it were picked already. One of the first moves refutes most
// positions, so the first three are selected one by one, and the rest is sorted only if needed.
inline const RankedMove& pick(std::vector<RankedMove>& moves, std::size_t i) {
    constexpr std::size_t picked_singly = 3;
    const auto begin = moves.begin() + static_cast<std::ptrdiff_t>(i);
    if (i < picked_singly)
        std::iter_swap(begin, std::min_element(begin, moves.end()));
    else if (i == picked_singly)
        std::sort(begin, moves.end());
    return *begin;
}

// A history count and the game's hint in one number. Counts grow with the search and hints do not, so the count enters
// by its logarithm: a hint of 1 is worth as much as `doublings` doublings of the count. Cutoffs counted below 8 hardly
// matter. The logarithm is in eighths, linear between powers of two, from the bits of the number.
inline std::uint32_t hinted_history(std::uint32_t count, std::uint8_t hint, double doublings) {
    constexpr int eighths = 3, mantissa = 23;
    const std::uint32_t log = std::bit_cast<std::uint32_t>(static_cast<float>(count + 8)) >> (mantissa - eighths);
    return log + static_cast<std::uint32_t>(hint * doublings * (1 << eighths));
}

// The history heuristic (Schaeffer 1983): counts the cutoffs of each move, anywhere in the tree. A cutoff counts by the
// square of the node's remaining depth, because the subtree that it saves grows with the depth. Beyond the horizon,
// where the depth is 0 or negative, it counts as at depth 1.
template <Playable S>
class MoveHistory {
public:
    MoveHistory() {
        for (auto& counts : counts_) counts.assign(code_slots<S>, 0);
    }
    std::uint32_t of(Player player, std::uint32_t code) const { return counts_[at(player)][code_slot<S>(code)]; }
    void add(Player player, std::uint32_t code, int depth) {
        auto& counts = counts_[at(player)];
        std::uint32_t& count = counts[code_slot<S>(code)];
        const int remaining = std::max(depth, 1);
        count += static_cast<std::uint32_t>(remaining * remaining);
        if (count > most)
            for (auto& other : counts) other /= 2;
    }

private:
    static constexpr std::uint32_t most = 1u << 24;
    static std::size_t at(Player player) { return static_cast<std::size_t>(player); }

    std::array<std::vector<std::uint32_t>, 2> counts_;
};

}  // namespace joute
