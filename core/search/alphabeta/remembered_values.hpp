#pragma once

// The evaluations of a search, by the keys of the positions. Leaves are reached by several orders of moves, but the
// transposition table does not hold them.

#include <cstdint>
#include <vector>

namespace joute {

class RememberedValues {
public:
    // An entry is overwritten by the next position with the same low bits of the key.
    explicit RememberedValues(bool is_used) {
        if (!is_used) return;
        entries_.reserve(size);
        // No position with other low bits is looked up at an entry, so this key never matches.
        for (std::uint64_t i = 0; i < size; ++i) entries_.push_back({~i, 0});
    }
    bool is_used() const { return !entries_.empty(); }

    // The value of the position, which `evaluate` computes if it is not remembered.
    template <class Evaluate>
    double of(std::uint64_t key, const Evaluate& evaluate) {
        Entry& entry = entries_[key % size];
        if (entry.key != key) entry = {key, evaluate()};
        return entry.value;
    }

private:
    struct Entry {
        std::uint64_t key;
        double value;
    };
    // 256 kB, which fit into the second cache. With four times as many, Vampires found 30 to 40% of its values.
    static constexpr std::uint64_t size = 1 << 14;

    std::vector<Entry> entries_;
};

}  // namespace joute
