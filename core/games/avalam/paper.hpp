#pragma once

// The heuristics of the Avalam report (Dépelteau & Michaud, INF8215, Polytechnique Montréal, 2022) beside the score:
// "guaranteed", #1 and #2. Each adds up what a player's towers are worth, and comes in two versions.
//
// `…-own` is what the report measured, as far as it is known: the description, with what its program adds and those of
// the program's errors that are known exactly. It counts the player's own towers and never the opponent's. The
// program's test for a tower that cannot move errs in a way that is not documented well enough to be rebuilt: here a
// tower cannot move where no neighbour fits, as described.
//
// Without `-own` the errors are mended: the player's sum less the opponent's, and heights compared without sign.

#include <bit>
#include <cstdlib>

#include "../../evaluation.hpp"
#include "avalam.hpp"

namespace joute {

namespace avalam_paper {

// Heuristic #1, by tower; all numbers are the report's.
struct One {
    static constexpr double five = 1.2;
    static constexpr double low_and_frozen = 1.7;
    static constexpr int low = 3;  // lower than this
    // More of the moves that involve it bury a tower of the opponent than one of its owner; or not.
    static constexpr double good_place = 1.4, other = 0.8;
};

// Heuristic #2, by tower. What is worth what is the report's; what "close", "late" and "early" mean, the worth of
// towers that cannot move, and that an early five counts more only where the score is close, are its program's.
struct Two {
    static constexpr double late_five = 1.5, early_five = 1.2, five = 1.0;
    static constexpr int close = 2;              // towers that a player is ahead, at most
    static constexpr int late = 25, early = 15;  // steps: after, before; the first ply is step 1
    static constexpr double frozen = 1.0, frozen_single = 0.2;
    static constexpr double movable = 1.0, each_move = 0.1;
};

// A tower lower than five, as its owner sees it.
struct Tower {
    int height;
    int own_partners, their_partners;  // the neighbours that it can merge with, by owner

    bool is_frozen() const { return own_partners + their_partners == 0; }
    // Among the moves that involve the tower: it onto a partner, a partner onto it. Both are legal or none is, so an
    // opponent's tower is never buried more often than an own one, and #1 never finds a place good: that is so in the
    // report too.
    int burials_of_theirs() const { return their_partners; }
    int burials_of_own() const { return their_partners + 2 * own_partners; }
};

template <class With>
void for_each_low_tower(const Avalam& state, Player player, const With& with) {
    constexpr int most = AvalamRules::max_height;
    const std::uint64_t own = state.towers_of(player);
    for (int height = 1; height < most; ++height) {
        const std::uint64_t fitting = state.occupied() & ~state.at_least(most + 1 - height);
        std::uint64_t cells = own & state.at_least(height) & ~state.at_least(height + 1);
        for (; cells; cells &= cells - 1) {
            const std::uint64_t partners = Avalam::neighbours(std::countr_zero(cells)) & fitting;
            with(Tower{height, std::popcount(partners & own), std::popcount(partners & ~own)});
        }
    }
}

inline int fives_of(const Avalam& state, Player player) {
    return std::popcount(state.towers_of(player) & state.at_least(AvalamRules::max_height));
}

// Towers that can no longer move: they stay their owner's.
inline double guaranteed(const Avalam& state, Player player) {
    int frozen = fives_of(state, player);
    for_each_low_tower(state, player, [&](const Tower& tower) { frozen += tower.is_frozen(); });
    return frozen;
}

inline double one(const Avalam& state, Player player) {
    double sum = One::five * fives_of(state, player);
    for_each_low_tower(state, player, [&](const Tower& tower) {
        if (tower.is_frozen() && tower.height < One::low)
            sum += One::low_and_frozen;
        else
            sum += tower.burials_of_theirs() > tower.burials_of_own() ? One::good_place : One::other;
    });
    return sum;
}

inline double worth_of_five(const Avalam& state) {
    const int step = state.ply() + 1;
    if (std::abs(state.result_if_stopped().margin) > Two::close) return Two::five;
    return step > Two::late ? Two::late_five : step < Two::early ? Two::early_five : Two::five;
}

// `Signed`: heights are compared as the course writes them, negative for red. So none of red's is 5 or 1: a five is
// one more tower that cannot move, and a single one that cannot gets nothing more.
template <bool Signed>
double two(const Avalam& state, Player player) {
    const bool knows_heights = !Signed || player == 0;
    double sum = (knows_heights ? worth_of_five(state) : Two::frozen) * fives_of(state, player);
    for_each_low_tower(state, player, [&](const Tower& tower) {
        if (tower.is_frozen())
            sum += Two::frozen + (knows_heights && tower.height == 1 ? Two::frozen_single : 0);
        else
            sum += Two::movable + Two::each_move * (tower.burials_of_theirs() - tower.burials_of_own());
    });
    return sum;
}

template <auto sum_of>
double own(const Avalam& state, const void*, const void*, Player for_player) {
    return sum_of(state, for_player);
}
template <auto sum_of>
double difference(const Avalam& state, const void*, const void*, Player for_player) {
    return sum_of(state, for_player) - sum_of(state, opponent(for_player));
}

inline constexpr Evaluation<Avalam> guaranteed_own{
    .name = "guaranteed-own", .help = "the report's: own towers that cannot move any more", .value = own<guaranteed>};
inline constexpr Evaluation<Avalam> guaranteed_difference{
    .name = "guaranteed", .help = "the same less the opponent's", .value = difference<guaranteed>};
inline constexpr Evaluation<Avalam> one_own{
    .name = "h1-own", .help = "the report's #1: own towers by height and place", .value = own<one>};
inline constexpr Evaluation<Avalam> one_difference{
    .name = "h1", .help = "the same less the opponent's", .value = difference<one>};
inline constexpr Evaluation<Avalam> two_own{
    .name = "h2-own",
    .help = "the report's #2: own towers by height, place and stage of the game; blind to red's heights",
    .value = own<two<true>>};
inline constexpr Evaluation<Avalam> two_difference{
    .name = "h2", .help = "#2 with red's heights seen, less the opponent's", .value = difference<two<false>>};

}  // namespace avalam_paper

}  // namespace joute
