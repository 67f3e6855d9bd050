#pragma once

// The kinds of towers in the engine's evaluation (towers.hpp).
//
// The value of a tower to its owner depends on whether it can still be covered. A frozen tower counts in full. A tower
// that can merge counts less the more of the opponent's neighbours can be put on it, and more if it can cover them
// itself; a neighbour that makes five with it can decide its owner at once. The kind of a tower consists of its height,
// the number of its partners (neighbours it can still merge with) of either colour, capped at three, and, for either
// colour, whether some partner makes five with it. Each kind has one value per eight plies of the game and per side: a
// tower of the player to move, who can strike first, differs from one of the opponent.

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
    static constexpr int most_partners = 3;          // larger numbers count as three
    static constexpr int kinds = 4 * 4 * 4 * 4 + 1;  // height, partners of each colour, fives; the last kind is a five
    static constexpr int five = kinds - 1;

    // In hundredths of a tower: the value of a tower of the player to move, and of one of the opponent.
    struct Worth {
        std::int16_t to_mover, to_opponent;
    };
    std::array<std::array<Worth, kinds>, phases> worth;

    // A tower without partners is frozen: kind (height, 0, 0, false, false).
    static constexpr int kind(int height, int own, int other, bool five_with_own, bool five_with_other) {
        return (((height - 1) * 4 + std::min(own, most_partners)) * 4 + std::min(other, most_partners)) * 4 +
               2 * five_with_own + five_with_other;
    }
    static int phase_of(const Avalam& state) { return state.ply() / plies_a_phase; }
};

// Finds the kind of each tower of a position.
class AvalamTowerKinds {
public:
    explicit AvalamTowerKinds(const Avalam& state) : state_(state), towers_{state.towers_of(0), state.towers_of(1)} {
        for (const Player owner : {0, 1})
            for (int height = 1; height < top; ++height) {
                partners_[owner][height] = towers_[owner] & ~state.at_least(top + 1 - height);
                fives_[owner][height] = partners_[owner][height] & state.at_least(top - height);
            }
        // Empty sets for a five, so that it needs no branch.
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
    // By owner and height: the towers that a tower of this height can merge with, and those that make five with it.
    std::array<std::array<std::uint64_t, top + 1>, 2> partners_, fives_;
};

}  // namespace joute
