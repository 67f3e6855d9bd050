#pragma once

// The input features of the network of Vampires vs Werewolves, for positions in which a player is to move: numbers of
// about -1 to 1, from the mover's view.

#include <cassert>

#include "race.hpp"

namespace joute {

struct VampiresFeatures {
    static constexpr std::size_t count = 61;
    using List = std::array<float, count>;

    static void list(const Vampires& state, List& features) { VampiresFeatures(state, features).fill(); }

private:
    using Cell = Vampires::Cell;
    using Groups = std::span<const Cell>;
    static constexpr int out_of_reach = 2 * vampires_max_side;

    // The largest group comes from `set`; the arrays, by index of the group, from compare_groups().
    struct Side {
        Groups groups;
        int units;
        Cell largest;
        int largest_after_race = 0;
        std::array<int, vampires_max_occupied>
            hunter;  // steps to the nearest enemy group that is certain to destroy it
        std::array<int, vampires_max_occupied> besieging;  // units of all adjacent enemy groups

        void set(const Vampires& state, Player player) {
            groups = state.groups(player);
            units = state.units(player);
            largest =
                *std::max_element(groups.begin(), groups.end(), [](Cell a, Cell b) { return a.count() < b.count(); });
            std::fill_n(hunter.begin(), groups.size(), out_of_reach);
            std::fill_n(besieging.begin(), groups.size(), 0);
        }
    };

    VampiresFeatures(const Vampires& state, List& features) : state_(state), features_(features) {
        own_.set(state, state.to_move());
        other_.set(state, opponent(state.to_move()));
    }

    void fill() {
        compare_groups();
        add_sizes();
        add_races();
        add_threats(other_);
        add_threats(own_);
        add_contact();
        add_rest();
        add_battle_odds();
        add_siege(other_);
        add_siege(own_);
        add_doomed(own_, other_);
        add_doomed(other_, own_);
        add(lead(own_.units, other_.largest.count()));
        add(lead(other_.units, own_.largest.count()));
        add_surroundings(own_);
        add_surroundings(other_);
        assert(size_ == count);
    }

    void add(float value) { features_[size_++] = value; }
    void add(bool holds) { add(holds ? 1.0f : 0.0f); }
    static float ratio(int part, int whole) { return static_cast<float>(part) / static_cast<float>(whole); }
    // The difference of two numbers relative to their sum.
    static float lead(int one, int other) { return ratio(one - other, one + other); }
    static float clamped(int value, int most) { return ratio(std::clamp(value, -most, most), most); }
    static bool destroys(int attackers, int defenders) { return 2 * attackers >= 3 * defenders; }

    // Compares all pairs of hostile groups.
    void compare_groups() {
        for (std::size_t i = 0; i < own_.groups.size(); ++i)
            for (std::size_t j = 0; j < other_.groups.size(); ++j) {
                const int own = own_.groups[i].count(), other = other_.groups[j].count();
                const int steps = vampires_distance(own_.groups[i].place(), other_.groups[j].place());
                if (destroys(own, other))
                    other_.hunter[j] = std::min(other_.hunter[j], steps);
                else if (destroys(other, own))
                    own_.hunter[i] = std::min(own_.hunter[i], steps);
                if (steps > 1) continue;
                own_.besieging[i] += other;
                other_.besieging[j] += own;
                if (!destroys(own, other) && std::min(own, other) > std::min(contact_[0], contact_[1]))
                    contact_ = {own, other};
            }
    }

    void add_sizes() {
        const int own = own_.largest.count(), other = other_.largest.count();
        add(lead(own_.units, other_.units));
        add(clamped(own_.units - other_.units, 1));
        add(clamped(own_.units - other_.units, 4));
        add(lead(own, other));
        add(ratio(own, own_.units));
        add(ratio(other, other_.units));
        add(destroys(own, other));
        add(destroys(other, own));
        constexpr int many_groups = 8;
        add(clamped(static_cast<int>(own_.groups.size()), many_groups));
        add(clamped(static_cast<int>(other_.groups.size()), many_groups));
    }

    void add_races() {
        const auto [own, other] = VampiresRace::run(state_);
        for (std::size_t span = 0; span < VampiresRace::spans; ++span)
            add(lead(own_.units + own.gains[span], other_.units + other.gains[span]));
        const int own_end = own_.units + own.gains.back(), other_end = other_.units + other.gains.back();
        add(clamped(own_end - other_end, 1));
        add(clamped(own_end - other_end, 8));
        add(destroys(own_end, other_end));
        add(destroys(other_end, own_end));
        own_.largest_after_race = own.largest;
        other_.largest_after_race = other.largest;
    }

    // The shares of the units within reach of enemies that are certain to destroy them, by distance of the nearest one.
    void add_threats(const Side& prey) {
        constexpr std::array<int, 4> reaches{1, 2, 3, 5};
        std::array<int, reaches.size() + 1> in_reach{};
        for (std::size_t k = 0; k < prey.groups.size(); ++k) {
            if (prey.hunter[k] == out_of_reach) continue;
            std::size_t i = 0;
            while (i < reaches.size() && prey.hunter[k] > reaches[i]) ++i;
            in_reach[i] += prey.groups[k].count();
        }
        for (const int units : in_reach) add(ratio(units, prey.units));
    }

    // Compares the largest pair of adjacent enemy groups that may fight a random battle.
    void add_contact() {
        const auto [own, other] = contact_;
        add(own > 0);
        add(own > 0 ? lead(own, other) : 0.0f);
    }

    void add_rest() {
        const int steps = vampires_distance(own_.largest.place(), other_.largest.place());
        add(ratio(1, steps));
        add(steps % 2 != 0);
        add(ratio(state_.humans(), state_.humans() + own_.units + other_.units));
        const int left = std::max(state_.rules()->ply_limit() - state_.ply(), 0);
        constexpr int soon = 10, far = 200;
        add(ratio(soon, soon + left));
        add(clamped(left, far));
        constexpr int usual_side = 10;
        add(ratio(usual_side, usual_side + std::max(state_.rows(), state_.columns())));
    }

    // The probability that an attack on enemies wins.
    float odds(int attackers, int defenders) const {
        const VampiresBattle battle{attackers, defenders, false, state_.rules()->battles};
        return battle.is_won() ? 1.0f : battle.is_lost() ? 0.0f : ratio(battle.win_parts(), battle.whole());
    }

    // The largest groups against each other, after the race and now.
    void add_battle_odds() {
        const int own_later = own_.largest_after_race, other_later = other_.largest_after_race;
        add(lead(own_later, other_later));
        add(destroys(own_later, other_later));
        add(destroys(other_later, own_later));
        add(odds(own_.largest.count(), other_.largest.count()));
        add(odds(other_.largest.count(), own_.largest.count()));
    }

    // The share of the units that all adjacent enemies together are certain to destroy, and the best share times odds
    // of their random attacks.
    void add_siege(const Side& besieged) {
        int certain = 0;
        float best = 0;
        for (std::size_t i = 0; i < besieged.groups.size(); ++i) {
            if (besieged.besieging[i] == 0) continue;
            const int units = besieged.groups[i].count();
            if (destroys(besieged.besieging[i], units))
                certain += units;
            else
                best = std::max(best, odds(besieged.besieging[i], units) * ratio(units, besieged.units));
        }
        add(ratio(certain, besieged.units));
        add(best);
    }

    // The share of the units in groups that a hunter reaches before they can merge into a group that is safe from the
    // largest enemy group; and the second largest group.
    void add_doomed(const Side& hunters, const Side& prey) {
        int doomed = 0, second = 0;
        for (std::size_t i = 0; i < prey.groups.size(); ++i) {
            const Cell cell = prey.groups[i];
            if (cell.place() != prey.largest.place()) second = std::max(second, cell.count());
            if (prey.hunter[i] == out_of_reach) continue;
            int refuge = out_of_reach;
            for (const Cell friendly : prey.groups)
                if (friendly.place() != cell.place() &&
                    !destroys(hunters.largest.count(), friendly.count() + cell.count()))
                    // Both groups approach each other.
                    refuge = std::min(refuge, (vampires_distance(friendly.place(), cell.place()) + 1) / 2);
            if (prey.hunter[i] <= refuge) doomed += cell.count();
        }
        add(ratio(doomed, prey.units));
        add(ratio(second, prey.units));
    }

    // How far the units are from their largest group, how far it is from the edges, and the houses that it can convert.
    void add_surroundings(const Side& side) {
        const Cell largest = side.largest;
        int spread = 0;
        for (const Cell cell : side.groups) spread += cell.count() * vampires_distance(cell.place(), largest.place());
        constexpr int far = 4, inland = 5;
        add(std::min(ratio(spread, far * side.units), 1.0f));
        const int x = place_x(largest.place()), y = place_y(largest.place());
        const int across = std::min(x, state_.columns() - 1 - x), along = std::min(y, state_.rows() - 1 - y);
        add(clamped(std::min(across, along), inland));
        add(clamped(std::max(across, along), inland));
        int humans = 0, nearest = out_of_reach;
        for (const Cell house : state_.houses()) {
            if (house.count() > largest.count()) continue;
            humans += house.count();
            nearest = std::min(nearest, vampires_distance(house.place(), largest.place()));
        }
        add(ratio(humans, humans + own_.units + other_.units));
        add(ratio(1, nearest));
    }

    const Vampires& state_;
    List& features_;
    std::size_t size_ = 0;
    Side own_, other_;
    std::array<int, 2> contact_{};  // the largest pair of adjacent groups that may fight a random battle
};

}  // namespace joute
