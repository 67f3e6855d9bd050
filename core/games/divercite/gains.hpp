#pragma once

// The immediate gains of resources and cities on every cell.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "divercite.hpp"

namespace joute {

// A player's hand.
class DiverciteHand {
public:
    using Rules = DiverciteRules;

    DiverciteHand(const Divercite& state, Player player) : hand_(state.hand(player)) {
        const std::uint32_t colours = (hand_ | hand_ >> 1) & 0x11111111;  // the lowest bit of each group of four
        held_ = gathered(colours >> 16);
        city_mask_ = (colours & 0xffff) * 15;
        const std::uint32_t cities = (hand_ & 0xffff) + (hand_ >> 8 & 0xff);
        city_count_ = static_cast<int>((cities & 15) + (cities >> 4 & 15));
    }
    int resources(int colour) const { return static_cast<int>(hand_ >> (16 + 4 * colour) & 15); }
    bool holds(int colour) const { return held_ >> colour & 1; }
    // The number of these colours (one bit each) of which the player holds a resource.
    int held_of(std::uint32_t colours) const { return std::popcount(held_ & colours); }
    int city_count() const { return city_count_; }
    // The points that the best city in hand gets at once.
    int best_city(std::uint32_t around) const {
        if (around == Divercite::all_different) return city_mask_ ? Rules::divercite : 0;
        const std::uint32_t counts = around & city_mask_;
        return static_cast<int>(
            std::max(std::max(counts & 15, counts >> 4 & 15), std::max(counts >> 8 & 15, counts >> 12 & 15)));
    }

private:
    // Packs bits 0, 4, 8, 12 into the lowest four bits.
    static std::uint32_t gathered(std::uint32_t bits) { return bits * 0x1248 >> 12 & 15; }

    std::uint32_t hand_;
    std::uint32_t held_;       // colours of resources, one bit each
    std::uint32_t city_mask_;  // colours of cities, all four bits of each group
    int city_count_;
};

// The resources around a city cell.
struct DiverciteSurroundings {
    std::uint8_t filled, alive, missing;  // number of resources; whether all differ; missing colours, one bit each

    static const DiverciteSurroundings& of(std::uint32_t around) { return table[Divercite::packed(around)]; }
    // Whether one resource of the missing colour makes a Divercité.
    bool is_one_short() const { return filled == 3 && alive; }

private:
    static const std::array<DiverciteSurroundings, Divercite::packings> table;
};

inline constexpr std::array<DiverciteSurroundings, Divercite::packings> DiverciteSurroundings::table = [] {
    std::array<DiverciteSurroundings, Divercite::packings> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        table[i].alive = 1;
        for (int colour = 0; colour < DiverciteRules::colours; ++colour) {
            const auto count = static_cast<std::uint8_t>(i >> (3 * colour) & 7);
            table[i].filled = static_cast<std::uint8_t>(table[i].filled + count);
            if (count > 1) table[i].alive = 0;
            if (count == 0) table[i].missing = static_cast<std::uint8_t>(table[i].missing | 1 << colour);
        }
    }
    return table;
}();

// The gains of the best resources in hand on all cells, computed in vectors of bytes. Call add_city() for every city
// with free cells around it first, then add_up().
class DiverciteGains {
public:
    using Rules = DiverciteRules;

    DiverciteGains() {
        for (auto& of_colour : at_city_) of_colour.fill(level);
    }

    void add_city(int city, int colour, int own, bool is_movers, const DiverciteSurroundings& here) {
        const int sign = is_movers ? 1 : -1;
        const auto at = static_cast<std::size_t>(corner_of[city] + margin);
        at_city_[colour][at] = static_cast<std::uint8_t>(level + sign);
        if (here.is_one_short())
            at_city_[std::countr_zero(here.missing)][at] =
                static_cast<std::uint8_t>(level + sign * (Rules::divercite - own));
    }

    // Sums over cities: a resource (u, v) touches the cities (u, v), (u, v - 1), (u - 1, v) and (u - 1, v - 1).
    void add_up(const DiverciteHand& ours, const DiverciteHand& theirs) {
        for (std::size_t first = 0; first < room; first += sizeof(Bytes)) {
            Bytes best{}, best_of_theirs{};
            for (int colour = 0; colour < Rules::colours; ++colour) {
                const auto* from = at_city_[colour].data() + first;
                const Bytes sum = load(from + margin) + load(from + margin - 1) + load(from + 1) + load(from);
                const Bytes to_us = sum & all_or_none(ours.holds(colour));
                const Bytes to_them = (Bytes{} + twice_level - sum) & all_or_none(theirs.holds(colour));
                best = to_us > best ? to_us : best;
                best_of_theirs = to_them > best_of_theirs ? to_them : best_of_theirs;
            }
            store(best, best_[0].data() + first);
            store(best_of_theirs, best_[1].data() + first);
        }
    }

    // The gain of the mover's best resource on this cell, and the opponent's gain by the opponent's best one. Clipped
    // to ±`most` and offset by `most`, so a value of `most` means no gain.
    int ours(int resource) const { return best_[0][corner(resource)]; }
    int theirs(int resource) const { return best_[1][corner(resource)]; }

    static constexpr int most = 6;

private:
    // Cells are in the turned square, in rows of five, after a margin that gives all cells neighbours. Gains have an
    // offset, `level`, so that they fit in unsigned bytes.
    static constexpr int margin = Rules::grid + 1;
    static constexpr std::size_t room = 32;
    static constexpr std::uint8_t level = 8, level_of_four = 4 * level, twice_level = 2 * level_of_four;

    // GCC and Clang support these vectors on every processor.
    using Bytes = std::uint8_t __attribute__((vector_size(16)));
    static Bytes load(const std::uint8_t* from) {
        Bytes bytes;
        std::memcpy(&bytes, from, sizeof bytes);
        return bytes;
    }
    static void store(Bytes gains, std::uint8_t* to) {
        constexpr std::uint8_t least = level_of_four - most, above = 2 * most;
        gains = gains > Bytes{} + least ? gains - least : Bytes{};
        gains = gains > Bytes{} + above ? Bytes{} + above : gains;
        std::memcpy(to, &gains, sizeof gains);
    }
    static Bytes all_or_none(bool all) { return Bytes{} - static_cast<std::uint8_t>(all); }

    // The index of a cell, cities first.
    static constexpr auto corner_of = [] {
        std::array<std::uint8_t, Rules::cells> corners{};
        for (int cell = 0; cell < Rules::cells; ++cell) {
            const auto place = divercite_board::tables.places[cell];
            corners[cell] = static_cast<std::uint8_t>(Rules::grid * place.u + place.v);
        }
        return corners;
    }();
    static std::size_t corner(int resource) { return corner_of[Rules::city_cells + resource]; }

    std::array<std::array<std::uint8_t, 48>, Rules::colours> at_city_;
    std::array<std::array<std::uint8_t, room>, 2> best_;
};

}  // namespace joute
