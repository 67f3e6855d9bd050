#pragma once

// The table of Langorou: the best turn of each position, as a code.

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

}  // namespace joute
