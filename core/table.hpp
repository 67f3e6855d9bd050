#pragma once

// The transposition table: what a search found out about positions, shared by all its threads.
//
// No entry is ever locked. A writer stores the key XORed with the data; a reader that catches half of
// one entry and half of another computes a key that is not the one it looks for, and takes the entry
// for a stranger's (Hyatt & Mann, "A lock-less transposition table implementation for parallel search
// chess engines", ICGA Journal 25, 2002).
//
// What must hold whatever the table says: a search plays only moves it generated itself, because two
// positions may share a key.

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>

#include "huge_array.hpp"

namespace joute {

// What a stored value says about the true one.
enum class Bound : std::uint8_t { none, lower, upper, exact };

struct TableEntry {
    static constexpr std::uint32_t no_code = 0xffffffff;

    double value = 0;              // from the mover's view
    std::uint32_t code = no_code;  // of the best move
    int depth = 0;                 // plies searched below the position, 0 to 255
    Bound bound = Bound::none;
    bool complete = false;  // no longer search can change it
};

class TranspositionTable {
public:
    // Takes at most `memory_mb` megabytes, and these only as they are filled.
    explicit TranspositionTable(std::size_t memory_mb) : buckets_(buckets_in(memory_mb)) {}

    std::optional<TableEntry> find(std::uint64_t key) const {
        for (const Slot& slot : bucket_of(key).slots) {
            const std::uint64_t value = slot.value.load(relaxed), facts = slot.facts.load(relaxed);
            if ((slot.check.load(relaxed) ^ value ^ facts) == key && bound_in(facts) != Bound::none)
                return TableEntry{.value = std::bit_cast<double>(value),
                                  .code = static_cast<std::uint32_t>(facts),
                                  .depth = depth_in(facts),
                                  .bound = bound_in(facts),
                                  .complete = (facts >> complete_shift & 1) != 0};
        }
        return std::nullopt;
    }

    // Takes the place of what is known of the same position; else of an entry of an earlier run; else of
    // the one that was searched less deeply and so cost less to find.
    void store(std::uint64_t key, const TableEntry& entry) {
        const auto value = std::bit_cast<std::uint64_t>(entry.value);
        const std::uint64_t facts = entry.code | static_cast<std::uint64_t>(entry.depth & 0xff) << depth_shift |
                                    static_cast<std::uint64_t>(entry.bound) << bound_shift |
                                    static_cast<std::uint64_t>(entry.complete) << complete_shift | age_ << age_shift;
        Slot& slot = slot_for(key);
        slot.check.store(key ^ value ^ facts, relaxed);
        slot.value.store(value, relaxed);
        slot.facts.store(facts, relaxed);
    }

    // Fetches the bucket of a position that will be asked for soon. A bucket may lie across two lines.
    void prefetch(std::uint64_t key) const {
        const Bucket& bucket = bucket_of(key);
        __builtin_prefetch(&bucket);
        __builtin_prefetch(&bucket.slots.back().facts);
    }

    // From now on, entries stored before give way to new ones. For one thread, between searches.
    void start_new_age() { age_ = (age_ + 1) % ages; }
    // A fresh array, because it is zero without being touched.
    void clear() { buckets_ = HugeArray<Bucket>(buckets_.size()); }

private:
    using Word = std::atomic<std::uint64_t>;
    struct Slot {
        Word check, value, facts;
    };
    struct Bucket {
        std::array<Slot, 2> slots;
    };
    static_assert(sizeof(Slot) == 24 && Word::is_always_lock_free);

    static constexpr auto relaxed = std::memory_order_relaxed;
    // Facts: the move's code in the low half, then depth, bound, completeness and age.
    static constexpr int depth_shift = 32, bound_shift = 40, complete_shift = 42, age_shift = 48;
    static constexpr std::uint64_t ages = 64;

    static std::size_t buckets_in(std::size_t memory_mb) {
        const std::size_t buckets = (memory_mb << 20) / sizeof(Bucket);
        return buckets > 0 ? buckets : 1;
    }
    static Bound bound_in(std::uint64_t facts) { return static_cast<Bound>(facts >> bound_shift & 3); }
    static int depth_in(std::uint64_t facts) { return static_cast<int>(facts >> depth_shift & 0xff); }

    // The high half of key times size: any size will do, and no division.
    Bucket& bucket_of(std::uint64_t key) const {
        __extension__ using Wide = unsigned __int128;
        return buckets_[static_cast<std::size_t>(static_cast<Wide>(key) * buckets_.size() >> 64)];
    }

    Slot& slot_for(std::uint64_t key) {
        Bucket& bucket = bucket_of(key);
        Slot* cheapest = nullptr;
        int least_worth = 0;
        for (Slot& slot : bucket.slots) {
            const std::uint64_t facts = slot.facts.load(relaxed);
            if ((slot.check.load(relaxed) ^ slot.value.load(relaxed) ^ facts) == key) return slot;
            const int worth = worth_of(facts);
            if (cheapest && worth >= least_worth) continue;
            cheapest = &slot;
            least_worth = worth;
        }
        return *cheapest;
    }
    int worth_of(std::uint64_t facts) const {
        if (bound_in(facts) == Bound::none) return -1;
        const bool is_of_this_run = facts >> age_shift == age_;
        return depth_in(facts) + (is_of_this_run ? 256 : 0);
    }

    HugeArray<Bucket> buckets_;
    std::uint64_t age_ = 0;
};

}  // namespace joute
