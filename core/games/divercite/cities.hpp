#pragma once

// A cell for cities as the rest of a game sees it: what it can still become, and what each resource that arrives
// beside it brings. See solver.hpp.

#include <array>
#include <cstdint>
#include <vector>

#include "divercite.hpp"

namespace joute::divercite_live {

// A number for each colour.
using Four [[gnu::vector_size(16)]] = int;

constexpr int colours = DiverciteRules::colours;
constexpr int colour_sets = 1 << colours;

// What is counted: points alone, or with them all that breaks a tie, as one number in which points come first and
// each rung outweighs those below it. Either is a sum over cities.
enum class Measure { points, ladder };

namespace ladder {
constexpr int base = DiverciteRules::city_cells + 1;  // a player has eight cities: more than twice any difference
constexpr int two = 1, three = base, four = base * three, divercite = base * four, point = base * divercite;
constexpr int most_twos = DiverciteRules::city_cells / 2;
}  // namespace ladder

constexpr int point_of(Measure measure) { return measure == Measure::points ? 1 : ladder::point; }

// Bounds are counted in twelfths, so that a Divercité can be split evenly between the cells it still needs.
constexpr int parts = 12;

// One of the few hundred things that a cell can be, numbered; 0 is a city whose worth is settled.
using CityId = std::uint16_t;
constexpr CityId settled = 0;

// Views are White's unless the owner's are named. Values of what is no longer possible are never asked for.
struct CityFacts {
    // When a resource of each colour arrives.
    Four gain{};
    Four promise{};  // the gain and what it does to hopes, in parts: for the order of moves
    // Shares of an upper and a lower bound of what is still to come, in parts.
    Four most{}, least{};
    std::array<CityId, colours> next{};
    // Where only these colours of resources are left.
    std::array<CityId, colour_sets> among{};
    std::uint8_t cares = 0;  // resources of other colours are all the same to it

    // Where no city is yet: what one of each colour is, gains at once and is worth in the end, in its owner's view.
    bool is_open = false, has_free = false;
    std::uint8_t around = 0;  // colours that are there
    std::array<std::array<CityId, colours>, 2> founded{};
    std::array<int, colours> founding{}, founding_promise{}, worst{};
    std::array<std::array<int, 5>, colours> best{};  // by how many resources of its colour are left, up to four
};

class Cities {
public:
    explicit Cities(Measure measure);
    static const Cities& of(Measure measure);  // made once

    const CityFacts& operator[](CityId id) const { return facts_[id]; }
    // Of a cell with these resources around it, where nothing else is known.
    CityId open(std::uint32_t around) const;
    // Of a city that is there.
    CityId founded(std::uint32_t around, int colour, Player owner) const;
    // What a city is worth as it stands, in its owner's view.
    int worth(std::uint32_t around, int colour) const;

private:
    struct City;
    struct Maker;

    Measure measure_;
    std::vector<CityFacts> facts_;
    std::array<CityId, 1 << 12> open_{};  // by three bits a colour
};

}  // namespace joute::divercite_live
