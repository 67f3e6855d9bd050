#include "cities.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <map>

namespace joute::divercite_live {

namespace {

using R = DiverciteRules;

constexpr int around_city = 4;

// Potential of a city for move ordering, in parts of a point, by the number of free cells around it. Of eight settings
// tried on the positions of `python -m benchmarks divercite-solver` with 14 plies left, this one has the fewest nodes.
constexpr std::array<int, 5> divercite_hope{0, 18, 11, 12, 14};
constexpr std::array<int, 5> stack_hope{0, 2, 4, 6, 8};

constexpr std::array<int, 6> worths(Measure measure) {
    if (measure == Measure::points) return {0, 1, 2, 3, 4, 5};
    using namespace ladder;
    return {0, point, 2 * point + two, 3 * point + three, 4 * point + four, 5 * point + divercite};
}

constexpr int number_of(std::uint32_t around, int colour) { return Divercite::count(around, colour); }

constexpr int set_of(std::uint32_t around) {
    int set = 0;
    for (int colour = 0; colour < colours; ++colour)
        if (number_of(around, colour)) set |= 1 << colour;
    return set;
}

}  // namespace

struct Cities::City {
    bool is_there = true;
    bool hopes = false;  // whether it can become a Divercité, or is one if nothing is free
    int owner = 0, colour = 0, free = 0;
    std::uint32_t around = 0;  // without hopes, only the city's own colour; by points not even that

    auto operator<=>(const City&) const = default;

    int missing() const { return colour_sets - 1 - set_of(around); }
    City among(int left) const {
        City city = *this;
        city.hopes = hopes && (missing() & ~left) == 0;
        if (is_there && (free == 0 || (!city.hopes && !(left >> colour & 1)))) return {};
        return city;
    }
    City with_resource(int arriving) const {
        City city = *this;
        city.around += std::uint32_t{1} << (4 * arriving);
        --city.free;
        city.hopes = hopes && number_of(city.around, arriving) == 1;
        return city;
    }
    City with_city(int of_colour, int of_owner) const {
        City city = *this;
        city.is_there = true;
        city.colour = of_colour;
        city.owner = of_owner;
        return city;
    }
    // Normalizes the city: drops everything that no longer matters.
    City plain(Measure measure) const {
        City city = among(colour_sets - 1);
        if (city.is_there && !city.hopes)
            city.around = measure == Measure::points ? 0 : city.around & std::uint32_t{15} << (4 * city.colour);
        return city;
    }
};

// Numbers the cities as they are met and computes their facts.
struct Cities::Maker {
    Cities& cities;
    std::array<int, 6> value = worths(cities.measure_);
    std::map<City, CityId> ids{};
    std::vector<City> found{};

    int point() const { return point_of(cities.measure_); }

    CityId id(const City& city) {
        const City plain = city.plain(cities.measure_);
        const auto [place, is_new] = ids.try_emplace(plain, static_cast<CityId>(found.size()));
        if (is_new) found.push_back(plain);
        return place->second;
    }
    int worth(const City& city) const { return cities.worth(city.around, city.colour); }
    // The most and the least that one resource of the city's colour brings to a city that has `has` of them and `free`
    // free cells.
    int most_step(int has, int free) const {
        int most = 0;
        for (int n = has; n < has + free; ++n) most = std::max(most, value[n + 1] - value[n]);
        return most;
    }
    int least_step(int has, int free) const {
        int least = most_step(has, free);
        for (int n = has; n < has + free; ++n) least = std::min(least, value[n + 1] - value[n]);
        return least;
    }
    int hope(const City& city) const {
        if (city == City{}) return 0;
        return city.hopes ? divercite_hope[city.free] : stack_hope[city.free];
    }

    CityFacts facts(const City& city) {
        CityFacts f;
        const int all = colour_sets - 1;
        for (int left = 0; left < colour_sets; ++left) f.among[left] = id(city.among(left));
        f.has_free = city.free > 0;
        f.is_open = !city.is_there;
        if (f.has_free)
            for (int colour = 0; colour < colours; ++colour) f.next[colour] = id(city.with_resource(colour));
        if (f.is_open)
            open_facts(city, f);
        else if (city != City{})
            city_facts(city, f);
        if (f.has_free && city.hopes) f.cares = static_cast<std::uint8_t>(f.cares | (all & city.missing()));
        return f;
    }
    void city_facts(const City& city, CityFacts& f) {
        const int sign = city.owner == 0 ? 1 : -1, has = number_of(city.around, city.colour);
        f.cares = static_cast<std::uint8_t>(1 << city.colour);
        for (int colour = 0; colour < colours; ++colour) {
            const City next = city.with_resource(colour);
            const int gain = worth(next) - worth(city);
            const bool is_own = colour == city.colour;
            int most = is_own ? parts * most_step(has, city.free) : 0;
            int least = is_own ? parts * least_step(has, city.free) : 0;
            if (city.hopes && city.free == 1) most = least = parts * gain;
            // All missing colours together make the Divercité, so each gets an equal share of its value.
            if (city.hopes && city.free > 1 && city.missing() >> colour & 1)
                most = std::max(most, parts * (value[5] - value[has]) / city.free);
            f.gain[colour] = sign * gain;
            f.ordering_score[colour] = sign * (parts * gain / point() + hope(next.plain(cities.measure_)) - hope(city));
            f.most[colour] = sign > 0 ? most : -least;
            f.least[colour] = sign > 0 ? least : -most;
        }
    }
    void open_facts(const City& city, CityFacts& f) {
        f.around = static_cast<std::uint8_t>(set_of(city.around));
        for (int colour = 0; colour < colours; ++colour) {
            for (const int owner : {0, 1}) f.founded[owner][colour] = id(city.with_city(colour, owner));
            const City there = city.with_city(colour, 0);
            const int has = number_of(city.around, colour);
            f.founding[colour] = f.worst[colour] = worth(there);
            f.founding_ordering_score[colour] = parts * worth(there) / point() + hope(there.plain(cities.measure_));
            for (int left = 0; left <= around_city; ++left)
                f.best[colour][left] =
                    city.hopes ? value[5] : std::max(worth(there), value[has + std::min(left, city.free)]);
        }
    }
};

Cities::Cities(Measure measure) : measure_(measure) {
    Maker maker{*this};
    maker.id({});
    for (int index = 0; index < 1 << 12; ++index) {
        City city{.is_there = false, .hopes = true, .free = around_city};
        for (int colour = 0; colour < colours; ++colour)
            for (int i = 0; i < (index >> (3 * colour) & 7) && city.free > 0; ++i) city = city.with_resource(colour);
        if (Divercite::packed(city.around) == static_cast<std::size_t>(index))
            open_[static_cast<std::size_t>(index)] = maker.id(city);
    }
    for (std::size_t i = 0; i < maker.found.size(); ++i) {
        const City city = maker.found[i];  // a copy, because the list grows
        facts_.push_back(maker.facts(city));
    }
}

const Cities& Cities::of(Measure measure) {
    static const Cities by_points(Measure::points), by_ladder(Measure::ladder);
    return measure == Measure::points ? by_points : by_ladder;
}

CityId Cities::open(std::uint32_t around) const { return open_[Divercite::packed(around)]; }

CityId Cities::founded(std::uint32_t around, int colour, Player owner) const {
    return facts_[open(around)].founded[owner][colour];
}

int Cities::worth(std::uint32_t around, int colour) const {
    return worths(measure_)[Divercite::city_points(around, colour)];
}

}  // namespace joute::divercite_live
