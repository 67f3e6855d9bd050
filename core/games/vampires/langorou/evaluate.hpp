#pragma once

// The heuristic of Langorou, the player of the Vampires vs Werewolves paper (CentraleSupélec, 2019/2020).
//
// All terms are own minus enemy: units, groups, and the gains of groups from houses and from each other, each divided
// by the distance. A group of a units gains from
//
//     h humans       max(0, P (a + h) - a)
//     e enemies      P (a + e) - e
//
// where P is its probability to win an attack; the gains of the enemies are computed likewise.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../../../base/random.hpp"
#include "../battle.hpp"
#include "../board.hpp"

namespace joute {

// The weights of the terms.
struct LangorouWeights {
    double counts;
    double battles;
    double neutral_battles;
    double groups;
    // The paper's program visits each pair of hostile groups from both sides and adds all terms both times.
    bool pairs_twice;
};

// The attackers' winning probability with the rounding of the paper's program, which decides the survivors of a rounded
// battle (for eight attackers against six, a sixth of the six is one, not none).
inline double langorou_chance(const VampiresBattle& battle) {
    if (battle.is_won()) return 1;
    if (battle.is_lost()) return 0;
    const bool outnumbers = battle.attackers > battle.defenders && !battle.rules.outnumbering_is_even;
    return outnumbers ? static_cast<double>(battle.attackers) / battle.defenders - 0.5 : battle.win_probability();
}

class LangorouHeuristic {
public:
    LangorouHeuristic(const LangorouWeights& weights, const VampiresBattleRules& rules)
        : weights_(weights), house_gains_(sides * sides), duels_(sides * sides), rows_(row_count) {
        for (int own = 1; own <= vampires_max_count; ++own)
            for (int other = 1; other <= vampires_max_count; ++other) {
                const int all = own + other;
                house_gains_[index(own, other)] = std::max(0.0, langorou_chance({own, other, true, rules}) * all - own);
                duels_[index(own, other)] = (langorou_chance({own, other, false, rules}) * all - other) -
                                            (langorou_chance({other, own, false, rules}) * all - own);
            }
    }

    // The value of a position in which both sides have units. `houses_key` identifies the set of houses; `unit_lead` is
    // passed in, because a search may count units in its own way.
    double value(std::span<const VampiresCell> own, std::span<const VampiresCell> other,
                 std::span<const VampiresCell> houses, std::uint64_t houses_key, int unit_lead) {
        double total = weights_.counts * unit_lead;
        if (weights_.battles != 0) {
            double sum = 0;
            for (const VampiresCell group : own)
                for (const VampiresCell enemy : other)
                    sum +=
                        duels_[index(group.count(), enemy.count())] / vampires_distance(group.place(), enemy.place());
            total += weights_.battles * (weights_.pairs_twice ? 2 * sum : sum);
        }
        if (weights_.neutral_battles != 0 && !houses.empty()) {
            double sum = 0;
            for (const VampiresCell group : own) sum += row(group, houses, houses_key);
            for (const VampiresCell group : other) sum -= row(group, houses, houses_key);
            total += weights_.neutral_battles * sum;
        }
        return total + weights_.groups * (static_cast<int>(own.size()) - static_cast<int>(other.size()));
    }

private:
    static constexpr std::size_t sides = vampires_max_count + 1;
    static constexpr std::size_t row_count = std::size_t{1} << 14;

    static std::size_t index(int own, int other) {
        return static_cast<std::size_t>(own) * sides + static_cast<std::size_t>(other);
    }
    // The gains of a group from all houses. Successive positions of a search share most groups and houses, so most sums
    // are cached; terms are always added in the same order, so that a sum never depends on the search path.
    double row(VampiresCell group, std::span<const VampiresCell> houses, std::uint64_t houses_key) {
        constexpr std::uint32_t without_kind = 0xffffff;
        const std::uint64_t key = mix64(houses_key + (group.bits & without_kind) + 1);
        Row& kept = rows_[key % row_count];
        if (kept.key == key) return kept.sum;
        double sum = 0;
        for (const VampiresCell house : houses)
            sum += house_gains_[index(group.count(), house.count())] / vampires_distance(group.place(), house.place());
        kept = {key, sum};
        return sum;
    }

    struct Row {
        std::uint64_t key = 0;
        double sum = 0;
    };

    LangorouWeights weights_;
    std::vector<double> house_gains_, duels_;  // indexed by both counts
    std::vector<Row> rows_;
};

}  // namespace joute
