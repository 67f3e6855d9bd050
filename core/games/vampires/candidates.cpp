#include "candidates.hpp"

#include <optional>

#include "ways.hpp"

namespace joute {

namespace {

using Cell = Vampires::Cell;
using Order = Vampires::Order;
using Way = VampiresWay;
using Ways = VampiresWays;

// A turn under construction: orders that respect rule 5.
class Draft {
public:
    explicit Draft(const Vampires& state) : state_(state) {}

    std::size_t size() const { return orders_.size(); }
    void cut(std::size_t size) { orders_.resize(size); }

    // Adds the orders of a group that has none yet. Returns false if the turn has no room for them or would leave and
    // enter the same cell.
    bool add(const Way& way) {
        if (orders_.size() + way.size > VampiresTurn::room) return false;
        for (const Order order : way)
            for (const Order other : orders_.span())
                if (order.target() == other.source() || other.target() == order.source()) return false;
        for (const Order order : way) orders_.push(order);
        return true;
    }
    std::optional<VampiresTurn> turn() const {
        if (orders_.size() == 0 && !state_.rules()->may_pass()) return std::nullopt;
        std::array<Order, VampiresTurn::room> sorted;
        const auto used = std::span(sorted).first(orders_.size());
        std::copy_n(orders_.span().begin(), orders_.size(), used.begin());
        std::sort(used.begin(), used.end());
        const VampiresTurn turn = VampiresTurn::of(used);
        // Only on the largest boards can a turn exceed the limits of the network protocol.
        if (may_be_too_much() && !state_.is_legal(turn)) return std::nullopt;
        return turn;
    }

private:
    bool may_be_too_much() const {
        return state_.occupied() + VampiresTurn::room > vampires_max_occupied ||
               state_.units(state_.to_move()) > vampires_max_count;
    }

    class Orders {
    public:
        std::size_t size() const { return size_; }
        void resize(std::size_t size) { size_ = size; }
        void push(Order order) { items_[size_++] = order; }
        std::span<const Order> span() const { return {items_.data(), size_}; }

    private:
        std::array<Order, VampiresTurn::room> items_;
        std::size_t size_ = 0;
    };

    const Vampires& state_;
    Orders orders_;
};

// Lists every combination of the groups' options.
void combine(std::span<const Ways> groups, Draft& draft, MoveList<Vampires>& moves) {
    if (groups.empty()) {
        if (const auto turn = draft.turn(); turn && moves.size() < Vampires::max_moves) moves.push_back(*turn);
        return;
    }
    const std::size_t before = draft.size();
    for (std::size_t i = 0; i < groups[0].size(); ++i) {
        if (draft.add(groups[0][i])) combine(groups.subspan(1), draft, moves);
        draft.cut(before);
    }
}

std::size_t combinations(std::span<const Ways> groups) {
    std::size_t product = 1;
    for (const Ways& ways : groups) product = std::min(product * ways.size(), std::size_t{1} << 30);
    return product;
}

// Lists at most `most` turns, without duplicates: one group tries all its options, or the two largest groups try all
// pairs, and every other group takes its first option.
void combine_few(const Vampires& state, std::span<const Ways> groups, std::size_t most, MoveList<Vampires>& moves) {
    std::array<std::uint64_t, Vampires::max_moves> seen;
    const auto add = [&](std::size_t a, std::size_t way_a, std::size_t b, std::size_t way_b) {
        Draft draft(state);
        // The varied groups come first: conflicting orders of the others are dropped.
        draft.add(groups[a][way_a]);
        if (b != a) draft.add(groups[b][way_b]);
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (i != a && i != b) draft.add(groups[i][0]);
        const auto turn = draft.turn();
        if (!turn) return;
        const std::uint64_t hash = turn->hash();
        if (std::find(seen.begin(), seen.begin() + moves.size(), hash) != seen.begin() + moves.size()) return;
        seen[moves.size()] = hash;
        moves.push_back(*turn);
    };
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t way = 0; way < groups[a].size() && moves.size() < most; ++way) add(a, way, a, way);
    for (std::size_t i = 0; groups.size() > 1 && i < groups[0].size(); ++i)
        for (std::size_t j = 0; j < groups[1].size() && moves.size() < most; ++j) add(0, i, 1, j);
}

// The groups of the mover, largest first, at most vampires_most_groups.
FixedList<Cell, vampires_most_groups> largest_groups(const Vampires& state) {
    const auto groups = state.groups(state.to_move());
    std::array<Cell, vampires_max_occupied> sorted;
    const auto end = std::copy(groups.begin(), groups.end(), sorted.begin());
    std::sort(sorted.begin(), end,
              [](Cell a, Cell b) { return a.count() != b.count() ? a.count() > b.count() : a.place() < b.place(); });
    FixedList<Cell, vampires_most_groups> largest;
    for (auto cell = sorted.begin(); cell != end && largest.size() < vampires_most_groups; ++cell)
        largest.push_back(*cell);
    return largest;
}

// Lists the steps of a whole group to its neighbours, of which there is always one that is legal.
void list_steps(const Vampires& state, Cell group, MoveList<Vampires>& moves) {
    for (int direction = 0; direction < vampires_directions; ++direction) {
        const Order order = Order::of(group.place(), direction, group.count());
        if (state.is_inside(order.target_x(), order.target_y())) moves.push_back(VampiresTurn::of({&order, 1}));
    }
}

}  // namespace

void list_paper_turns(const Vampires& state, MoveList<Vampires>& moves, int max_groups) {
    const auto groups = largest_groups(state);
    int smallest_house = 0;
    for (const Cell house : state.houses())
        if (!smallest_house || house.count() < smallest_house) smallest_house = house.count();
    const bool may_split = smallest_house > 0 && static_cast<int>(groups.size()) < max_groups;
    VampiresGroupWays ways;
    std::size_t count = 0;
    for (const Cell group : groups) {
        Ways& own = ways[count];
        own.add(Way::none());
        const bool splits = may_split && group.count() >= 2 * smallest_house;
        for (const int part : {group.count(), splits ? group.count() / 2 : 0})
            for (int direction = 0; direction < vampires_directions && part > 0; ++direction) {
                const Order order = Order::of(group.place(), direction, part);
                if (state.is_inside(order.target_x(), order.target_y())) own.add_move(group, direction, part);
            }
        // If there are too many combinations, the smallest groups stay.
        if (combinations(std::span(ways).first(count + 1)) > Vampires::max_moves) break;
        ++count;
    }
    Draft draft(state);
    combine(std::span<const Ways>(ways).first(count), draft, moves);
}

void list_single_turns(const Vampires& state, MoveList<Vampires>& moves) {
    for (const Cell group : largest_groups(state)) list_steps(state, group, moves);
}

namespace {

std::span<const Ways> target_ways(const Vampires& state, const FixedList<Cell, vampires_most_groups>& groups,
                                  const VampiresTargetLimits& limits, VampiresGroupWays& ways) {
    list_target_ways(state, {groups.begin(), groups.size()}, limits, ways);
    return std::span<const Ways>(ways).first(groups.size());
}

void list_target_turns(const Vampires& state, std::span<const Ways> ways, Cell largest, std::size_t most,
                       MoveList<Vampires>& moves) {
    if (combinations(ways) <= most) {
        Draft draft(state);
        combine(ways, draft, moves);
    } else {
        combine_few(state, ways, most, moves);
    }
    if (moves.empty()) list_steps(state, largest, moves);
}

}  // namespace

void list_target_turns(const Vampires& state, MoveList<Vampires>& moves, const VampiresTargetLimits& limits) {
    const auto groups = largest_groups(state);
    VampiresGroupWays ways;
    list_target_turns(state, target_ways(state, groups, limits, ways), groups[0], limits.turns, moves);
}

VampiresTurn random_target_turn(const Vampires& state, Random& random, const VampiresTargetLimits& limits) {
    const auto groups = largest_groups(state);
    VampiresGroupWays ways;
    const auto all = target_ways(state, groups, limits, ways);
    // Rejection sampling is uniform if every combination is listed.
    for (int attempts = combinations(all) <= limits.turns ? 20 : 0; attempts > 0; --attempts) {
        Draft draft(state);
        if (!std::all_of(all.begin(), all.end(), [&](const Ways& own) {
                return draft.add(own[random.below(static_cast<std::uint32_t>(own.size()))]);
            }))
            continue;
        if (const auto turn = draft.turn()) return *turn;
    }
    MoveList<Vampires> moves;
    list_target_turns(state, all, groups[0], limits.turns, moves);
    return moves[random.below(static_cast<std::uint32_t>(moves.size()))];
}

void Vampires::generate(MoveList<Vampires>& moves, int generator) const {
    if (generator == 1) return list_paper_turns(*this, moves);
    if (generator == 3) return list_single_turns(*this, moves);
    list_target_turns(*this, moves, generator == 0 ? VampiresTargetLimits{} : vampires_contact);
}

void Vampires::noisy_moves(MoveList<Vampires>& moves) const {
    for (const Cell group : groups(to_move()))
        for (const Cell enemy : groups(opponent(to_move()))) {
            if (vampires_distance(group.place(), enemy.place()) != 1 ||
                !battle_against(enemy, group.count()).is_won() || moves.size() == max_moves)
                continue;
            const int direction = vampires_direction(place_x(enemy.place()) - place_x(group.place()),
                                                     place_y(enemy.place()) - place_y(group.place()));
            const Order order = Order::of(group.place(), direction, group.count());
            moves.push_back(VampiresTurn::of({&order, 1}));
        }
}

Vampires::Move Vampires::random_move(Random& random) const { return random_target_turn(*this, random); }

}  // namespace joute
