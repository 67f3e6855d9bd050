#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "../base/growing_array.hpp"

namespace joute {

// A hash table of the proofs of a solver. It starts small and grows in small steps, so that an easy position touches
// little memory and no store takes long. In a full bucket a new entry replaces the one that took the least work. An
// entry has 16 bytes, including its nonzero `key` and its `size`, a measure of the work.
template <class Entry>
class ProofTable {
public:
    explicit ProofTable(std::size_t most_bytes) : buckets_(first_buckets, most_bytes / sizeof(Bucket)) {}

    // The entry of a key; null if there is none. Valid until the next store.
    const Entry* find(std::uint64_t key) const {
        for (const Entry& entry : buckets_[key])
            if (entry.key == key) return &entry;
        return nullptr;
    }
    void store(const Entry& entry) {
        Entry& place = place_of(entry.key);
        const bool is_new = place.key == 0;
        place = entry;
        if (!is_new) return;
        ++used_;
        buckets_.grow(used_ / 2, [this](Bucket& bucket) {
            for (Entry& old : bucket) {
                const Entry moved = std::exchange(old, Entry{});
                if (moved.key) place_of(moved.key) = moved;
            }
        });
    }

private:
    using Bucket = std::array<Entry, 4>;  // a cache line
    static constexpr std::size_t first_buckets = 1024;

    // The place of a key's entry: its old entry, or the one that took the least work; free places have size 0.
    Entry& place_of(std::uint64_t key) {
        Bucket& bucket = buckets_[key];
        Entry* place = &bucket[0];
        for (Entry& old : bucket) {
            if (old.key == key) return old;
            if (old.size < place->size) place = &old;
        }
        return *place;
    }

    GrowingArray<Bucket> buckets_;
    std::size_t used_ = 0;
};

}  // namespace joute
