#pragma once

// The input features of the network of Vampires vs Werewolves, for positions in which a player is to move: numbers of
// about -1 to 1, from the mover's view.

#include "race.hpp"

namespace joute {

struct VampiresFeatures {
    static constexpr std::size_t count = 36;
    using List = std::array<float, count>;

    static void list(const Vampires& state, List& features) { VampiresFeatures(state, features).fill(); }

private:
    using Cell = Vampires::Cell;
    using Groups = std::span<const Cell>;

    VampiresFeatures(const Vampires& state, List& features)
        : state_(state), features_(features), own_(side(state.to_move())), other_(side(opponent(state.to_move()))) {}

    struct Side {
        Groups groups;
        int units;
        Cell largest;
    };
    Side side(Player player) const {
        const Groups groups = state_.groups(player);
        const auto largest =
            std::max_element(groups.begin(), groups.end(), [](Cell a, Cell b) { return a.count() < b.count(); });
        return {groups, state_.units(player), *largest};
    }

    void fill() {
        add_sizes();
        add_races();
        add_threats(own_, other_);
        add_threats(other_, own_);
        add_contact();
        add_rest();
    }

    void add(float value) { features_[size_++] = value; }
    void add(bool holds) { add(holds ? 1.0f : 0.0f); }
    static float ratio(int part, int whole) { return static_cast<float>(part) / static_cast<float>(whole); }
    // The difference of two numbers relative to their sum.
    static float lead(int one, int other) { return ratio(one - other, one + other); }
    static float clamped(int value, int most) { return ratio(std::clamp(value, -most, most), most); }
    static bool destroys(int attackers, int defenders) { return 2 * attackers >= 3 * defenders; }

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
            add(lead(own_.units + own[span], other_.units + other[span]));
        const int own_end = own_.units + own.back(), other_end = other_.units + other.back();
        add(clamped(own_end - other_end, 1));
        add(clamped(own_end - other_end, 8));
        add(destroys(own_end, other_end));
        add(destroys(other_end, own_end));
    }

    // The shares of the prey's units within reach of hunters that are certain to destroy them, by distance of the
    // nearest hunter.
    void add_threats(const Side& hunters, const Side& prey) {
        constexpr std::array<int, 4> reaches{1, 2, 3, 5};
        std::array<int, reaches.size() + 1> in_reach{};
        for (const Cell victim : prey.groups) {
            int nearest = 2 * vampires_max_side;
            for (const Cell hunter : hunters.groups)
                if (destroys(hunter.count(), victim.count()))
                    nearest = std::min(nearest, vampires_distance(hunter.place(), victim.place()));
            if (nearest > vampires_max_side) continue;
            std::size_t i = 0;
            while (i < reaches.size() && nearest > reaches[i]) ++i;
            in_reach[i] += victim.count();
        }
        for (const int units : in_reach) add(ratio(units, prey.units));
    }

    // Compares the largest pair of adjacent enemy groups that may fight a random battle.
    void add_contact() {
        int own = 0, other = 0;
        for (const Cell a : own_.groups)
            for (const Cell b : other_.groups)
                if (std::min(a.count(), b.count()) > std::min(own, other) &&
                    vampires_distance(a.place(), b.place()) == 1 && !destroys(a.count(), b.count())) {
                    own = a.count();
                    other = b.count();
                }
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

    const Vampires& state_;
    List& features_;
    std::size_t size_ = 0;
    Side own_, other_;
};

}  // namespace joute
