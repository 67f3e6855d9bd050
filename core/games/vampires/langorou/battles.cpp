#include "battles.hpp"

#include <cmath>

namespace joute {

namespace {

constexpr std::size_t counts = vampires_max_count + 1;

// Divides ordered outcomes into `parts` of about equal probability; each part becomes its rounded mean.
void add_quantiles(std::span<const LangorouOutcome> outcomes, int parts, std::vector<LangorouOutcome>& result) {
    double total = 0;
    for (const auto& outcome : outcomes) total += outcome.probability;
    double before = 0, weight = 0, sum = 0;
    int part = 1;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        weight += outcomes[i].probability;
        sum += outcomes[i].probability * outcomes[i].left;
        const bool is_last = i + 1 == outcomes.size();
        if (!is_last && before + weight < total * part / parts) continue;
        if (weight > 0) result.push_back({weight, static_cast<int>(std::lround(sum / weight))});
        before += weight;
        weight = sum = 0;
        while (part < parts && before >= total * part / parts) ++part;
    }
}

}  // namespace

LangorouBattles::LangorouBattles(const LangorouOptions& options, const VampiresBattleRules& rules)
    : options_(options), rules_(rules), places_(2 * counts * counts, -1) {}

std::span<const LangorouOutcome> LangorouBattles::outcomes(int attackers, int defenders, bool against_humans) {
    const std::size_t index =
        (static_cast<std::size_t>(attackers) * counts + static_cast<std::size_t>(defenders)) * 2 + against_humans;
    if (places_[index] < 0) {
        const VampiresBattle battle{attackers, defenders, against_humans, rules_};
        places_[index] = static_cast<std::int32_t>(known_.size());
        if (battle.is_won())
            known_.push_back({{1, battle.possible_survivors()}});
        else if (battle.is_lost())
            known_.push_back({{1, -defenders}});
        else
            known_.push_back(options_.chance == LangorouOptions::Chance::exact ? exact(battle) : rounded(battle));
    }
    return known_[static_cast<std::size_t>(places_[index])];
}

// The paper's version: the number of survivors is the mean, rounded down; a sufficiently likely result counts as
// certain.
LangorouBattles::Outcomes LangorouBattles::rounded(const VampiresBattle& battle) const {
    const double p = langorou_chance(battle);
    const int won = static_cast<int>(p * battle.attackers + (battle.against_humans ? p * battle.defenders : 0));
    const int lost = static_cast<int>((1 - p) * battle.defenders);
    if (p >= options_.win_threshold) return {{1, won}};
    if (p < 1 - options_.win_threshold) return {{1, -lost}};
    return {{1 - p, -lost}, {p, won}};
}

// The distribution or its quantiles, separately for defeat and victory, because the numbers between them are
// impossible.
LangorouBattles::Outcomes LangorouBattles::exact(const VampiresBattle& battle) const {
    FixedList<double, VampiresBattle::max_outcomes> probabilities;
    battle.outcomes(probabilities);
    const auto defenders = static_cast<std::size_t>(battle.defenders);
    Outcomes lost, won;
    double loss = 0;
    for (std::size_t left = defenders; left > 0; --left) {
        lost.push_back({probabilities[left], -static_cast<int>(left)});
        loss += probabilities[left];
    }
    // "Nobody left" belongs to both sides; it is counted as a victory here.
    won.push_back({probabilities[0], 0});
    for (std::size_t i = defenders + 1; i < probabilities.size(); ++i)
        won.push_back({probabilities[i], static_cast<int>(i - defenders)});
    Outcomes result;
    const int bins = options_.bins;
    if (lost.size() + won.size() <= static_cast<std::size_t>(bins)) {
        result = lost;
        result.insert(result.end(), won.begin(), won.end());
    } else {
        const int lost_bins = std::clamp(static_cast<int>(std::lround(loss * bins)), 1, bins - 1);
        add_quantiles(lost, lost_bins, result);
        add_quantiles(won, bins - lost_bins, result);
    }
    return result;
}

}  // namespace joute
