#pragma once

// A city cell as the solver sees it: what it can still become, and the gain of each resource that arrives beside it.
// See solver.hpp.

#include <array>
#include <cstdint>
#include <vector>

#include "divercite.hpp"

namespace joute::divercite_live {

// One number per colour.
using Four [[gnu::vector_size(16)]] = int;

constexpr int colours = DiverciteRules::colours;
constexpr int colour_sets = 1 << colours;

// The quantity to count: points alone, or points and all tie-breaks as one number, in which points come first and each
// rung of the ladder outweighs the rungs below. Both are sums over cities.
enum class Measure { points, ladder };

namespace ladder {
constexpr int base = DiverciteRules::city_cells + 1;  // more than twice any difference: eight cities each
constexpr int two = 1, three = base, four = base * three, divercite = base * four, point = base * divercite;
constexpr int most_twos = DiverciteRules::city_cells / 2;
}  // namespace ladder

constexpr int point_of(Measure measure) { return measure == Measure::points ? 1 : ladder::point; }

// Bounds are counted in twelfths of a point, so that a Divercité can be split evenly between the cells it still needs.
constexpr int parts = 12;

// The number of one of the few hundred states of a city cell; 0 is a city whose value is settled.
using CityId = std::uint16_t;
constexpr CityId settled = 0;

// Values are from White's view unless the owner's view is named. Values of states that are no longer possible are never
// read.
struct CityFacts {
    // The effect of an arriving resource, by colour.
    Four gain{};
    Four ordering_score{};  // gain plus change in potential, in parts; for move ordering
    // Shares of an upper and a lower bound of the future gain, in parts.
    Four most{}, least{};
    std::array<CityId, colours> next{};
    // The state if only these colours of resources are left.
    std::array<CityId, colour_sets> among{};
    std::uint8_t cares = 0;  // the set of colours that affect it; all others are equivalent

    // For a cell without a city: by colour of a new city, its state, its immediate value and its value in the end, from
    // its owner's view.
    bool is_open = false, has_free = false;
    std::uint8_t around = 0;  // set of colours around the cell
    std::array<std::array<CityId, colours>, 2> founded{};
    std::array<int, colours> founding{}, founding_ordering_score{}, worst{};
    std::array<std::array<int, 5>, colours> best{};  // by the number of resources of its colour left, up to four
};

class Cities {
public:
    explicit Cities(Measure measure);
    static const Cities& of(Measure measure);  // created once

    const CityFacts& operator[](CityId id) const { return facts_[id]; }
    // The state of an empty city cell with these resources around it.
    CityId open(std::uint32_t around) const;
    // The state of a city on the board.
    CityId founded(std::uint32_t around, int colour, Player owner) const;
    // The current value of a city, from its owner's view.
    int worth(std::uint32_t around, int colour) const;

private:
    struct City;
    struct Maker;

    Measure measure_;
    std::vector<CityFacts> facts_;
    std::array<CityId, 1 << 12> open_{};  // index: three bits a colour
};

}  // namespace joute::divercite_live
