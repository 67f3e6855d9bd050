#pragma once

// The heuristic of the Divercité paper (Lambert & Rosselet, INF8175, Polytechnique Montréal, 2025): its V2 and V3.
//
// Half the difference in points, plus half the value of the pieces: every city, minus those of the opponent, and every
// resource by its effect on the cities around it. On the first plies, the player's own pieces near the centre count
// too; the opponent's never do.
//
// The value of a city and the effects of the resources around it depend only on their colours, so one number per city
// holds both, and a move changes at most four of them. Sums are whole tenths, so they do not depend on the order of
// moves. The sums of the paper's program do, in their last digits, and it breaks ties by those.
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

// All in tenths except the shares. The numbers are the paper's unless noted otherwise.
struct Worth {
    static constexpr int tenths = 10;  // of a point
    static constexpr int divercite = 50;
    static constexpr int match = 10;   // a resource of the city's colour; counted for the city and for the resource
    static constexpr int spoilt = -5;  // two resources of one colour that is not the city's
    static constexpr int variety = 1;  // per colour around a city that is not spoilt
    // The program gives no variety bonus from this many resources of the city's colour on.
    static constexpr int enough = 2;
    // The paper wishes for a term of the pieces left and has none. This one is ours, and its weight a guess; the
    // experiment `hands` of the paper's experiments measures it.
    static constexpr int colour_in_hand = 5;
    // The weights of points, pieces and the opening are one half each.
    static constexpr double share = 0.5;
};

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

// The value of a city and the resources around it for its owner, in tenths. `counts` begins with the city's own colour.
template <Reading reading>
constexpr int worth_of(const std::array<int, DiverciteRules::colours>& counts) {
    int placed = 0, colours = 0;
    bool is_spoilt = false;
    for (int i = 0; i < DiverciteRules::colours; ++i) {
        placed += counts[i];
        colours += counts[i] > 0;
        is_spoilt |= i > 0 && counts[i] > 1;
    }
    if (placed == 0) return 0;
    const bool has_variety = reading == Reading::text || counts[0] < Worth::enough;
    const int city = colours == DiverciteRules::colours
                         ? Worth::divercite
                         : Worth::match * counts[0] + (is_spoilt     ? Worth::spoilt
                                                       : has_variety ? Worth::variety * colours
                                                                     : 0);
    const int variety = !has_variety ? 0 : Worth::variety * (reading == Reading::text ? colours : 1);
    int resources = Worth::match * counts[0];
    for (int i = 0; i < DiverciteRules::colours; ++i)
        resources += counts[i] * (i > 0 && counts[i] > 1 ? Worth::spoilt : variety);
    return city + resources;
}

template <Reading reading>
constexpr auto make_worths() {
    std::array<std::int8_t, Divercite::packings> worths{};
    for (int a = 0; a <= 4; ++a)
        for (int b = 0; a + b <= 4; ++b)
            for (int c = 0; a + b + c <= 4; ++c)
                for (int d = 0; a + b + c + d <= 4; ++d)
                    worths[Divercite::packed(static_cast<std::uint32_t>(a | b << 4 | c << 8 | d << 12))] =
                        static_cast<std::int8_t>(worth_of<reading>({a, b, c, d}));
    return worths;
}
template <Reading reading>
inline constexpr auto worths = make_worths<reading>();

constexpr int closeness(int cell) {
    const divercite_board::Place place = divercite_board::tables.places[static_cast<std::size_t>(cell)];
    constexpr int centre = DiverciteRules::side / 2;
    const int down = place.row < centre ? centre - place.row : place.row - centre;
    const int right = place.column < centre ? centre - place.column : place.column - centre;
    return down + right < Opening::reach ? Opening::reach - down - right : 0;
}

// The value of the resources in a player's hand, in tenths: a player who has run out of a colour completes fewer
// cities.
inline int worth_of_hand(const Divercite& state, Player player) {
    int colours = 0;
    for (int colour = 0; colour < DiverciteRules::colours; ++colour)
        colours += state.resources_left(player, colour) > 0;
    return Worth::colour_in_hand * colours;
}

// The sums of a position, updated incrementally.
template <Reading reading, bool counts_hands = false>
struct Sums {
    int pieces_for_white;  // tenths
    // The closeness of each player's pieces to the centre. A position does not store who placed a resource; the
    // searched line does. For resources placed before the root, the hands give the number of each colour that White
    // placed: if both players placed a colour, each gets its share of the sum. All positions of one search share this
    // part, so it changes no choice.
    std::array<double, 2> near_before;
    std::array<int, 2> near_since;

    static void start(const Divercite& state, void* accumulator, const void*) {
        auto& self = *static_cast<Sums*>(accumulator);
        self = {};
        for (int city = 0; city < DiverciteRules::city_cells; ++city) self.pieces_for_white += worth(state, city);
        if (state.ply() < Opening::until_ply) self.look_at_centre(state);
    }

    static void update(const Divercite& before, Divercite::Move move, const Divercite& after, void* accumulator,
                       const void*) {
        auto& self = *static_cast<Sums*>(accumulator);
        const int index = Divercite::index(move);
        if (Divercite::is_city(move)) {
            self.pieces_for_white += worth(after, index);
        } else {
            const auto& tables = divercite_board::tables;
            for (int i = 0; i < tables.city_count_of[index]; ++i) {
                const int city = tables.cities_of[index][i];
                self.pieces_for_white += worth(after, city) - worth(before, city);
            }
        }
        if (after.ply() >= Opening::until_ply) return;
        const Player mover = before.to_move();
        self.near_since[mover] += closeness(move.code % DiverciteRules::cells);
    }

    static double value(const Divercite& state, const void* accumulator, const void*, Player for_player) {
        const auto& self = *static_cast<const Sums*>(accumulator);
        const int points = state.points(for_player) - state.points(opponent(for_player));
        int pieces = for_player == 0 ? self.pieces_for_white : -self.pieces_for_white;
        if constexpr (counts_hands)
            pieces += worth_of_hand(state, for_player) - worth_of_hand(state, opponent(for_player));
        const double value = Worth::share * (Worth::tenths * points + pieces) / Worth::tenths;
        if (state.ply() >= Opening::until_ply) return value;
        return value + Worth::share * self.near(for_player);
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

    // The value of a city cell for White; 0 if it is empty.
    static int worth(const Divercite& state, int city) {
        if (state.empty_cities() >> city & 1) return 0;
        const auto own_first = std::rotr(static_cast<std::uint16_t>(state.around(city)), 4 * state.city_colour(city));
        const int worth = worths<reading>[Divercite::packed(own_first)];
        return state.city_owner(city) == 0 ? worth : -worth;
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
            .key = Of::key};
}

inline constexpr auto program = evaluation<Reading::program>(
    "report", "the paper's V2 and V3: points, cities and resources; in the opening, the centre");
inline constexpr auto text = evaluation<Reading::text>("report-text", "the same as described in the paper's text");
inline constexpr auto with_hands =
    evaluation<Reading::program, true>("report-hands", "the same, and the pieces in hand, an idea of the paper");

}  // namespace divercite_paper

}  // namespace joute
