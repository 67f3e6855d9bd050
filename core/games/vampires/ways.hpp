#pragma once

// The options of each group of the mover in a turn; candidates.cpp combines them into turns.

#include "candidates.hpp"

namespace joute {

// One option of a group: its orders, sorted by direction; none if it stays. Not initialized, because there is room for
// thousands.
struct VampiresWay {
    std::array<VampiresOrder, vampires_directions> orders;
    std::size_t size;

    static VampiresWay none() {
        VampiresWay way;
        way.size = 0;
        return way;
    }
    void push_back(VampiresOrder order) { orders[size++] = order; }
    VampiresOrder* begin() { return orders.data(); }
    VampiresOrder* end() { return orders.data() + size; }
    const VampiresOrder* begin() const { return orders.data(); }
    const VampiresOrder* end() const { return orders.data() + size; }
    bool operator==(const VampiresWay& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
};

// The options of one group.
class VampiresWays {
public:
    static constexpr std::size_t most = 64;

    void add(const VampiresWay& way) {
        if (size_ == most) return;
        for (std::size_t i = 0; i < size_; ++i)
            if (ways_[i] == way) return;
        ways_[size_++] = way;
    }
    void add_move(VampiresCell group, int direction, int count) {
        VampiresWay way = VampiresWay::none();
        way.push_back(VampiresOrder::of(group.place(), direction, count));
        add(way);
    }
    std::size_t size() const { return size_; }
    const VampiresWay& operator[](std::size_t i) const { return ways_[i]; }

private:
    std::array<VampiresWay, most> ways_;
    std::size_t size_ = 0;
};

// The number of groups whose options are combined, the largest; all others stay.
constexpr std::size_t vampires_most_groups = 32;
using VampiresGroupWays = std::array<VampiresWays, vampires_most_groups>;

// Fills in the options of the groups by `targets`, most promising first.
void list_target_ways(const Vampires& state, std::span<const VampiresCell> groups, const VampiresTargetLimits& limits,
                      std::span<VampiresWays> ways);

}  // namespace joute
