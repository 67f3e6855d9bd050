#include "turns.hpp"

namespace joute {

namespace {

constexpr int sign(int number) { return (number > 0) - (number < 0); }

int direction_to(VampiresPlace from, VampiresPlace to) {
    return vampires_direction(sign(place_x(to) - place_x(from)), sign(place_y(to) - place_y(from)));
}

}  // namespace

void LangorouTurns::list(const LangorouBoard& board, MoveList<Vampires>& turns) {
    turns.clear();
    const auto groups = board.groups(board.mover());
    int smallest_house = 0;
    for (const VampiresCell house : board.houses())
        if (!smallest_house || house.count() < smallest_house) smallest_house = house.count();
    const bool may_split = smallest_house > 0 && static_cast<int>(groups.size()) < options_.max_groups;
    may_crowd_ = board.units(board.mover()) > vampires_max_count;

    // If there are too many combinations for the list, the smallest groups stay.
    std::array<VampiresCell, VampiresTurn::room> moving;
    auto end = std::partial_sort_copy(groups.begin(), groups.end(), moving.begin(), moving.end(), [](auto a, auto b) {
        return a.count() != b.count() ? a.count() > b.count() : a.place() < b.place();
    });
    std::size_t product = 1;
    const auto list_ways_of = [&](VampiresCell group, Ways& ways) {
        list_ways(board, group, may_split && group.count() >= 2 * smallest_house, ways);
    };
    for (auto group = moving.begin(); group != end; ++group) {
        list_ways_of(*group, ways_[0]);
        product *= ways_[0].size();
        if (product > Vampires::max_moves) end = group;
        if (end == group) break;
    }
    std::sort(moving.begin(), end, [](auto a, auto b) { return a.place() < b.place(); });
    moving_count_ = 0;
    for (auto group = moving.begin(); group != end; ++group) list_ways_of(*group, ways_[moving_count_++]);
    combine(0, 0, turns);
}

void LangorouTurns::list_ways(const LangorouBoard& board, VampiresCell group, bool splits, Ways& ways) const {
    ways.clear();
    ways.push_back({{}, 0});
    for (const int part : {group.count(), splits ? group.count() / 2 : 0})
        for (int direction = 0; direction < vampires_directions && part > 0; ++direction) {
            const auto order = VampiresOrder::of(group.place(), direction, part);
            if (is_inside(order)) ways.push_back({{order}, 1});
        }
    if (splits && options_.splits == LangorouOptions::Splits::houses) add_splits(board, group, ways);
}

// Skips duplicates: half of a group may be exactly what a house needs, and two houses come in either order.
void LangorouTurns::add_new(const Way& way, Ways& ways) {
    const auto is_same = [&](const Way& known) {
        return known.size == way.size &&
               std::equal(way.orders.begin(), way.orders.begin() + way.size, known.orders.begin());
    };
    if (std::none_of(ways.begin(), ways.end(), is_same)) ways.push_back(way);
}

void LangorouTurns::add_splits(const LangorouBoard& board, VampiresCell group, Ways& ways) const {
    std::array<VampiresCell, most_houses> best;
    int count = 0;
    const auto distance = [&](VampiresCell house) { return vampires_distance(group.place(), house.place()); };
    for (const VampiresCell house : board.houses()) {
        if (house.count() >= group.count()) continue;
        int place = count < most_houses ? count++ : most_houses;
        // Sorted by value; a/b > c/d is compared without division.
        for (; place > 0; --place) {
            const VampiresCell before = best[static_cast<std::size_t>(place) - 1];
            if (house.count() * distance(before) <= before.count() * distance(house)) break;
            if (place < most_houses) best[static_cast<std::size_t>(place)] = before;
        }
        if (place < most_houses) best[static_cast<std::size_t>(place)] = house;
    }
    for (int i = 0; i < count; ++i) {
        const VampiresCell house = best[static_cast<std::size_t>(i)];
        const int direction = direction_to(group.place(), house.place());
        const auto part = VampiresOrder::of(group.place(), direction, house.count());
        add_new({{part}, 1}, ways);
        const int rest = group.count() - house.count();
        for (int j = 0; j < count; ++j) {
            const VampiresCell other = best[static_cast<std::size_t>(j)];
            const int its_direction = direction_to(group.place(), other.place());
            if (its_direction == direction || other.count() > rest) continue;
            const auto others = VampiresOrder::of(group.place(), its_direction, rest);
            add_new({{std::min(part, others), std::max(part, others)}, 2}, ways);
        }
    }
}

void LangorouTurns::combine(std::size_t group, std::size_t order_count, MoveList<Vampires>& turns) {
    if (group == moving_count_) {
        const auto orders = std::span(orders_).first(order_count);
        if (order_count > 0 && !(may_crowd_ && crowds_a_cell(orders))) turns.push_back(VampiresTurn::of(orders));
        return;
    }
    for (const Way& way : ways_[group]) {
        const std::size_t size = order_count + way.size;
        if (size > orders_.size()) continue;
        bool is_free = true;
        for (std::size_t i = 0; i < way.size; ++i) {
            const VampiresOrder order = orders_[order_count + i] = way.orders[i];
            for (std::size_t j = 0; j < order_count; ++j)
                is_free &= order.target() != orders_[j].source() && orders_[j].target() != order.source();
        }
        if (is_free) combine(group + 1, size, turns);
    }
}

// Whether more units would arrive on a cell than it can count.
bool LangorouTurns::crowds_a_cell(std::span<const VampiresOrder> orders) const {
    for (const VampiresOrder order : orders) {
        int arriving = 0;
        for (const VampiresOrder other : orders)
            if (other.target() == order.target()) arriving += other.count();
        if (arriving > vampires_max_count) return true;
    }
    return false;
}

}  // namespace joute
