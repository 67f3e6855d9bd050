#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>

#include "../base/huge_array.hpp"

namespace joute {

// A hash table of the proofs of a solver. It starts small and grows, so that an easy position touches little memory. In
// a full bucket a new entry replaces the one that took the least work. An entry has 16 bytes, including its nonzero
// `key` and its `size`, a measure of the work.
template <class Entry>
class ProofTable {
public:
    explicit ProofTable(std::size_t most_bytes) {
        while (sizeof(Bucket) << (most_bits_ + 1) <= most_bytes) ++most_bits_;
        bits_ = std::min(first_bits, most_bits_);
        buckets_ = HugeArray<Bucket>(std::size_t{1} << bits_);
    }
    const Entry* find(std::uint64_t key) const {
        for (const Entry& entry : bucket(key))
            if (entry.key == key) return &entry;
        return nullptr;
    }
    void store(const Entry& entry) {
        Entry* place = nullptr;
        for (Entry& old : bucket(entry.key)) {
            if (old.key == entry.key) {
                old = entry;
                return;
            }
            if (!place || old.size < place->size) place = &old;
        }
        if (place->key == 0 && ++used_ > 2 * buckets_.size() && bits_ < most_bits_) {
            grow();
            store(entry);
        } else {
            *place = entry;
        }
    }

private:
    using Bucket = std::array<Entry, 4>;  // a cache line
    static constexpr int first_bits = 10;

    Bucket& bucket(std::uint64_t key) const { return buckets_[key >> (64 - bits_)]; }
    // If memory for a larger table is missing, the table keeps its size.
    void grow() {
        HugeArray<Bucket> old;
        try {
            old = HugeArray<Bucket>(std::size_t{1} << std::min(bits_ + 2, most_bits_));
        } catch (const std::bad_alloc&) {
            most_bits_ = bits_;
            return;
        }
        std::swap(old, buckets_);
        bits_ = std::min(bits_ + 2, most_bits_);
        used_ = 0;
        for (std::size_t i = 0; i < old.size(); ++i)
            for (const Entry& entry : old[i])
                if (entry.key) store(entry);
    }

    HugeArray<Bucket> buckets_;
    int bits_ = 0, most_bits_ = 1;
    std::size_t used_ = 0;
};

}  // namespace joute
