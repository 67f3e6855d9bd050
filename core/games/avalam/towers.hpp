#pragma once

// Predicts the final margin in towers, summed tower by tower: the engine's evaluation.
//
// The weights are fitted to the results of self-play (core/games/avalam/fit/fit.cpp). Richer kinds (all partners by
// height and colour, 7,385 kinds; pairs of towers) hardly predict better: the error of the margin on held-out positions
// falls from 0.864 to 0.851 towers, and the share of correctly predicted winners stays at 88.0% (800,000 positions; the
// program that compared them is not kept).

#include <array>
#include <bit>
#include <cstdint>

#include "../../evaluation.hpp"
#include "weights.hpp"

namespace joute {

// The sums of the tower values of a position, updated incrementally. A move changes the kinds of the tower it makes and
// of the towers that could merge with the two it used, about a third of the board.
struct AvalamTowerSums {
    // By owner: the sum if the owner is to move, and if not.
    std::array<std::array<int, 2>, 2> sums;
    std::array<std::uint16_t, AvalamRules::cells> kinds;  // by cell; valid for occupied cells

    static void start(const Avalam& state, void* accumulator, const void* params) {
        auto& self = *static_cast<AvalamTowerSums*>(accumulator);
        self.sums = {};
        const auto& worth = worths(AvalamTowerWeights::phase_of(state), params);
        const AvalamTowerKinds kinds(state);
        for (std::uint64_t rest = state.occupied(); rest; rest &= rest - 1)
            self.add(std::countr_zero(rest), kinds, worth);
    }

    static void update(const Avalam& before, Avalam::Move move, const Avalam& after, void* accumulator,
                       const void* params) {
        const int phase = AvalamTowerWeights::phase_of(after);
        if (phase != AvalamTowerWeights::phase_of(before)) return start(after, accumulator, params);
        auto& self = *static_cast<AvalamTowerSums*>(accumulator);
        const auto& worth = worths(phase, params);
        const int from = Avalam::from(move), to = Avalam::to(move);
        const std::uint64_t source = std::uint64_t{1} << from, target = std::uint64_t{1} << to;
        self.remove(from, before, worth);
        self.remove(to, before, worth);
        const AvalamTowerKinds kinds(after);
        self.add(to, kinds, worth);
        for (std::uint64_t rest = (before.partners(from) | before.partners(to)) & ~(source | target); rest;
             rest &= rest - 1) {
            const int cell = std::countr_zero(rest);
            self.remove(cell, before, worth);
            self.add(cell, kinds, worth);
        }
    }

    double value(const Avalam& state, Player for_player) const {
        const Player mover = state.to_move();
        const int value_for_mover = sums[mover][0] - sums[1 - mover][1];
        return (for_player == mover ? value_for_mover : -value_for_mover) / 100.0;
    }

private:
    using OfPhase = std::array<AvalamTowerWeights::Worth, AvalamTowerWeights::kinds>;

    static const OfPhase& worths(int phase, const void* params) {
        const auto* weights = params ? static_cast<const AvalamTowerWeights*>(params) : &avalam_tower_weights;
        return weights->worth[static_cast<std::size_t>(phase)];
    }

    void add(int cell, const AvalamTowerKinds& of, const OfPhase& worth) {
        const int kind = of.kind(cell);
        kinds[static_cast<std::size_t>(cell)] = static_cast<std::uint16_t>(kind);
        change(of.owner(cell), worth[static_cast<std::size_t>(kind)], 1);
    }
    void remove(int cell, const Avalam& state, const OfPhase& worth) {
        const auto owner = static_cast<Player>(state.towers_of(1) >> cell & 1);
        change(owner, worth[kinds[static_cast<std::size_t>(cell)]], -1);
    }
    void change(Player owner, AvalamTowerWeights::Worth worth, int sign) {
        auto& of_owner = sums[static_cast<std::size_t>(owner)];
        of_owner[0] += sign * worth.to_mover;
        of_owner[1] += sign * worth.to_opponent;
    }
};

inline double avalam_towers(const Avalam& state, const void* accumulator, const void*, Player for_player) {
    return static_cast<const AvalamTowerSums*>(accumulator)->value(state, for_player);
}

}  // namespace joute
