#pragma once

// Which turns a search looks at. All legal ones are too many: a group of n units alone can spread over its neighbours
// in C(n + 8, 8) - 1 ways, 43,757 for ten. All generators give each group a few ways to go, and combine those of all
// groups; what they list is legal by construction.
//
// `report`: as the players of the seed report search. A whole group goes to any of its eight neighbours or stays; while
// there are fewer groups than two and twice the smallest house can be manned, half of it may go instead.
//
// `targets`: a group goes where there is something to do for it, each way one step:
//   - to the houses that it can convert and that are worth most for their distance;
//   - to several of them at once, split so that each part fits its house exactly and the rest goes with one of them;
//   - to enemies that it can destroy for certain, and to those next to it at any odds;
//   - to enemies next to it with as many units as are sure to win, where the others have a house to go to;
//   - away from enemies that could destroy it;
//   - to the nearest own group, to merge;
//   - or nowhere.
//
// `contact`: the same, and a group that has an enemy near goes to any neighbour where nothing is lost to chance. Who
// fights whom, and who is to move when they meet, is a matter of single steps.

#include "vampires.hpp"

namespace joute {

// What `targets` may consider.
struct VampiresTargetLimits {
    int houses = 4;            // that a group goes to
    int enemies = 2;           // that it looks at
    int danger_distance = 3;   // from an enemy that could destroy it, a group considers to flee
    int contact_distance = 0;  // from any enemy, every step is considered
    // Turns of all groups together. Where there are more, all groups follow the first of their ways but one, or the two
    // largest.
    std::size_t turns = 100;
};

constexpr VampiresTargetLimits vampires_contact{.contact_distance = 4};

void list_report_turns(const Vampires& state, MoveList<Vampires>& moves, int max_groups = 2);
void list_target_turns(const Vampires& state, MoveList<Vampires>& moves, const VampiresTargetLimits& limits = {});
// One of those that `list_target_turns` lists, each as likely.
VampiresTurn random_target_turn(const Vampires& state, Random& random, const VampiresTargetLimits& limits = {});

}  // namespace joute
