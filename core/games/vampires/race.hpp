#pragma once

// The race for houses: which side converts which house if nobody fights and no group splits. Every group goes to the
// house with the most humans per step, and grows. The first group to arrive converts the house; the other groups that
// were heading for it choose again, from the place where they last chose. This finds quickly what a search would need
// dozens of plies for.

#include <algorithm>

#include "vampires.hpp"

namespace joute {

class VampiresRace {
public:
    // Humans converted within this many plies from now, and in total.
    static constexpr std::array<int, 3> deadlines{4, 8, 16};
    static constexpr std::size_t spans = deadlines.size() + 1;
    using Gains = std::array<int, spans>;
    struct Side {
        Gains gains{};
        int largest = 0;  // the size of its largest group at the end
    };

    // The mover, then the opponent.
    static std::array<Side, 2> run(const Vampires& state) { return VampiresRace(state).run(); }

private:
    using Place = Vampires::Place;
    using Cell = Vampires::Cell;

    // The number of groups of each side that race, the largest; the others stay in place.
    static constexpr std::size_t most_racers = 6;
    static constexpr int nowhere = -1;

    struct Racer {
        Place place;
        int count;
        int plies;    // the ply of its arrival at `place`
        int arrival;  // the ply of its arrival at `target`, from now
        int target;   // index of a house, or nowhere
    };

    explicit VampiresRace(const Vampires& state)
        : houses_(state.houses()), plies_left_(plies_left(state)), surplus_(state.rules()->battles.equal_humans_fight) {
        open_count_ = houses_.size();
        for (std::size_t i = 0; i < open_count_; ++i) open_[i] = static_cast<std::uint8_t>(i);
        // After 2 n - 1 plies the mover has made n steps; the opponent has after 2 n.
        add_racers(state.groups(state.to_move()), -1);
        firsts_ = racer_count_;
        add_racers(state.groups(opponent(state.to_move())), 0);
    }

    static int plies_left(const Vampires& state) { return state.rules()->ply_limit() - state.ply(); }

    void add_racers(std::span<const Cell> groups, int plies) {
        const std::size_t begin = racer_count_;
        for (const Cell group : groups) {
            std::size_t place = racer_count_;
            if (racer_count_ - begin < most_racers)
                ++racer_count_;
            else if (racers_[--place].count >= group.count())
                continue;
            for (; place > begin && racers_[place - 1].count < group.count(); --place)
                racers_[place] = racers_[place - 1];
            racers_[place] = {group.place(), group.count(), plies, 0, nowhere};
        }
    }

    std::array<Side, 2> run() {
        std::array<Side, 2> sides{};
        for (std::size_t i = 0; i < racer_count_; ++i) aim(racers_[i]);
        for (;;) {
            Racer* next = nullptr;
            for (std::size_t i = 0; i < racer_count_; ++i)
                if (racers_[i].target != nowhere && (!next || racers_[i].arrival < next->arrival)) next = &racers_[i];
            if (!next || next->arrival > plies_left_) break;
            const int target = next->target;
            const Cell house = houses_[static_cast<std::size_t>(target)];
            take(target);
            Gains& own = sides[next < &racers_[firsts_] ? 0 : 1].gains;
            for (std::size_t span = 0; span < deadlines.size(); ++span)
                if (next->arrival <= deadlines[span]) own[span] += house.count();
            own.back() += house.count();
            next->place = house.place();
            next->count += house.count();
            next->plies = next->arrival;
            for (std::size_t i = 0; i < racer_count_; ++i)
                if (racers_[i].target == target) aim(racers_[i]);
        }
        for (std::size_t i = 0; i < racer_count_; ++i) {
            int& largest = sides[i < firsts_ ? 0 : 1].largest;
            largest = std::max(largest, racers_[i].count);
        }
        return sides;
    }

    void take(int target) {
        std::uint8_t* const end = open_.data() + open_count_--;
        std::uint8_t* const found = std::find(open_.data(), end, static_cast<std::uint8_t>(target));
        std::copy(found + 1, end, found);  // keeps the order, so that of equal houses the first on the board wins
    }

    // Chooses the next target.
    void aim(Racer& racer) const {
        racer.target = nowhere;
        // The value of a house is its humans per step, compared as fractions.
        int best_humans = 0, best_steps = 1;
        for (std::size_t i = 0; i < open_count_; ++i) {
            const Cell house = houses_[open_[i]];
            if (house.count() + surplus_ > racer.count) continue;
            const int steps = vampires_distance(racer.place, house.place());
            const int gain = house.count() * best_steps - best_humans * steps;
            if (gain < 0 || (gain == 0 && steps >= best_steps)) continue;
            best_humans = house.count();
            best_steps = steps;
            racer.target = open_[i];
        }
        racer.arrival = racer.plies + 2 * best_steps;
    }

    std::span<const Cell> houses_;
    int plies_left_;
    int surplus_;  // the number of units by which a group must outnumber humans
    std::array<Racer, 2 * most_racers> racers_;
    std::size_t racer_count_ = 0, firsts_ = 0;
    std::array<std::uint8_t, vampires_max_occupied> open_;  // houses not converted yet
    std::size_t open_count_ = 0;
};

}  // namespace joute
