#pragma once

// The tables of Langorou: the best turn of each position, as a code; and, with table=values, its value.

#include <cstdint>
#include <optional>
#include <vector>

#include "../vampires.hpp"

namespace joute {

class LangorouTable {
public:
    static std::uint32_t code(const VampiresTurn& turn) { return static_cast<std::uint32_t>(turn.hash()); }

    // One entry per slot, always replaced.
    void store(std::uint64_t key, const VampiresTurn& best) { entries_[key % size] = tag(key) | code(best); }
    std::optional<std::uint32_t> find(std::uint64_t key) {
        ++looks_;
        const std::uint64_t entry = entries_[key % size];
        if (entry == 0 || (entry & tag_bits) != tag(key)) return std::nullopt;
        ++hits_;
        return static_cast<std::uint32_t>(entry);
    }
    std::uint64_t looks() const { return looks_; }
    std::uint64_t hits() const { return hits_; }

private:
    // 4 MB, cleared for every turn in less than a millisecond.
    static constexpr std::size_t size = std::size_t{1} << 19;
    static constexpr std::uint64_t tag_bits = ~std::uint64_t{0} << 32;
    static std::uint64_t tag(std::uint64_t key) { return key & tag_bits; }

    std::vector<std::uint64_t> entries_ = std::vector<std::uint64_t>(size);
    std::uint64_t looks_ = 0, hits_ = 0;
};

// Values of positions, each for one remaining depth, which is part of the key.
class LangorouValues {
public:
    void make_room() { entries_.resize(size); }

    // `value` is the result of a search in this window.
    void store(std::uint64_t key, double value, double alpha, double beta) {
        const Bound bound = value >= beta ? Bound::lower : value <= alpha ? Bound::upper : Bound::exact;
        entries_[key % size] = {value, tag(key), bound};
    }
    // The stored value, if it is exact or makes a cut-off in this window.
    std::optional<double> find(std::uint64_t key, double alpha, double beta) const {
        const Entry& entry = entries_[key % size];
        if (entry.tag != tag(key)) return std::nullopt;
        const bool is_enough = entry.bound == Bound::exact || (entry.bound == Bound::lower && entry.value >= beta) ||
                               (entry.bound == Bound::upper && entry.value <= alpha);
        return is_enough ? std::optional(entry.value) : std::nullopt;
    }

private:
    enum class Bound : std::uint8_t { none, exact, lower, upper };
    struct Entry {
        double value = 0;
        std::uint32_t tag = 0;
        Bound bound = Bound::none;
    };
    static constexpr std::size_t size = std::size_t{1} << 19;  // 8 MB
    static std::uint32_t tag(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }

    std::vector<Entry> entries_;
};

}  // namespace joute
