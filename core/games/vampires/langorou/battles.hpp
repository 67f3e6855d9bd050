#pragma once

// The battle model of Langorou.

#include <cstdint>
#include <span>
#include <vector>

#include "options.hpp"

namespace joute {

// An outcome of an attack on a cell: `left` attackers (with converts) remain, or -`left` defenders.
struct LangorouOutcome {
    double probability;
    int left;
};

class LangorouBattles {
public:
    LangorouBattles(const LangorouOptions& options, const VampiresBattleRules& rules);

    // The outcomes, from worst to best for the attackers; only one if the result is certain.
    std::span<const LangorouOutcome> outcomes(int attackers, int defenders, bool against_humans);
    const VampiresBattleRules& rules() const { return rules_; }

private:
    using Outcomes = std::vector<LangorouOutcome>;

    Outcomes rounded(const VampiresBattle& battle) const;
    Outcomes exact(const VampiresBattle& battle) const;

    const LangorouOptions& options_;
    VampiresBattleRules rules_;
    std::vector<std::int32_t> places_;  // index in `known_`, by attackers, defenders and against_humans
    std::vector<Outcomes> known_;
};

}  // namespace joute
