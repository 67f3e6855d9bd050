#include "vampires_candidates.hpp"

#include <optional>

namespace joute {

namespace {

using Place = Vampires::Place;
using Cell = Vampires::Cell;
using Order = Vampires::Order;
using Kind = Vampires::Kind;

// What one group may do: a few orders, sorted by direction; none to stay. Not initialised until it is needed: there is
// room for thousands.
struct Way {
    std::array<Order, vampires_directions> orders;
    std::size_t size;

    static Way none() {
        Way way;
        way.size = 0;
        return way;
    }
    void push_back(Order order) { orders[size++] = order; }
    Order* begin() { return orders.data(); }
    Order* end() { return orders.data() + size; }
    const Order* begin() const { return orders.data(); }
    const Order* end() const { return orders.data() + size; }
    bool operator==(const Way& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
};

// A turn in the making: orders that keep rule 5.
class Draft {
public:
    explicit Draft(const Vampires& state) : state_(state) {}

    std::size_t size() const { return orders_.size(); }
    void cut(std::size_t size) { orders_.resize(size); }

    // Adds a way of a group that has none yet; false where the turn has no room for it, or it would leave and enter one
    // cell.
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
        // Only on the largest boards does a turn break what the wire can count.
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

// The ways of one group.
class Ways {
public:
    static constexpr std::size_t most = 64;

    void add(const Way& way) {
        if (size_ == most) return;
        for (std::size_t i = 0; i < size_; ++i)
            if (ways_[i] == way) return;
        ways_[size_++] = way;
    }
    void add_move(Cell group, int direction, int count) {
        Way way = Way::none();
        way.push_back(Order::of(group.place(), direction, count));
        add(way);
    }
    void cut(std::size_t size) { size_ = std::min(size_, size); }
    std::size_t size() const { return size_; }
    const Way& operator[](std::size_t i) const { return ways_[i]; }

private:
    std::array<Way, most> ways_;
    std::size_t size_ = 0;
};

// Groups whose ways are combined; further ones stay, or follow their first way.
constexpr std::size_t most_groups = 32;
using GroupWays = std::array<Ways, most_groups>;

// Every combination of ways.
void combine(const Vampires& state, std::span<const Ways> groups, Draft& draft, MoveList<Vampires>& moves) {
    if (groups.empty()) {
        if (const auto turn = draft.turn(); turn && moves.size() < Vampires::max_moves) moves.push_back(*turn);
        return;
    }
    const std::size_t before = draft.size();
    for (std::size_t i = 0; i < groups[0].size(); ++i) {
        if (draft.add(groups[0][i])) combine(state, groups.subspan(1), draft, moves);
        draft.cut(before);
    }
}

std::size_t combinations(std::span<const Ways> groups) {
    std::size_t product = 1;
    for (const Ways& ways : groups) product = std::min(product * ways.size(), std::size_t{1} << 30);
    return product;
}

// All groups, of which there are several, follow the first of their ways but one, which tries all of its own, or the
// two largest; `most` turns, none twice.
void combine_few(const Vampires& state, std::span<const Ways> groups, std::size_t most, MoveList<Vampires>& moves) {
    std::array<std::uint64_t, Vampires::max_moves> seen;
    const auto add = [&](std::size_t a, std::size_t way_a, std::size_t b, std::size_t way_b) {
        Draft draft(state);
        // Those that vary go first: others give way to them.
        draft.add(groups[a][way_a]);
        if (b != a) draft.add(groups[b][way_b]);
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (i != a && i != b) draft.add(groups[i][0]);
        const auto turn = draft.turn();
        if (!turn) return;
        std::uint64_t hash = 0;
        for (const Order order : turn->orders()) hash = mix64(hash + order.bits + 0x9e3779b97f4a7c15ULL);
        if (std::find(seen.begin(), seen.begin() + moves.size(), hash) != seen.begin() + moves.size()) return;
        seen[moves.size()] = hash;
        moves.push_back(*turn);
    };
    for (std::size_t a = 0; a < groups.size(); ++a)
        for (std::size_t way = 0; way < groups[a].size() && moves.size() < most; ++way) add(a, way, a, way);
    for (std::size_t i = 0; i < groups[0].size(); ++i)
        for (std::size_t j = 0; j < groups[1].size() && moves.size() < most; ++j) add(0, i, 1, j);
}

// The groups of the mover, the largest first; as many as ways are made for.
FixedList<Cell, most_groups> largest_groups(const Vampires& state) {
    const auto groups = state.groups(state.to_move());
    std::array<Cell, vampires_max_occupied> sorted;
    const auto end = std::copy(groups.begin(), groups.end(), sorted.begin());
    std::stable_sort(sorted.begin(), end, [](Cell a, Cell b) { return a.count() > b.count(); });
    FixedList<Cell, most_groups> largest;
    for (auto cell = sorted.begin(); cell != end && largest.size() < most_groups; ++cell) largest.push_back(*cell);
    return largest;
}

// Where nothing else is listed, any step will do: a group can always go to a neighbour as a whole.
void list_steps(const Vampires& state, Cell group, MoveList<Vampires>& moves) {
    for (int direction = 0; direction < vampires_directions; ++direction) {
        const Order order = Order::of(group.place(), direction, group.count());
        if (state.is_inside(order.target_x(), order.target_y())) moves.push_back(VampiresTurn::of({&order, 1}));
    }
}

// How soon an enemy could convert each house: the same for all groups of the mover.
struct Rivals {
    explicit Rivals(const Vampires& state) {
        std::size_t i = 0;
        for (const Cell house : state.houses()) {
            int nearest = vampires_max_side + 1;
            for (const Cell enemy : state.groups(opponent(state.to_move())))
                if (enemy.count() >= house.count())
                    nearest = std::min(nearest, vampires_distance(enemy.place(), house.place()));
            steps[i++] = static_cast<std::uint16_t>(nearest);
        }
    }
    std::array<std::uint16_t, vampires_max_occupied> steps;
};

// What one group may do by `targets`, the most promising first.
class TargetWays {
public:
    TargetWays(const Vampires& state, const VampiresTargetLimits& limits, const Rivals& rivals, Cell group, Ways& ways)
        : state_(state), limits_(limits), group_(group), ways_(ways) {
        enemies_ = state.groups(opponent(state.to_move()));
        find_houses(rivals);
    }

    void list() {
        list_attacks();
        list_splits();
        list_steps_to_houses();
        list_escapes();
        list_merge();
        ways_.add(Way::none());
    }

private:
    int distance(Cell cell) const { return vampires_distance(group_.place(), cell.place()); }
    bool can_destroy(Cell enemy) const { return 2 * group_.count() >= 3 * enemy.count(); }

    // Those that the group can convert, by what they are worth a step; one that an enemy reaches before is worth half.
    void find_houses(const Rivals& rivals) {
        struct Worth {
            double worth;
            Cell house;
        };
        constexpr std::size_t most = 2 * vampires_directions;
        std::array<Worth, most> best;
        std::size_t found = 0;
        const auto houses = state_.houses();
        for (std::size_t i = 0; i < houses.size(); ++i) {
            const Cell house = houses[i];
            if (!state_.battle_against(house, group_.count()).is_won()) continue;
            const int steps = distance(house);
            const double worth = static_cast<double>(house.count()) / (rivals.steps[i] < steps ? 2 * steps : steps);
            std::size_t place = std::min(found, most);
            if (found < most) ++found;
            while (place > 0 && best[place - 1].worth < worth) {
                if (place < most) best[place] = best[place - 1];
                --place;
            }
            if (place < most) best[place] = {worth, house};
        }
        for (std::size_t i = 0; i < found; ++i) houses_.push_back(best[i].house);
    }

    // To the best houses that lie in different directions.
    void list_steps_to_houses() {
        std::uint32_t taken = 0;
        int listed = 0;
        for (const Cell house : houses_) {
            const auto direction = direction_to(house.place());
            if (!direction || (taken >> *direction & 1)) continue;
            taken |= 1u << *direction;
            ways_.add_move(group_, *direction, group_.count());
            if (++listed == limits_.houses) return;
        }
    }
    std::span<const Cell> best_houses() const {
        return {houses_.begin(), std::min(houses_.size(), static_cast<std::size_t>(limits_.houses))};
    }

    // The direction that brings the group nearer, around what it had better not enter; the straightest of them.
    std::optional<int> direction_to(Place target) const {
        const int steps = vampires_distance(group_.place(), target);
        std::optional<int> best;
        int best_length = 0;
        for (int direction = 0; direction < vampires_directions; ++direction) {
            const Order order = Order::of(group_.place(), direction, group_.count());
            if (!state_.is_inside(order.target_x(), order.target_y())) continue;
            const Place next = order.target();
            if (vampires_distance(next, target) >= steps || (next != target && !is_safe_to_enter(next))) continue;
            const int dx = place_x(next) - place_x(target), dy = place_y(next) - place_y(target);
            const int length = dx * dx + dy * dy;
            if (!best || length < best_length) {
                best = direction;
                best_length = length;
            }
        }
        return best;
    }
    bool is_safe_to_enter(Place place) const {
        const Cell* cell = state_.at(place);
        return !cell || cell->kind() == group_.kind() || state_.battle_against(*cell, group_.count()).is_won();
    }

    void step_to(Place target) {
        if (const auto direction = direction_to(target)) ways_.add_move(group_, *direction, group_.count());
    }

    void list_attacks() {
        std::array<Cell, vampires_max_occupied> sorted;
        const auto end = std::copy(enemies_.begin(), enemies_.end(), sorted.begin());
        std::stable_sort(sorted.begin(), end, [&](Cell a, Cell b) { return distance(a) < distance(b); });
        for (const Cell enemy : std::span(sorted.begin(), end).first(nearest_enemies())) {
            const bool is_next = distance(enemy) == 1;
            if (is_next || can_destroy(enemy)) step_to(enemy.place());
            if (is_next && can_destroy(enemy)) strike_and_convert(enemy);
        }
        near_.assign(sorted.data(), nearest_enemies());
    }
    std::size_t nearest_enemies() const { return std::min(enemies_.size(), static_cast<std::size_t>(limits_.enemies)); }

    // As many as are sure to win strike; the others go to a house.
    void strike_and_convert(Cell enemy) {
        const int strike = (3 * enemy.count() + 1) / 2, others = group_.count() - strike;
        for (const Cell house : houses_) {
            if (others == 0 || !state_.battle_against(house, others).is_won()) continue;
            Way way = Way::none();
            if (add_parts(way, {{enemy.place(), strike}, {house.place(), others}})) ways_.add(way);
            return;
        }
    }

    struct Part {
        Place target;
        int count;
    };
    // Sends parts of the group to their targets; false where two of them would go the same way.
    bool add_parts(Way& way, std::span<const Part> parts) const {
        for (const Part part : parts) {
            const auto direction = direction_to(part.target);
            if (!direction) return false;
            const Order order = Order::of(group_.place(), *direction, part.count);
            if (std::any_of(way.begin(), way.end(), [&](Order other) { return other.has_way_of(order); })) return false;
            way.push_back(order);
        }
        std::sort(way.begin(), way.end());
        return true;
    }
    bool add_parts(Way& way, std::initializer_list<Part> parts) const {
        return add_parts(way, std::span(parts.begin(), parts.size()));
    }

    // As many units as convert a house for certain.
    int fit(Cell house) const { return house.count() + state_.rules()->battles.equal_humans_fight; }

    void list_splits() {
        const int units = group_.count();
        const auto houses = best_houses();
        for (std::size_t i = 0; i < houses.size(); ++i)
            for (std::size_t j = i + 1; j < houses.size(); ++j) {
                const Cell a = houses[i], b = houses[j];
                if (fit(a) + fit(b) > units) continue;
                for (const int to_a : {units - fit(b), fit(a)}) {
                    Way way = Way::none();
                    if (add_parts(way, {{a.place(), to_a}, {b.place(), units - to_a}})) ways_.add(way);
                }
            }
        split_to_all();
        for (const Cell house : houses) {  // the others keep the place
            if (distance(house) > 1 || fit(house) >= units) continue;
            Way way = Way::none();
            if (add_parts(way, {{house.place(), fit(house)}})) ways_.add(way);
        }
    }

    // To three houses or more, where the group is large enough; the surplus goes to the best.
    void split_to_all() {
        int left = group_.count();
        FixedList<Part, vampires_directions> parts;
        for (const Cell house : houses_) {
            if (fit(house) > left || parts.size() == vampires_directions) continue;
            parts.push_back({house.place(), fit(house)});
            left -= fit(house);
        }
        if (parts.size() < 3) return;
        parts[0].count += left;
        Way way = Way::none();
        if (add_parts(way, std::span<const Part>(parts.begin(), parts.size()))) ways_.add(way);
    }

    void list_escapes() {
        for (const Cell enemy : near_.span()) {
            if (distance(enemy) > limits_.danger_distance || 2 * enemy.count() < 3 * group_.count()) continue;
            int farthest = 0;
            for (int direction = 0; direction < vampires_directions; ++direction)
                farthest = std::max(farthest, distance_after(direction, enemy));
            for (int direction = 0; direction < vampires_directions; ++direction)
                if (farthest > 0 && distance_after(direction, enemy) == farthest)
                    ways_.add_move(group_, direction, group_.count());
        }
    }
    // From an enemy, after a step; 0 where it had better not be taken.
    int distance_after(int direction, Cell enemy) const {
        const Order order = Order::of(group_.place(), direction, group_.count());
        if (!state_.is_inside(order.target_x(), order.target_y()) || !is_safe_to_enter(order.target())) return 0;
        return vampires_distance(order.target(), enemy.place());
    }

    void list_merge() {
        const Cell* nearest = nullptr;
        for (const Cell& other : state_.groups(state_.to_move()))
            if (other.place() != group_.place() && (!nearest || distance(other) < distance(*nearest))) nearest = &other;
        if (nearest) step_to(nearest->place());
    }

    class Near {
    public:
        void assign(const Cell* cells, std::size_t size) {
            size_ = std::min(size, cells_.size());
            std::copy_n(cells, size_, cells_.begin());
        }
        std::span<const Cell> span() const { return {cells_.data(), size_}; }

    private:
        std::array<Cell, 8> cells_;
        std::size_t size_ = 0;
    };

    const Vampires& state_;
    const VampiresTargetLimits& limits_;
    Cell group_;
    Ways& ways_;
    std::span<const Cell> enemies_;
    FixedList<Cell, 2 * vampires_directions> houses_;
    Near near_;
};

}  // namespace

void list_report_turns(const Vampires& state, MoveList<Vampires>& moves, int max_groups) {
    const auto groups = largest_groups(state);
    int smallest_house = 0;
    for (const Cell house : state.houses())
        if (!smallest_house || house.count() < smallest_house) smallest_house = house.count();
    const bool may_split = smallest_house > 0 && static_cast<int>(groups.size()) < max_groups;
    GroupWays ways;
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
        // The smallest groups stay where there are too many for all to go.
        if (combinations(std::span(ways).first(count + 1)) > Vampires::max_moves) break;
        ++count;
    }
    Draft draft(state);
    combine(state, std::span<const Ways>(ways).first(count), draft, moves);
}

namespace {

std::span<const Ways> target_ways(const Vampires& state, const FixedList<Cell, most_groups>& groups,
                                  const VampiresTargetLimits& limits, GroupWays& ways) {
    const Rivals rivals(state);
    for (std::size_t i = 0; i < groups.size(); ++i) TargetWays(state, limits, rivals, groups[i], ways[i]).list();
    return std::span<const Ways>(ways).first(groups.size());
}

void list_target_turns(const Vampires& state, std::span<const Ways> ways, Cell largest, std::size_t most,
                       MoveList<Vampires>& moves) {
    if (combinations(ways) <= most) {
        Draft draft(state);
        combine(state, ways, draft, moves);
    } else {
        combine_few(state, ways, most, moves);
    }
    if (moves.empty()) list_steps(state, largest, moves);
}

}  // namespace

void list_target_turns(const Vampires& state, MoveList<Vampires>& moves, const VampiresTargetLimits& limits) {
    const auto groups = largest_groups(state);
    GroupWays ways;
    list_target_turns(state, target_ways(state, groups, limits, ways), groups[0], limits.turns, moves);
}

VampiresTurn random_target_turn(const Vampires& state, Random& random, const VampiresTargetLimits& limits) {
    const auto groups = largest_groups(state);
    GroupWays ways;
    const auto all = target_ways(state, groups, limits, ways);
    // Where every combination is listed, one that is drawn and kept if it is a turn is as likely as any other.
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
    generator == 0 ? list_target_turns(*this, moves) : list_report_turns(*this, moves);
}

Vampires::Move Vampires::random_move(Random& random) const { return random_target_turn(*this, random); }

}  // namespace joute
