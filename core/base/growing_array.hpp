#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "huge_array.hpp"

namespace joute {

// The buckets of a hash table that starts small and grows in small steps. The address space of the largest size is
// mapped at once, and the system allocates pages when they are first touched, so a small table uses little memory.
//
// A bucket's index is hash * size / 2^64, which rises with the hash. To grow, the array quadruples its size, and the
// entries of the old buckets move to their new ones, from the last to the first, a few with each step (linear hashing,
// Litwin 1980). Between steps every hash has exactly one bucket: a hash below the frontier has its old bucket, any
// other its new one. An entry moves up or stays, so no entry is overwritten before it moves. Pages of the larger array
// are touched in order too. To move everything at once takes up to 0.2 s, longer than a turn of some games.
//
// Threads may look up buckets while one of them grows the array; they may miss or lose an entry meanwhile.
template <class Bucket>
class GrowingArray {
public:
    // If the system refuses the address space of `most_size` buckets, the largest size is smaller.
    GrowingArray(std::size_t first_size, std::size_t most_size)
        : buckets_(mapped(first_size, most_size)), first_size_(std::min(first_size, buckets_.size())) {
        size_.store(first_size_, relaxed);
    }

    Bucket& operator[](std::uint64_t hash) const {
        const std::size_t size = hash < frontier_.load(relaxed) ? old_size_.load(relaxed) : size_.load(relaxed);
        return buckets_[static_cast<std::size_t>(static_cast<Wide>(hash) * size >> 64)];
    }

    // The number of buckets, including those that entries are still moving to.
    std::size_t size() const { return size_.load(relaxed); }

    // One step of growth, to be called with every entry stored; does nothing once there are `wanted` buckets, or as
    // many as possible, and all entries have moved. Calls move(bucket) for at most `buckets_a_step` buckets; it takes
    // every entry out of the bucket and puts it into the bucket of its hash. Returns whether further steps are needed.
    template <class Move>
    bool grow(std::size_t wanted, const Move& move) {
        if (!needs_step(wanted)) [[likely]]
            return false;
        if (is_moving_.test_and_set(std::memory_order_acquire)) return true;  // another thread moves entries
        if (needs_step(wanted)) move_some(move);
        is_moving_.clear(std::memory_order_release);
        return needs_step(wanted);
    }

    // Empties the array, with a fresh mapping, which is zero without being touched. Not thread-safe.
    void clear() {
        const std::size_t most_size = buckets_.size();
        buckets_ = HugeArray<Bucket>();  // first, because there may be no room for two
        buckets_ = mapped(first_size_, most_size);
        size_.store(first_size_, relaxed);
        frontier_.store(0, relaxed);
        unmoved_ = 0;
    }

    // The most buckets that one call of grow() moves.
    static constexpr std::size_t buckets_a_step = 8;

private:
    __extension__ using Wide = unsigned __int128;
    static constexpr auto relaxed = std::memory_order_relaxed;

    static HugeArray<Bucket> mapped(std::size_t first_size, std::size_t most_size) {
        for (;; most_size /= 2) {
            try {
                return HugeArray<Bucket>(most_size);
            } catch (const std::bad_alloc&) {
                if (most_size <= first_size) throw;
            }
        }
    }

    bool needs_step(std::size_t wanted) const {
        return frontier_.load(relaxed) != 0 || size() < std::min(wanted, buckets_.size());
    }

    template <class Move>
    void move_some(const Move& move) {
        if (unmoved_ == 0) {
            unmoved_ = size();
            old_size_.store(unmoved_, relaxed);
        }
        const std::size_t last = unmoved_;
        unmoved_ -= std::min(last, buckets_a_step);
        frontier_.store(lowest_hash(unmoved_), relaxed);
        size_.store(std::min(buckets_.size(), 4 * old_size_.load(relaxed)), relaxed);
        for (std::size_t i = last; i-- > unmoved_;) move(buckets_[i]);
    }

    // The lowest hash whose old bucket is `index` or a later one.
    std::uint64_t lowest_hash(std::size_t index) const {
        const std::size_t size = old_size_.load(relaxed);
        return static_cast<std::uint64_t>(((static_cast<Wide>(index) << 64) + size - 1) / size);
    }

    HugeArray<Bucket> buckets_;
    std::size_t first_size_;
    std::atomic<std::size_t> size_ = 0;
    std::atomic<std::uint64_t> frontier_ = 0;  // 0 if no entries have to move
    std::atomic<std::size_t> old_size_ = 0;    // the size before it was quadrupled
    std::size_t unmoved_ = 0;                  // old buckets whose entries have not moved yet
    std::atomic_flag is_moving_;               // guards `unmoved_`
};

}  // namespace joute
