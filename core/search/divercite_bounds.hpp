#pragma once

// What a Divercité position can still come to. See divercite_solver.hpp.

#include "divercite_live.hpp"

namespace joute::divercite_live {

struct Bounds {
    int lower, upper;
};

// Cells that two players fill in turn: one hopes for much, the other sees to it that it is little.
class Contest {
public:
    // What a cell brings the hopeful player at most: where she fills it, and where the other does, by colour.
    void add(int wish, Four worth) {
        total_ += wish;
        least_ = std::min(least_, wish);
        // Sorted for each colour by itself, what hurts most first.
        Four loss = wish - worth;
        for (int i = 0; i < count_; ++i) {
            const Four other = losses_[i];
            losses_[i] = other > loss ? other : loss;
            loss = other > loss ? loss : other;
        }
        losses_[count_++] = loss;
    }

    // The most that she has of all cells but those left empty, where she fills `hers` and he has `his` pieces, four
    // bits a colour. His plan is to place them as soon as she has had `turns` turns, each where it hurts most. Of the
    // cells in the order of what is lost there, at most those are gone before that both have filled.
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

// The most that a player can have in the end over the other: `sign` is 1 for White.
inline int most_for(const Position& position, const Cities& table, Player hopeful) {
    const int sign = hopeful == 0 ? 1 : -1;
    const Hand &hers = position.hands[hopeful], &his = position.hands[1 - hopeful];
    const int turns = position.mover == hopeful ? 1 : 0;
    const int left = position.resource_colours();
    int first = 0, second = 0;  // if his resources come before his cities, and the other way round
    const int his_cities = his.city_count(), his_resources = his.resource_count();
    if (left) {
        Contest contest;
        const int her_colours = hers.resources();
        const Four hopes = only_of_set[her_colours ? her_colours : left];
        for (std::uint32_t rest = position.empty_resources; rest; rest &= rest - 1) {
            const int resource = std::countr_zero(rest);
            const Four worth = hopeful == 0 ? position.around(resource, table, &CityFacts::most)
                                            : -position.around(resource, table, &CityFacts::least);
            contest.add(max_of(worth + hopes), worth);
        }
        const int count = hers.resource_count();
        const auto floor = [](int value) { return value >= 0 ? value / parts : -((-value + parts - 1) / parts); };
        first = floor(contest.most(count, his.resource_pieces(), turns, true));
        second = his_cities && his_resources
                     ? floor(contest.most(count, his.resource_pieces(), turns + his_cities, true))
                     : first;
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
        const int count = hers.city_count();
        first += contest.most(count, his.city_pieces(), turns + his_resources, false);
        second += contest.most(count, his.city_pieces(), turns, false);
    }
    return sign * position.worth + std::min(first, second);
}

// The worth in the end, White's less Black's, however well either plays.
inline Bounds bounds_of(const Position& position, const Cities& table) {
    return {-most_for(position, table, 1), most_for(position, table, 0)};
}

}  // namespace joute::divercite_live
