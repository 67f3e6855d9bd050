#pragma once

// The turns that Langorou considers.
//
// A whole group moves to a neighbour or stays. While a side has fewer groups than max_groups, a group with at least
// twice the units of the smallest house may split: half of it moves, or (splits=houses) as many units as a house needs
// take a step towards it, and the others stay or take a step towards another house that they can convert. The options
// of all groups are combined, except where a cell would be both left and entered.

#include "board.hpp"

namespace joute {

class LangorouTurns {
public:
    LangorouTurns(const Vampires& root, const LangorouOptions& options)
        : rows_(root.rows()), columns_(root.columns()), options_(options) {}

    // The turns of the mover, in an order that depends only on the position.
    void list(const LangorouBoard& board, MoveList<Vampires>& turns);
    // The turn in which every group makes its largest certain capture, the largest group first; returns false if there
    // is none. `sure(attackers, defender)` decides which captures are certain.
    template <class Sure>
    bool take_all(const LangorouBoard& board, const Sure& sure, VampiresTurn& turn) const;

private:
    // One option of a group.
    struct Way {
        std::array<VampiresOrder, 2> orders;
        std::size_t size;
    };
    static constexpr int most_houses = 4;  // houses a group splits for, those with the best value for their distance
    // Stay; the whole group or half of it in every direction; to one house; to each of two houses.
    static constexpr std::size_t most_ways =
        1 + 2 * vampires_directions + most_houses + most_houses * (most_houses - 1);
    using Ways = FixedList<Way, most_ways>;

    void list_ways(const LangorouBoard& board, VampiresCell group, bool splits, Ways& ways) const;
    void add_splits(const LangorouBoard& board, VampiresCell group, Ways& ways) const;
    static void add_new(const Way& way, Ways& ways);
    void combine(std::size_t group, std::size_t order_count, MoveList<Vampires>& turns);
    bool is_inside(VampiresOrder order) const {
        const int x = order.target_x(), y = order.target_y();
        return x >= 0 && y >= 0 && x < columns_ && y < rows_;
    }
    bool crowds_a_cell(std::span<const VampiresOrder> orders) const;

    int rows_, columns_;
    const LangorouOptions& options_;
    // The turn under construction.
    std::array<Ways, VampiresTurn::room> ways_;
    std::size_t moving_count_ = 0;
    std::array<VampiresOrder, VampiresTurn::room> orders_;
    bool may_crowd_ = false;
};

template <class Sure>
bool LangorouTurns::take_all(const LangorouBoard& board, const Sure& sure, VampiresTurn& turn) const {
    const auto groups = board.groups(board.mover());
    std::array<VampiresCell, VampiresTurn::room> largest;
    const auto end = std::partial_sort_copy(
        groups.begin(), groups.end(), largest.begin(), largest.end(),
        [](auto a, auto b) { return a.count() != b.count() ? a.count() > b.count() : a.place() < b.place(); });
    std::array<VampiresOrder, VampiresTurn::room> orders;
    std::size_t count = 0;
    for (auto group = largest.begin(); group != end; ++group) {
        int most = 0;
        for (int direction = 0; direction < vampires_directions; ++direction) {
            const auto order = VampiresOrder::of(group->place(), direction, group->count());
            if (!is_inside(order)) continue;
            const VampiresCell* defender = board.defender(order.target());
            if (!defender || defender->count() <= most || !sure(group->count(), *defender)) continue;
            if (std::any_of(orders.begin(), orders.begin() + count,
                            [&](auto other) { return other.target() == order.target(); }))
                continue;
            most = defender->count();
            orders[count] = order;
        }
        count += most > 0;
    }
    std::sort(orders.begin(), orders.begin() + count);
    turn = VampiresTurn::of(std::span(orders).first(count));
    return count > 0;
}

}  // namespace joute
