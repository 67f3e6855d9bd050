#pragma once

// Battles of Vampires vs Werewolves: the certain ones, and the exact probabilities of the random ones.
//
// E1 attackers meet E2 defenders. If E1 >= E2, humans are converted; if 2 E1 >= 3 E2, monsters are destroyed; both
// without loss. Otherwise the battle is random, and the attackers win with probability
//
//     P = E1 / (2 E2)       E1 < E2
//     P = 1 / 2             E1 = E2
//     P = E1 / E2 - 1 / 2   E1 > E2
//
// If they win, each attacker survives with probability P, and so does each human, who is converted. If they lose, they
// die, and each defender survives with probability 1 - P. Probabilities are fractions of 2 E2, and thresholds are
// compared in integers.

#include <algorithm>
#include <span>

#include "../../base/fixed_list.hpp"

namespace joute {

// The points on which the programs for this game disagree about battles; all false in the official server of 2020.
struct VampiresBattleRules {
    bool equal_humans_fight = false;    // E1 = E2 humans: a random battle, no conversion
    bool outnumbering_is_even = false;  // P = 1/2 for E1 > E2 too
    bool hopeless_dies = false;         // 2 E2 >= 3 E1 monsters destroy the attackers without loss
    bool repelling_by_p = false;        // defenders survive with probability P
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

    // P of a random battle, as the fraction win_parts() / whole().
    int whole() const { return 2 * defenders; }
    int win_parts() const {
        if (attackers < defenders) return attackers;
        if (attackers == defenders || rules.outnumbering_is_even) return defenders;
        return 2 * attackers - defenders;
    }
    double win_probability() const { return static_cast<double>(win_parts()) / whole(); }
    // The largest number of survivors of a victory: attackers and, against humans, converts.
    int possible_survivors() const { return attackers + (against_humans ? defenders : 0); }

    // The outcomes of a random battle: 0 leaves the cell empty, 1 to `defenders` is the number of surviving defenders,
    // and after that the number of surviving attackers and converts.
    static constexpr std::size_t max_outcomes = 1 + 255 + 2 * 255;
    int outcome_count() const { return 1 + defenders + possible_survivors(); }
    void outcomes(FixedList<double, max_outcomes>& list) const;
    // The same with neighbouring outcomes merged: on either side at most `most` outcomes keep a probability, each the
    // total of the merged ones, at their rounded mean. The outcome "nobody left" stays separate.
    void few_outcomes(FixedList<double, max_outcomes>& list, int most) const;
};

// The binomial distribution: the probabilities of 0 to n successes in n trials, each with probability parts / whole,
// which is neither 0 nor 1.
void fill_binomial(std::span<double> probabilities, int parts, int whole);

}  // namespace joute
