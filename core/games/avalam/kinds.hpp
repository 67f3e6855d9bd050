#pragma once

// The kinds of towers, by which the evaluation of the engine judges them (towers.hpp).
//
// What a tower is worth to its owner depends on whether it can still be covered. A frozen one is a whole tower.
// One that can merge is worth less, the more so the more neighbours of the opponent's can be put on it, and more
// where it can itself cover them; a neighbour that makes five with it can settle the matter at once. So a tower is
// of a kind, by its height, its partners (neighbours it can still merge with) of its own colour and of the other,
// none to three or more, and whether one of each makes five with it. Each kind has its worth for every eight plies of
// the game, and one for the player to move, who may strike first, beside that for the opponent.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "../../evaluation.hpp"
#include "avalam.hpp"

namespace joute {

struct AvalamTowerWeights {
    static constexpr int plies_a_phase = 8;
    static constexpr int phases = 5;
    static constexpr int most_partners = 3;          // more count as three
    static constexpr int kinds = 4 * 4 * 4 * 4 + 1;  // height, partners of each colour, fives; the last is a five
    static constexpr int five = kinds - 1;

    // In hundredths of a tower: for a tower of the player to move, and for one of the opponent.
    struct Worth {
        std::int16_t to_mover, to_opponent;
    };
    std::array<std::array<Worth, kinds>, phases> worth;

    // A tower without partners is frozen: of kind (height, 0, 0, no, no).
    static constexpr int kind(int height, int own, int other, bool five_with_own, bool five_with_other) {
        return (((height - 1) * 4 + std::min(own, most_partners)) * 4 + std::min(other, most_partners)) * 4 +
               2 * five_with_own + five_with_other;
    }
    static int phase_of(const Avalam& state) { return state.ply() / plies_a_phase; }
};

// Tells the kind of any tower of a position.
class AvalamTowerKinds {
public:
    explicit AvalamTowerKinds(const Avalam& state) : state_(state), towers_{state.towers_of(0), state.towers_of(1)} {
        for (const Player owner : {0, 1})
            for (int height = 1; height < top; ++height) {
                partners_[owner][height] = towers_[owner] & ~state.at_least(top + 1 - height);
                fives_[owner][height] = partners_[owner][height] & state.at_least(top - height);
            }
        // None, so that no branch is needed for a five.
        for (const Player owner : {0, 1}) partners_[owner][top] = fives_[owner][top] = 0;
    }

    Player owner(int cell) const { return static_cast<Player>(towers_[1] >> cell & 1); }
    int kind(int cell) const {
        const int height = state_.height(cell);
        if (height == top) return AvalamTowerWeights::five;
        const Player owner = this->owner(cell), other = 1 - owner;
        const std::uint64_t near = Avalam::neighbours(cell);
        return AvalamTowerWeights::kind(height, std::popcount(near & partners_[owner][height]),
                                        std::popcount(near & partners_[other][height]), near & fives_[owner][height],
                                        near & fives_[other][height]);
    }

private:
    static constexpr int top = AvalamRules::max_height;

    const Avalam& state_;
    std::array<std::uint64_t, 2> towers_;
    // By owner and height: the towers that one of this height can merge with, and those that make five with it.
    std::array<std::array<std::uint64_t, top + 1>, 2> partners_, fives_;
};

}  // namespace joute
