#pragma once

// The features of the Divercité engine's evaluation (prospects.hpp), each with a weight for every four plies of the
// game. The value of a position is its points plus the weights of its features.
//
// A city with free cells around it is valued by what it may still become. That depends on the resources around it and
// on the hands: whether it can still be a Divercité, how many of the missing colours its owner holds, how many
// resources of its own colour the owner and the opponent have left. A cell without a city is valued by the points a
// city of either player would get there at once. A cell without a resource is valued by the best immediate gain of
// either player there: the threats. The largest threats of both players together show who scores first. The numbers of
// cities left show who will have to open the last cells. All features are from the view of the player to move, so the
// same city has different weights as the mover's and as the opponent's.

#include <algorithm>
#include <array>
#include <cstdint>

#include "gains.hpp"

namespace joute {

class DiverciteFeatures {
public:
    using Rules = DiverciteRules;

    static constexpr int plies_a_phase = 4;
    static constexpr int phases = Rules::plies / plies_a_phase;
    static int phase_of(const Divercite& state) { return std::min(state.ply() / plies_a_phase, phases - 1); }

    // A city with free cells around it, encoded in one number: its owner, its surroundings, and the hands.
    struct City {
        static constexpr int alive_kinds = 4 * 2 * 5;  // resources around it, own-coloured ones, missing colours held
        static constexpr int dead_kinds = 4 * 2;       // own-coloured resources, resources around it (2 or 3)
        static constexpr int kinds = alive_kinds + dead_kinds;
        static constexpr int count = 2 * kinds * 4 * 4 * 4;

        int side;         // 0 for the mover's city, 1 for the opponent's
        int kind;         // see kind_of()
        int stock;        // resources of its colour in its owner's hand
        int rival_stock;  // and in the other player's hand
        int place;        // 0 corner, 1 edge, 2 centre

        static int kind_of(const DiverciteSurroundings& here, int own, int missing_held) {
            return here.alive ? (here.filled * 2 + own) * 5 + missing_held : alive_kinds + own * 2 + here.filled - 2;
        }
        int number() const { return (((side * kinds + kind) * 4 + stock) * 4 + rival_stock) * 4 + place; }
        explicit City(int number)
            : side(number / (64 * kinds)),
              kind(number / 64 % kinds),
              stock(number / 16 % 4),
              rival_stock(number / 4 % 4),
              place(number % 4) {}
        City(int side, int kind, int stock, int rival_stock, int place)
            : side(side), kind(kind), stock(stock), rival_stock(rival_stock), place(place) {}
    };

    // --- The indices of the features ---
    // A city has three: its kind with the owner's stock, with the rival's stock, and with its place.
    static constexpr int first_stock = 0, first_rival = first_stock + 2 * City::kinds * 4;
    static constexpr int first_place = first_rival + 2 * City::kinds * 4;
    // A cell without a city: the best city of each player there, the number of resources around it, whether all differ.
    static constexpr int first_site = first_place + 2 * City::kinds * 4, site_kinds = 6 * 6 * 5 * 2;
    // A cell without a resource: the best gain of each player there.
    static constexpr int gain_kinds = 2 * DiverciteGains::most + 1;
    static constexpr int first_cell = first_site + site_kinds, cell_kinds = gain_kinds * gain_kinds;
    // The largest gain of each player on the whole board.
    static constexpr int threats = DiverciteGains::most + 1;
    static constexpr int first_threat = first_cell + cell_kinds, threat_kinds = threats * threats;
    // The number of cities each player has left.
    static constexpr int first_hand = first_threat + threat_kinds, hand_kinds = 9 * 9;
    static constexpr int count = first_hand + hand_kinds;

    static std::array<int, 3> of_city(const City& city) {
        const int kind = city.side * City::kinds + city.kind;
        return {first_stock + kind * 4 + city.stock, first_rival + kind * 4 + city.rival_stock,
                first_place + kind * 4 + city.place};
    }

    // Calls with_city(number) for each city with free cells around it, and with(feature) for all other features.
    template <class WithCity, class With>
    static void for_each(const Divercite& state, const WithCity& with_city, const With& with) {
        const Player mover = state.to_move();
        const std::array<DiverciteHand, 2> hands{DiverciteHand(state, mover), DiverciteHand(state, opponent(mover))};
        int our_threat = 0, their_threat = 0;
        for (std::uint32_t rest = state.empty_cities(); rest; rest &= rest - 1) {
            const std::uint32_t around = state.around(std::countr_zero(rest));
            const auto& here = DiverciteSurroundings::of(around);
            const int ours = hands[0].best_city(around), theirs = hands[1].best_city(around);
            our_threat = std::max(our_threat, ours);
            their_threat = std::max(their_threat, theirs);
            with(first_site + ((ours * 6 + theirs) * 5 + here.filled) * 2 + here.alive);
        }
        DiverciteGains gains;
        for (std::uint32_t rest = state.cities_of(0) | state.cities_of(1); rest; rest &= rest - 1) {
            const int city = std::countr_zero(rest);
            const std::uint32_t around = state.around(city);
            const auto& here = DiverciteSurroundings::of(around);
            if (here.filled == 4) continue;
            const int side = state.city_owner(city) != mover, colour = state.city_colour(city);
            const int own = Divercite::count(around, colour);
            const DiverciteHand &owners = hands[side], &rivals = hands[1 - side];
            with_city(City(side, City::kind_of(here, own, owners.held_of(here.missing)), owners.resources(colour),
                           rivals.resources(colour), place_of[city])
                          .number());
            gains.add_city(city, colour, own, side == 0, here);
        }
        gains.add_up(hands[0], hands[1]);
        our_threat += DiverciteGains::most;
        their_threat += DiverciteGains::most;
        for (std::uint32_t rest = state.empty_resources(); rest; rest &= rest - 1) {
            const int resource = std::countr_zero(rest);
            const int ours = gains.ours(resource), theirs = gains.theirs(resource);
            our_threat = std::max(our_threat, ours);
            their_threat = std::max(their_threat, theirs);
            with(first_cell + ours * gain_kinds + theirs);
        }
        with(first_threat + (our_threat - DiverciteGains::most) * threats + their_threat - DiverciteGains::most);
        with(first_hand + hands[0].city_count() * 9 + hands[1].city_count());
    }

private:
    static constexpr auto place_of = [] {
        std::array<std::uint8_t, Rules::city_cells> places{};
        for (int city = 0; city < Rules::city_cells; ++city) {
            const auto place = divercite_board::tables.places[city];
            places[city] = static_cast<std::uint8_t>((place.u == 1 || place.u == 2) + (place.v == 1 || place.v == 2));
        }
        return places;
    }();
};

}  // namespace joute
