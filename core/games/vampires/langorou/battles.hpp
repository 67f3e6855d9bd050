#pragma once

// Battles as Langorou foresees them.

#include <cstdint>
#include <span>
#include <vector>

#include "options.hpp"

namespace joute {

// What may become of a cell that is attacked: so many attackers (with converts) are left, or minus so many defenders.
struct LangorouOutcome {
    double probability;
    int left;
};

class LangorouBattles {
public:
    LangorouBattles(const LangorouOptions& options, const VampiresBattleRules& rules);

    // The outcomes, from the attackers' worst to their best; one where nothing is left to chance.
    std::span<const LangorouOutcome> outcomes(int attackers, int defenders, bool against_humans);
    const VampiresBattleRules& rules() const { return rules_; }

private:
    using Outcomes = std::vector<LangorouOutcome>;

    Outcomes rounded(const VampiresBattle& battle) const;
    Outcomes exact(const VampiresBattle& battle) const;

    const LangorouOptions& options_;
    VampiresBattleRules rules_;
    std::vector<std::int32_t> places_;  // in `known_`, by attackers, defenders and whether they are humans
    std::vector<Outcomes> known_;
};

}  // namespace joute
