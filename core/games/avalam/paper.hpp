#pragma once

// The heuristics of the Avalam paper (Dépelteau & Michaud, INF8215, Polytechnique Montréal, 2022) besides the score:
// "guaranteed", #1 and #2. Each sums values of a player's towers, and each comes in two versions.
//
// `…-own` is the version that the paper measured, as far as it is known: the description, plus the additions of its
// program and those errors of the program that are known exactly. It counts the player's own towers and never the
// opponent's. The program's test for a tower that cannot move has an error that is not documented well enough to
// rebuild it: here a tower cannot move if no neighbour fits, as described.
//
// The version without `-own` fixes the errors: the player's sum minus the opponent's, and heights compared without
// sign.

#include <bit>
#include <cstdlib>

#include "../../evaluation.hpp"
#include "avalam.hpp"

namespace joute {

namespace avalam_paper {

// Heuristic #1: values per tower. All numbers are from the paper.
struct One {
    static constexpr double five = 1.2;
    static constexpr double low_and_frozen = 1.7;
    static constexpr int low = 3;  // a tower is low if its height is below this
    // A place is good if more of the moves that involve the tower bury a tower of the opponent than one of its owner.
    static constexpr double good_place = 1.4, other = 0.8;
};

// Heuristic #2: values per tower. The paper gives the values; its program gives the meaning of "close", "late" and
// "early", the value of towers that cannot move, and the condition that an early five counts more only if the score is
// close.
struct Two {
    static constexpr double late_five = 1.5, early_five = 1.2, five = 1.0;
    static constexpr int close = 2;              // a score is close up to this lead in towers
    static constexpr int late = 25, early = 15;  // after step 25, before step 15; the first ply is step 1
    static constexpr double frozen = 1.0, frozen_single = 0.2;
    static constexpr double movable = 1.0, each_move = 0.1;
};

// A tower below height five, from its owner's view.
struct Tower {
    int height;
    int own_partners, their_partners;  // neighbours it can merge with, by owner

    bool is_frozen() const { return own_partners + their_partners == 0; }
    // Counts over the moves that involve the tower: onto a partner, or of a partner onto it. Both directions are legal
    // or neither is, so burials of the opponent's towers never outnumber those of own towers, and #1 never finds a good
    // place. The same holds in the paper.
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

// The number of towers that can no longer move and so stay with their owner.
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

// `Signed`: heights are compared in the course's format, negative for red. So no red tower has height 5 or 1: a red
// five counts as any tower that cannot move, and a frozen red single gets no bonus.
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
    .name = "guaranteed-own", .help = "the paper's: own towers that cannot move any more", .value = own<guaranteed>};
inline constexpr Evaluation<Avalam> guaranteed_difference{
    .name = "guaranteed", .help = "guaranteed-own minus the opponent's", .value = difference<guaranteed>};
inline constexpr Evaluation<Avalam> one_own{
    .name = "h1-own", .help = "the paper's #1: own towers by height and place", .value = own<one>};
inline constexpr Evaluation<Avalam> one_difference{
    .name = "h1", .help = "h1-own minus the opponent's", .value = difference<one>};
inline constexpr Evaluation<Avalam> two_own{
    .name = "h2-own",
    .help = "the paper's #2: own towers by height, place and stage of the game; ignores red's heights",
    .value = own<two<true>>};
inline constexpr Evaluation<Avalam> two_difference{
    .name = "h2", .help = "#2 with red's heights, minus the opponent's", .value = difference<two<false>>};

}  // namespace avalam_paper

}  // namespace joute
