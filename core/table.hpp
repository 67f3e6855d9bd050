#pragma once

// The transposition table: the results of searched positions by key, shared by all threads of a search.
//
// Entries have no locks. A writer stores the key XORed with the data. A reader that sees half of one entry and half of
// another computes a wrong key, and so treats the entry as that of another position (Hyatt & Mann, "A lock-less
// transposition table implementation for parallel search chess engines", ICGA Journal 25, 2002).
//
// The table starts small and grows as it fills, so that a short search touches little memory: the system must zero
// fresh memory, which for a large table takes longer than many searches. It grows in small steps, so that no store
// takes long (base/growing_array.hpp).
//
// Two positions may share a key, so a search must play only moves that it generated itself, never a move from the table
// unchecked.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/growing_array.hpp"

namespace joute {

// How a stored value relates to the true one; `none` marks an empty entry.
enum class Bound : std::uint8_t { none, lower, upper, exact };

struct TableEntry {
    static constexpr std::uint32_t no_code = 0xffffffff;

    double value = 0;              // from the mover's view
    std::uint32_t code = no_code;  // of the best move
    int depth = 0;                 // plies searched below the position, 0 to 255
    Bound bound = Bound::none;
    bool complete = false;  // whether no deeper search can change the value
};

class TranspositionTable {
public:
    // Uses at most `memory_mb` megabytes, and takes them from the system as the table fills.
    explicit TranspositionTable(std::size_t memory_mb) : buckets_(first_buckets, buckets_in(memory_mb)) {}

    std::optional<TableEntry> find(std::uint64_t key) const {
        for (const Slot& slot : buckets_[key].slots) {
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

    // Replaces the entry of the same position; otherwise an empty slot; otherwise an entry of an earlier run; otherwise
    // the entry of lower depth, which took less work to find.
    void store(std::uint64_t key, const TableEntry& entry) {
        const auto value = std::bit_cast<std::uint64_t>(entry.value);
        const std::uint64_t facts = entry.code | static_cast<std::uint64_t>(entry.depth & 0xff) << depth_shift |
                                    static_cast<std::uint64_t>(entry.bound) << bound_shift |
                                    static_cast<std::uint64_t>(entry.complete) << complete_shift | age_ << age_shift;
        Slot& slot = slot_for(key);
        const bool is_new = bound_in(slot.facts.load(relaxed)) == Bound::none;
        slot.check.store(key ^ value ^ facts, relaxed);
        slot.value.store(value, relaxed);
        slot.facts.store(facts, relaxed);
        if (is_new) count_new();
    }

    // Prefetches the bucket of a position that will soon be looked up. A bucket may span two cache lines.
    void prefetch(std::uint64_t key) const {
        const Bucket& bucket = buckets_[key];
        __builtin_prefetch(&bucket);
        __builtin_prefetch(&bucket.slots.back().facts);
    }

    // Lets new entries replace all those stored so far. Not thread-safe: call it between searches.
    void start_new_age() { age_ = (age_ + 1) % ages; }
    // Not thread-safe either.
    void clear() {
        buckets_.clear();
        used_.store(0, relaxed);
    }

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
    // Layout of `facts`: the move's code in the low 32 bits, then depth, bound, completeness and age.
    static constexpr int depth_shift = 32, bound_shift = 40, complete_shift = 42, age_shift = 48;
    static constexpr std::uint64_t ages = 64;
    static constexpr std::size_t first_buckets = 4096;

    static std::size_t buckets_in(std::size_t memory_mb) {
        const std::size_t buckets = (memory_mb << 20) / sizeof(Bucket);
        return buckets > 0 ? buckets : 1;
    }
    static Bound bound_in(std::uint64_t facts) { return static_cast<Bound>(facts >> bound_shift & 3); }
    static int depth_in(std::uint64_t facts) { return static_cast<int>(facts >> depth_shift & 0xff); }

    void count_new() {
        const std::size_t used = used_.fetch_add(1, relaxed) + 1;
        buckets_.grow(used, [this](Bucket& bucket) {
            for (Slot& slot : bucket.slots) move(slot);
        });
    }
    // Moves an entry to the bucket where it is now looked up.
    void move(Slot& slot) {
        const std::uint64_t value = slot.value.load(relaxed), facts = slot.facts.load(relaxed);
        if (bound_in(facts) == Bound::none) return;
        const std::uint64_t check = slot.check.load(relaxed), key = check ^ value ^ facts;
        slot.facts.store(0, relaxed);  // empties the old slot
        Slot& target = slot_for(key);
        if (holds(target, key)) return;  // another thread has stored a newer entry
        target.check.store(check, relaxed);
        target.value.store(value, relaxed);
        target.facts.store(facts, relaxed);
    }

    static bool holds(const Slot& slot, std::uint64_t key) {
        const std::uint64_t facts = slot.facts.load(relaxed);
        return (slot.check.load(relaxed) ^ slot.value.load(relaxed) ^ facts) == key && bound_in(facts) != Bound::none;
    }
    Slot& slot_for(std::uint64_t key) {
        Bucket& bucket = buckets_[key];
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

    GrowingArray<Bucket> buckets_;
    std::uint64_t age_ = 0;
    alignas(64) std::atomic<std::size_t> used_ = 0;  // slots in use; on its own cache line, since all threads write it
};

}  // namespace joute
