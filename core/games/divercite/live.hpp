#pragma once

// A late position of Divercité as its solver sees it: what each city cell can still become, the empty resource cells,
// and the hands. See solver.hpp.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "cities.hpp"

namespace joute::divercite_live {

using R = DiverciteRules;
using divercite_board::tables;

constexpr int far_below = -(1 << 28);

inline int max_of(Four four) { return std::max(std::max(four[0], four[1]), std::max(four[2], four[3])); }

// Adds 0 for colours of the set and a very negative number for all others, so that they are never the maximum.
constexpr auto only_of_set = [] {
    std::array<Four, colour_sets> only{};
    for (int set = 0; set < colour_sets; ++set)
        only[set] =
            Four{set & 1 ? 0 : far_below, set & 2 ? 0 : far_below, set & 4 ? 0 : far_below, set & 8 ? 0 : far_below};
    return only;
}();

// A player's hand, four bits a piece: cities by colour, then resources by colour.
class Hand {
public:
    Hand() = default;
    Hand(const Divercite& state, Player player) {
        for (int colour = 0; colour < colours; ++colour)
            pieces_ |= static_cast<std::uint32_t>(state.cities_left(player, colour)) << (4 * colour) |
                       static_cast<std::uint32_t>(state.resources_left(player, colour)) << (16 + 4 * colour);
    }
    // The sets of colours in hand.
    int cities() const { return set(pieces_); }
    int resources() const { return set(pieces_ >> 16); }
    int city_count() const { return sum(pieces_); }
    int resource_count() const { return sum(pieces_ >> 16); }
    // The number of pieces of each colour, four bits each.
    std::uint32_t city_pieces() const { return pieces_ & 0xffff; }
    std::uint32_t resource_pieces() const { return pieces_ >> 16; }
    void take_city(int colour) { pieces_ -= 1U << (4 * colour); }
    void take_resource(int colour) { pieces_ -= 1U << (16 + 4 * colour); }

    // A key that is equal for hands with equal counts that differ only in the colours outside these sets.
    std::uint64_t regardless(int city_cares, int resource_cares) const {
        const std::uint32_t kept = nibbles[city_cares] | nibbles[resource_cares] << 16;
        const std::uint32_t rest = pieces_ & ~kept;
        return (pieces_ & kept) | std::uint64_t(sum(rest)) << 32 | std::uint64_t(sum(rest >> 16)) << 40;
    }

private:
    static constexpr auto nibbles = [] {
        std::array<std::uint32_t, colour_sets> masks{};
        for (std::uint32_t set = 0; set < colour_sets; ++set)
            for (std::uint32_t colour = 0; colour < colours; ++colour)
                if (set >> colour & 1) masks[set] |= 15U << (4 * colour);
        return masks;
    }();
    // For the low sixteen bits: the set of nibbles that are not 0 (at most 3 each), and their sum.
    static int set(std::uint32_t nibbles) {
        const std::uint32_t held = (nibbles | nibbles >> 1) & 0x1111;
        return static_cast<int>((held | held >> 3 | held >> 6 | held >> 9) & 15);
    }
    static int sum(std::uint32_t nibbles) { return static_cast<int>(((nibbles & 0xffff) * 0x1111U) >> 12 & 15); }

    std::uint32_t pieces_ = 0;
};

struct Position {
    std::array<CityId, R::city_cells> cities{};
    std::array<Hand, 2> hands{};
    std::uint32_t empty_resources = 0;
    std::uint16_t empty_cities = 0;
    std::int8_t left = 0;  // plies to play
    std::int8_t mover = 0;
    int worth = 0;  // current value, White's minus Black's

    Position(const Divercite& state, const Cities& table);

    int sign() const { return mover == 0 ? 1 : -1; }
    int resource_colours() const { return hands[0].resources() | hands[1].resources(); }
    void play(Divercite::Move move, const Cities& table);

    // Sums a number of CityFacts, for each colour, over the cities around an empty resource cell.
    Four around(int resource, const Cities& table, Four CityFacts::* number) const {
        Four sum{};
        for (int i = 0; i < tables.city_count_of[resource]; ++i)
            sum += table[cities[tables.cities_of[resource][i]]].*number;
        return sum;
    }

private:
    void forget_lost_colours(const Cities& table);
};

inline Position::Position(const Divercite& state, const Cities& table)
    : hands{Hand(state, 0), Hand(state, 1)},
      empty_resources(state.empty_resources()),
      empty_cities(static_cast<std::uint16_t>(state.empty_cities())),
      left(static_cast<std::int8_t>(R::plies - state.ply())),
      mover(static_cast<std::int8_t>(state.to_move())) {
    for (int city = 0; city < R::city_cells; ++city) {
        const std::uint32_t around = state.around(city);
        if (empty_cities >> city & 1) {
            cities[city] = table.open(around);
            continue;
        }
        const int colour = state.city_colour(city);
        const Player owner = state.city_owner(city);
        cities[city] = table.founded(around, colour, owner);
        worth += (owner == 0 ? 1 : -1) * table.worth(around, colour);
    }
    forget_lost_colours(table);
}

inline void Position::forget_lost_colours(const Cities& table) {
    const int set = resource_colours();
    for (CityId& city : cities) city = table[city].among[set];
}

inline void Position::play(Divercite::Move move, const Cities& table) {
    const int colour = Divercite::colour(move), index = Divercite::index(move);
    if (Divercite::is_city(move)) {
        const CityFacts& facts = table[cities[index]];
        worth += sign() * facts.founding[colour];
        cities[index] = table[facts.founded[mover][colour]].among[resource_colours()];
        empty_cities = static_cast<std::uint16_t>(empty_cities & ~(1 << index));
        hands[mover].take_city(colour);
    } else {
        for (int i = 0; i < tables.city_count_of[index]; ++i) {
            CityId& city = cities[tables.cities_of[index][i]];
            const CityFacts& facts = table[city];
            worth += facts.gain[colour];
            city = facts.next[colour];
        }
        empty_resources &= ~(1U << index);
        hands[mover].take_resource(colour);
        if (!(resource_colours() >> colour & 1)) forget_lost_colours(table);
    }
    --left;
    mover = static_cast<std::int8_t>(1 - mover);
}

}  // namespace joute::divercite_live
