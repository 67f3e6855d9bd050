#include <optional>

#include "ways.hpp"

namespace joute {

namespace {

using Place = Vampires::Place;
using Cell = Vampires::Cell;
using Order = Vampires::Order;
using Way = VampiresWay;
using Ways = VampiresWays;

// The distance of the nearest enemy that could convert each house; the same for all groups of the mover.
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

// The options of one group in the generator `targets`, most promising first.
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
        list_contact_steps();
        ways_.add(Way::none());
    }

private:
    int distance(Cell cell) const { return vampires_distance(group_.place(), cell.place()); }
    bool can_destroy(Cell enemy) const { return 2 * group_.count() >= 3 * enemy.count(); }

    // Finds the houses that the group can convert, sorted by humans per step; a house that an enemy reaches earlier
    // counts half.
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

    // Steps to the best houses that lie in different directions.
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

    // The most direct direction that brings the group nearer and avoids cells that are not safe to enter.
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
        find_nearest_enemies();
        for (const Cell enemy : near_) {
            const bool is_next = distance(enemy) == 1;
            if (is_next || can_destroy(enemy)) step_to(enemy.place());
            if (is_next && can_destroy(enemy)) strike_and_convert(enemy);
        }
    }
    void find_nearest_enemies() {
        const auto most = std::min(enemies_.size(), static_cast<std::size_t>(limits_.enemies));
        while (near_.size() < most) {
            const Cell* nearest = nullptr;
            for (const Cell& enemy : enemies_) {
                const bool is_listed = std::find(near_.begin(), near_.end(), enemy) != near_.end();
                if (!is_listed && (!nearest || distance(enemy) < distance(*nearest))) nearest = &enemy;
            }
            near_.push_back(*nearest);
        }
    }

    // Just enough units for a certain win attack; the others go to a house.
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
    // Sends parts of the group to their targets; returns false if two of them would go in the same direction.
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

    // The smallest number of units that is certain to convert a house.
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
        for (const Cell house : houses) {  // the other units stay
            if (distance(house) > 1 || fit(house) >= units) continue;
            Way way = Way::none();
            if (add_parts(way, {{house.place(), fit(house)}})) ways_.add(way);
        }
    }

    // Splits to three or more houses if the group is large enough; the surplus goes to the best house.
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
        for (const Cell enemy : near_) {
            if (distance(enemy) > limits_.danger_distance || 2 * enemy.count() < 3 * group_.count()) continue;
            int farthest = 0;
            for (int direction = 0; direction < vampires_directions; ++direction)
                farthest = std::max(farthest, distance_after(direction, enemy));
            for (int direction = 0; direction < vampires_directions; ++direction)
                if (farthest > 0 && distance_after(direction, enemy) == farthest)
                    ways_.add_move(group_, direction, group_.count());
        }
    }
    // The distance from an enemy after a step; 0 if the step is not safe.
    int distance_after(int direction, Cell enemy) const {
        const Order order = Order::of(group_.place(), direction, group_.count());
        if (!state_.is_inside(order.target_x(), order.target_y()) || !is_safe_to_enter(order.target())) return 0;
        return vampires_distance(order.target(), enemy.place());
    }

    void list_contact_steps() {
        if (near_.empty() || distance(near_[0]) > limits_.contact_distance) return;
        for (int direction = 0; direction < vampires_directions; ++direction) {
            const Order order = Order::of(group_.place(), direction, group_.count());
            if (state_.is_inside(order.target_x(), order.target_y()) && is_safe_to_enter(order.target()))
                ways_.add_move(group_, direction, group_.count());
        }
    }

    void list_merge() {
        const Cell* nearest = nullptr;
        for (const Cell& other : state_.groups(state_.to_move()))
            if (other.place() != group_.place() && (!nearest || distance(other) < distance(*nearest))) nearest = &other;
        if (nearest) step_to(nearest->place());
    }

    const Vampires& state_;
    const VampiresTargetLimits& limits_;
    Cell group_;
    Ways& ways_;
    std::span<const Cell> enemies_;
    FixedList<Cell, 2 * vampires_directions> houses_;
    FixedList<Cell, vampires_directions> near_;
};

}  // namespace

void list_target_ways(const Vampires& state, std::span<const VampiresCell> groups, const VampiresTargetLimits& limits,
                      std::span<VampiresWays> ways) {
    const Rivals rivals(state);
    for (std::size_t i = 0; i < groups.size(); ++i) TargetWays(state, limits, rivals, groups[i], ways[i]).list();
}

}  // namespace joute
