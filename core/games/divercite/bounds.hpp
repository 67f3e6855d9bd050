#pragma once

// Bounds of the final result of a Divercité position. See solver.hpp.

#include "live.hpp"

namespace joute::divercite_live {

struct Bounds {
    int lower, upper;
};

// An upper bound for a contest over cells that two players fill in turn: she maximizes a sum, he minimizes it.
class Contest {
public:
    // Adds a cell: `wish` is the most it brings her if she fills it, `worth` the most if he fills it, by colour.
    void add(int wish, Four worth) {
        total_ += wish;
        least_ = std::min(least_, wish);
        // Each colour is sorted on its own, largest loss first.
        Four loss = wish - worth;
        for (int i = 0; i < count_; ++i) {
            const Four other = losses_[i];
            losses_[i] = other > loss ? other : loss;
            loss = other > loss ? loss : other;
        }
        losses_[count_++] = loss;
    }

    // An upper bound of her sum over all cells that get filled (`leaves_one`: one cell stays empty). She fills `hers`
    // cells; he has the pieces `his`, four bits a colour. His strategy: once she has had `turns` turns, he places a
    // piece each turn where the loss is largest. Of the cells sorted by loss, at most as many are gone as both have
    // filled before.
    int most(int hers, std::uint32_t his, int turns, bool leaves_one) const {
        int most = leaves_one ? total_ - least_ : total_;
        for (int placed = 0; his; ++placed, ++turns) {
            const Four& losses = losses_[placed + std::min(hers, turns)];
            int best = far_below, best_colour = 0;
            for (int colour = 0; colour < colours; ++colour)
                if ((his >> (4 * colour) & 15) && losses[colour] > best) {
                    best = losses[colour];
                    best_colour = colour;
                }
            most -= best;
            his -= 1U << (4 * best_colour);
        }
        return most;
    }

private:
    std::array<Four, R::resource_cells> losses_;
    int count_ = 0, total_ = 0, least_ = -far_below;
};

inline int in_points_of(int count_of_parts) {
    return count_of_parts >= 0 ? count_of_parts / parts : -((parts - 1 - count_of_parts) / parts);
}

// The largest final lead of `hopeful` over the opponent.
//
// A city on the board gets at most its shares of the resources that arrive beside it, and a city not yet placed at most
// its best value. So the cells are filled in two contests, one for resources and one for cities. In both, the
// opponent's strategy works against any play of `hopeful`, so the bound holds whether he places his resources first or
// his cities first.
inline int most_for(const Position& position, const Cities& table, Player hopeful) {
    const Hand &hers = position.hands[hopeful], &his = position.hands[1 - hopeful];
    const int turns = position.mover == hopeful ? 1 : 0;
    const int his_cities = his.city_count(), his_resources = his.resource_count();
    int resources_first = 0, cities_first = 0;
    if (const int left = position.resource_colours()) {
        Contest contest;
        const Four hopes = only_of_set[hers.resources() ? hers.resources() : left];
        for (std::uint32_t rest = position.empty_resources; rest; rest &= rest - 1) {
            const int resource = std::countr_zero(rest);
            const Four worth = hopeful == 0 ? position.around(resource, table, &CityFacts::most)
                                            : -position.around(resource, table, &CityFacts::least);
            contest.add(max_of(worth + hopes), worth);
        }
        const auto most = [&](int after) {
            return in_points_of(contest.most(hers.resource_count(), his.resource_pieces(), turns + after, true));
        };
        resources_first = most(0);
        cities_first = his_cities && his_resources ? most(his_cities) : resources_first;
    }
    if (position.empty_cities) {
        Contest contest;
        const int her_colours = hers.cities();
        const std::uint32_t supply = hers.resource_pieces() + his.resource_pieces();
        for (std::uint32_t rest = position.empty_cities; rest; rest &= rest - 1) {
            const CityFacts& facts = table[position.cities[std::countr_zero(rest)]];
            int wish = her_colours ? far_below : 0;
            Four worth{};
            for (int colour = 0; colour < colours; ++colour) {
                if (her_colours >> colour & 1)
                    wish = std::max(wish, facts.best[colour][std::min(4U, supply >> (4 * colour) & 15)]);
                worth[colour] = -facts.worst[colour];
            }
            contest.add(wish, worth);
        }
        const auto most = [&](int after) {
            return contest.most(hers.city_count(), his.city_pieces(), turns + after, false);
        };
        resources_first += most(his_resources);
        cities_first += most(0);
    }
    return (hopeful == 0 ? 1 : -1) * position.worth + std::min(resources_first, cities_first);
}

// Bounds of the final value under best play, White's minus Black's.
inline Bounds bounds_of(const Position& position, const Cities& table) {
    return {-most_for(position, table, 1), most_for(position, table, 0)};
}

}  // namespace joute::divercite_live
