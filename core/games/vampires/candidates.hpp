#pragma once

// The turns a search considers. There are too many legal ones: a single group of n units can spread over its neighbours
// in C(n + 8, 8) - 1 ways, 43,757 for ten. Each generator lists a few options for each group and combines those of all
// groups; all listed turns are legal by construction.
//
// `report`: the moves of the players in the paper. A whole group moves to any of its eight neighbours or stays; while
// there are fewer than two groups and a group has at least twice the units of the smallest house, half of it may move
// instead.
//
// `single`: the moves of the paper's learning player. One whole group moves to one of its eight neighbours, and all
// others stay.
//
// `targets`: a group moves one step towards a useful target:
//   - the convertible houses with the best value for their distance;
//   - several of them at once, split so that each part fits its house exactly and the surplus joins one of them;
//   - enemies that it is certain to destroy, and adjacent enemies at any odds;
//   - adjacent enemies with just enough units for a certain win, if the others have a house to go to;
//   - away from enemies that could destroy it;
//   - the nearest own group, to merge;
//   - or it stays.
//
// `contact`: the same, and a group near an enemy may also take any single step that risks no random battle, because
// single steps decide who fights whom and who is to move when groups meet.

#include "vampires.hpp"

namespace joute {

// The limits of `targets`.
struct VampiresTargetLimits {
    int houses = 4;            // targets of a group
    int enemies = 2;           // nearest enemies it considers
    int danger_distance = 3;   // escapes are listed up to this distance from a stronger enemy
    int contact_distance = 0;  // every step is listed up to this distance from an enemy
    // The largest number of turns. If there are more combinations, all groups take their first option except one, or
    // except the two largest.
    std::size_t turns = 100;
};

constexpr VampiresTargetLimits vampires_contact{.contact_distance = 4};

void list_paper_turns(const Vampires& state, MoveList<Vampires>& moves, int max_groups = 2);
void list_single_turns(const Vampires& state, MoveList<Vampires>& moves);
void list_target_turns(const Vampires& state, MoveList<Vampires>& moves, const VampiresTargetLimits& limits = {});
// Draws one of the turns of `list_target_turns` uniformly.
VampiresTurn random_target_turn(const Vampires& state, Random& random, const VampiresTargetLimits& limits = {});

}  // namespace joute
