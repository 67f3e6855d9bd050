#include "engine.hpp"

#include "../../search/alphabeta/alphabeta.hpp"
#include "evaluate.hpp"

namespace joute {

namespace {

using Cell = VampiresCell;

constexpr const Evaluation<Vampires>& network = *in_role(vampires_evaluations, &EvaluationRoles::engine);

// The sum of the terms for `player`, in a position in which a player is to move.
class Factor {
public:
    Factor(const Vampires& state, Player player) : state_(state), player_(player), other_(opponent(player)) {}

    double of(const VampiresTerms& terms) const {
        double sum = 0;
        if (terms.contempt != 0 && (!terms.only_open || leads() || is_open())) sum += terms.contempt;
        if (terms.caution != 0) sum -= terms.caution * risk();
        if (terms.cohesion != 0) sum += terms.cohesion * (prey(other_, player_) - prey(player_, other_));
        return std::clamp(sum, -0.5, 0.5);
    }

private:
    bool leads() const { return state_.units(player_) > state_.units(other_); }

    // Whether either side together could convert a house.
    bool is_open() const {
        const int most = std::max(state_.units(0), state_.units(1));
        return std::ranges::any_of(state_.houses(), [&](Cell house) { return house.count() <= most; });
    }

    // The odds of the opponent's best attack at 20 to 50%, times the share of the units that it may cost.
    double risk() const {
        if (state_.to_move() == player_ || state_.units(player_) < state_.units(other_)) return 0;
        double worst = 0;
        for (const Cell own : state_.groups(player_)) {
            int attackers = 0;
            for (const Cell enemy : state_.groups(other_))
                if (vampires_distance(own.place(), enemy.place()) == 1) attackers += enemy.count();
            if (attackers == 0) continue;
            const VampiresBattle battle = state_.battle_against(own, attackers);
            if (battle.is_won() || battle.is_lost()) continue;
            const double odds = battle.win_probability();
            if (odds < 0.2 || odds > 0.5) continue;
            worst = std::max(worst, odds * own.count() / state_.units(player_));
        }
        return worst;
    }

    // The share of the units of `side` in groups that the largest group of `hunters` is certain to destroy.
    double prey(Player side, Player hunters) const {
        int largest = 0, units = 0;
        for (const Cell hunter : state_.groups(hunters)) largest = std::max(largest, hunter.count());
        for (const Cell group : state_.groups(side))
            if (state_.battle_against(group, largest).is_won()) units += group.count();
        return static_cast<double>(units) / state_.units(side);
    }

    const Vampires& state_;
    const Player player_, other_;
};

// The value of the network for `for_player`, the root player, with the terms that `params` points to.
double value_with_terms(const Vampires& state, const void* accumulator, const void* params, Player for_player) {
    const double value = network.value(state, accumulator, nullptr, for_player);
    if (state.is_chance() || state.units(0) == 0 || state.units(1) == 0) return value;
    return value + Factor(state, for_player).of(*static_cast<const VampiresTerms*>(params)) * (1 - value * value);
}

constexpr Evaluation<Vampires> network_with_terms = [] {
    Evaluation<Vampires> evaluation = network;
    evaluation.value = value_with_terms;
    return evaluation;
}();

}  // namespace

VampiresEngine::VampiresEngine(const VampiresEngineOptions& options) : terms_(options.terms) {
    search_ = terms_.are_zero() ? std::make_unique<AlphaBeta<Vampires>>(options, &network, nullptr)
                                : std::make_unique<AlphaBeta<Vampires>>(options, &network_with_terms, &terms_);
}

VampiresEngine::~VampiresEngine() = default;

VampiresEngine::SearchResult VampiresEngine::run(const Vampires& root, const Limits& limits, const Poll& poll,
                                                 const Watch& watch) {
    return search_->run(root, limits, poll, watch);
}

void VampiresEngine::forget() { search_->forget(); }

}  // namespace joute
