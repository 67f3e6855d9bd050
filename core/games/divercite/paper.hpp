#pragma once

// The heuristic of the Divercité paper (Lambert & Rosselet, INF8175, Polytechnique Montréal, 2025): its V2 and V3.
//
// Half the difference in points, plus half the value of the pieces: every city, minus those of the opponent, and every
// resource by its effect on the cities around it. On the first plies, the player's own pieces near the centre count
// too; the opponent's never do.
//
// The value of a city and the effects of the resources around it depend only on their colours, so a few counts per city
// hold both, and a move changes those of at most four cities. With the paper's weights sums are whole tenths, so they
// do not depend on the order of moves. The sums of the paper's program do, in their last digits, and it breaks ties by
// those.
//
// `report` is the paper's program, which produced its results; `report-text` follows the text of the paper;
// `report-hands` adds to `report` a term for the pieces in hand.

#include <array>
#include <bit>
#include <cstdint>

#include "../../evaluation.hpp"
#include "divercite.hpp"

namespace joute {

namespace divercite_paper {

// The terms with a weight, in points. The first four are counted for each city and the resources around it.
enum Weight : std::size_t {
    divercite,
    match,    // a resource of the city's colour; counted for the city and for the resource
    spoilt,   // two resources of one colour that is not the city's
    variety,  // per colour around a city that is not spoilt
    kinds,
    centre = kinds,  // a piece near the centre, by its closeness, in the opening
    // The paper wishes for a term of the pieces left and has none. This one is ours, and its weight a guess; the
    // experiment `hands` of the paper's experiments measures it.
    colour_in_hand,
    weight_count
};
inline constexpr std::array<double, weight_count> paper_weights{5, 1, -0.5, 0.1, 0.5, 0.5};

// Points and pieces are weighted by one half each.
inline constexpr double share = 0.5;
inline constexpr int tenths = 10;  // of a point
// The program gives no variety bonus from this many resources of the city's colour on.
inline constexpr int enough = 2;

struct Opening {
    static constexpr int until_ply = 4;
    // A piece near the centre counts `reach` minus its Manhattan distance from the centre, in points.
    static constexpr int reach = 4;
};

// The variety bonus of a resource that does not spoil a city.
enum class Reading {
    program,  // 0.1; 0 from two resources of the city's colour on
    text,     // 0.1 for each colour around the city
};

using Counts = std::array<std::int8_t, kinds>;

// Counts the terms of a city and the resources around it. `counts` begins with the city's own colour.
template <Reading reading>
constexpr Counts counts_of(const std::array<int, DiverciteRules::colours>& counts) {
    std::array<int, kinds> found{};
    int placed = 0, colours = 0;
    bool is_spoilt = false;
    for (int i = 0; i < DiverciteRules::colours; ++i) {
        placed += counts[i];
        colours += counts[i] > 0;
        is_spoilt |= i > 0 && counts[i] > 1;
    }
    if (placed == 0) return {};
    const bool has_variety = reading == Reading::text || counts[0] < enough;
    // The city.
    if (colours == DiverciteRules::colours) {
        found[divercite] = 1;
    } else {
        found[match] = counts[0];
        if (is_spoilt)
            found[spoilt] = 1;
        else if (has_variety)
            found[variety] = colours;
    }
    // The resources.
    found[match] += counts[0];
    const int bonus = !has_variety ? 0 : reading == Reading::text ? colours : 1;
    for (int i = 0; i < DiverciteRules::colours; ++i) {
        if (i > 0 && counts[i] > 1)
            found[spoilt] += counts[i];
        else
            found[variety] += counts[i] * bonus;
    }
    Counts small{};
    for (std::size_t k = 0; k < kinds; ++k) small[k] = static_cast<std::int8_t>(found[k]);
    return small;
}

template <Reading reading>
constexpr auto make_counts() {
    std::array<Counts, Divercite::packings> counts{};
    for (int a = 0; a <= 4; ++a)
        for (int b = 0; a + b <= 4; ++b)
            for (int c = 0; a + b + c <= 4; ++c)
                for (int d = 0; a + b + c + d <= 4; ++d)
                    counts[Divercite::packed(static_cast<std::uint32_t>(a | b << 4 | c << 8 | d << 12))] =
                        counts_of<reading>({a, b, c, d});
    return counts;
}
template <Reading reading>
inline constexpr auto counts_around = make_counts<reading>();

constexpr int closeness(int cell) {
    const divercite_board::Place place = divercite_board::tables.places[static_cast<std::size_t>(cell)];
    constexpr int centre = DiverciteRules::side / 2;
    const int down = place.row < centre ? centre - place.row : place.row - centre;
    const int right = place.column < centre ? centre - place.column : place.column - centre;
    return down + right < Opening::reach ? Opening::reach - down - right : 0;
}

// The colours of the resources in a player's hand: a player who has run out of a colour completes fewer cities.
inline int colours_in_hand(const Divercite& state, Player player) {
    int colours = 0;
    for (int colour = 0; colour < DiverciteRules::colours; ++colour)
        colours += state.resources_left(player, colour) > 0;
    return colours;
}

// The sums of a position, updated incrementally.
template <Reading reading, bool counts_hands = false>
struct Sums {
    std::array<int, kinds> for_white;
    // The closeness of each player's pieces to the centre. A position does not store who placed a resource; the
    // searched line does. For resources placed before the root, the hands give the number of each colour that White
    // placed: if both players placed a colour, each gets its share of the sum. All positions of one search share this
    // part, so it changes no choice.
    std::array<double, 2> near_before;
    std::array<int, 2> near_since;

    static void start(const Divercite& state, void* accumulator, const void*) {
        auto& self = *static_cast<Sums*>(accumulator);
        self = {};
        for (int city = 0; city < DiverciteRules::city_cells; ++city) self.add(1, state, city);
        if (state.ply() < Opening::until_ply) self.look_at_centre(state);
    }

    static void update(const Divercite& before, Divercite::Move move, const Divercite& after, void* accumulator,
                       const void*) {
        auto& self = *static_cast<Sums*>(accumulator);
        const int index = Divercite::index(move);
        if (Divercite::is_city(move)) {
            self.add(1, after, index);
        } else {
            const auto& tables = divercite_board::tables;
            for (int i = 0; i < tables.city_count_of[index]; ++i) {
                const int city = tables.cities_of[index][i];
                self.add(1, after, city);
                self.add(-1, before, city);
            }
        }
        if (after.ply() >= Opening::until_ply) return;
        const Player mover = before.to_move();
        self.near_since[mover] += closeness(move.code % DiverciteRules::cells);
    }

    static double value(const Divercite& state, const void* accumulator, const void* params, Player for_player) {
        const auto& self = *static_cast<const Sums*>(accumulator);
        const double* weights = Evaluation<Divercite>::weights_at(params, paper_weights);
        const int points = state.points(for_player) - state.points(opponent(for_player));
        double pieces = 0;  // tenths
        for (std::size_t k = 0; k < kinds; ++k) pieces += tenths * weights[k] * self.for_white[k];
        if (for_player != 0) pieces = -pieces;
        if constexpr (counts_hands)
            pieces += tenths * weights[colour_in_hand] *
                      (colours_in_hand(state, for_player) - colours_in_hand(state, opponent(for_player)));
        const double value = share * (tenths * points + pieces) / tenths;
        if (state.ply() >= Opening::until_ply) return value;
        return value + weights[centre] * self.near(for_player);
    }

    static double order(const Divercite& state, Player for_player) {
        return state.points(for_player) - state.points(opponent(for_player));
    }

    // After the opening, the value does not depend on who placed a piece. Black's part follows from White's and the
    // board.
    static std::uint64_t key(const Divercite& state, const void* accumulator) {
        if (state.ply() >= Opening::until_ply) return 0;
        return mix64(std::bit_cast<std::uint64_t>(static_cast<const Sums*>(accumulator)->near(0)));
    }

private:
    double near(Player player) const { return near_before[player] + near_since[player]; }

    // Adds the counts of a city cell, `times` times.
    void add(int times, const Divercite& state, int city) {
        if (state.empty_cities() >> city & 1) return;
        const auto own_first = std::rotr(static_cast<std::uint16_t>(state.around(city)), 4 * state.city_colour(city));
        const Counts& counts = counts_around<reading>[Divercite::packed(own_first)];
        if (state.city_owner(city) != 0) times = -times;
        for (std::size_t k = 0; k < kinds; ++k) for_white[k] += times * counts[k];
    }

    void look_at_centre(const Divercite& state) {
        for (Player player = 0; player < 2; ++player)
            for (std::uint32_t rest = state.cities_of(player); rest; rest &= rest - 1)
                near_before[player] += closeness(std::countr_zero(rest));
        for (int colour = 0; colour < DiverciteRules::colours; ++colour) {
            int near = 0;
            for (std::uint32_t rest = state.resources(colour); rest; rest &= rest - 1)
                near += closeness(DiverciteRules::city_cells + std::countr_zero(rest));
            const int count = std::popcount(state.resources(colour));
            for (Player player = 0; player < 2 && near > 0; ++player) {
                const int own = DiverciteRules::resources_of_colour - state.resources_left(player, colour);
                near_before[player] += static_cast<double>(near) * own / count;
            }
        }
    }
};

template <Reading reading, bool counts_hands = false>
constexpr Evaluation<Divercite> evaluation(std::string_view name, std::string_view help) {
    using Of = Sums<reading, counts_hands>;
    return {.name = name,
            .help = help,
            .value = Of::value,
            .accumulator_size = sizeof(Of),
            .start = Of::start,
            .update = Of::update,
            .order = Of::order,
            .key = Of::key,
            .weights = paper_weights};
}

inline constexpr auto program = evaluation<Reading::program>(
    "report", "the paper's V2 and V3: points, cities and resources; in the opening, the centre");
inline constexpr auto text = evaluation<Reading::text>("report-text", "the same as described in the paper's text");
inline constexpr auto with_hands =
    evaluation<Reading::program, true>("report-hands", "the same, and the pieces in hand, an idea of the paper");

}  // namespace divercite_paper

}  // namespace joute
