#pragma once

// Battles of Vampires vs Werewolves: who wins for certain, and the exact odds of the rest.
//
// E1 attackers meet E2 defenders. Humans are converted where E1 >= E2, monsters destroyed where 2 E1 >= 3 E2, both
// without loss. Otherwise one draw decides who wins, with the chance
//
//     P = E1 / (2 E2)       E1 < E2
//     P = 1 / 2             E1 = E2
//     P = E1 / E2 - 1 / 2   E1 > E2
//
// for the attackers. If they win, each of them survives with chance P, and against humans each human too, converted;
// if they lose, they die and each defender survives with chance 1 - P. Probabilities are fractions of 2 E2, and
// thresholds are compared in whole numbers.

#include <algorithm>
#include <span>

#include "../../base/fixed_list.hpp"

namespace joute {

// Where the programs that play this game disagree about battles; all false in the official one of 2020.
struct VampiresBattleRules {
    bool equal_humans_fight = false;    // against as many humans: an even battle, no conversion
    bool outnumbering_is_even = false;  // P = 1/2 for E1 > E2 too
    bool hopeless_dies = false;         // 2 E2 >= 3 E1 monsters destroy the attackers without loss
    bool repelling_by_p = false;        // defenders survive with chance P
};

struct VampiresBattle {
    int attackers, defenders;
    bool against_humans;
    VampiresBattleRules rules;

    bool is_won() const {
        if (!against_humans) return 2 * attackers >= 3 * defenders;
        return rules.equal_humans_fight ? attackers > defenders : attackers >= defenders;
    }
    bool is_lost() const { return rules.hopeless_dies && !against_humans && 2 * defenders >= 3 * attackers; }
    bool is_random() const { return !is_won() && !is_lost(); }

    // P of a random battle, as a fraction of `whole`.
    int whole() const { return 2 * defenders; }
    int win_parts() const {
        if (attackers < defenders) return attackers;
        if (attackers == defenders || rules.outnumbering_is_even) return defenders;
        return 2 * attackers - defenders;
    }
    double win_probability() const { return static_cast<double>(win_parts()) / whole(); }
    // How many there are of whom each may survive a victory.
    int possible_survivors() const { return attackers + (against_humans ? defenders : 0); }

    // The outcomes of a random battle: 0 leaves the cell empty, 1 to `defenders` is how many of them survive, and from
    // there on how many attackers and converts do.
    static constexpr std::size_t max_outcomes = 1 + 255 + 2 * 255;
    int outcome_count() const { return 1 + defenders + possible_survivors(); }
    void outcomes(FixedList<double, max_outcomes>& list) const;
    // The same, where neighbours are taken together: on either side at most so many keep a chance, each that of all it
    // stands for, whose mean it is as nearly as can be. Nobody left stays as it is.
    void few_outcomes(FixedList<double, max_outcomes>& list, int most) const;
};

// The probabilities that 0 to n of n things happen, each of the chance parts / whole, which is neither 0 nor 1.
void fill_binomial(std::span<double> probabilities, int parts, int whole);

}  // namespace joute
