#include "engine.hpp"

#include "../../search/alphabeta/alphabeta.hpp"
#include "evaluate.hpp"

namespace joute {

namespace {

constexpr const Evaluation<Vampires>& network = *in_role(vampires_evaluations, &EvaluationRoles::engine);

// The value of the network for `for_player`, the root player, with the contempt that `params` points to.
double value_with_contempt(const Vampires& state, const void* accumulator, const void* params, Player for_player) {
    const double value = network.value(state, accumulator, nullptr, for_player);
    return value + *static_cast<const double*>(params) * (1 - value * value);
}

constexpr Evaluation<Vampires> network_with_contempt = [] {
    Evaluation<Vampires> evaluation = network;
    evaluation.value = value_with_contempt;
    return evaluation;
}();

}  // namespace

VampiresEngine::VampiresEngine(const VampiresEngineOptions& options) : contempt_(options.contempt) {
    search_ = contempt_ == 0 ? std::make_unique<AlphaBeta<Vampires>>(options, &network, nullptr)
                             : std::make_unique<AlphaBeta<Vampires>>(options, &network_with_contempt, &contempt_);
}

VampiresEngine::~VampiresEngine() = default;

VampiresEngine::SearchResult VampiresEngine::run(const Vampires& root, const Limits& limits, const Poll& poll,
                                                 const Watch& watch) {
    return search_->run(root, limits, poll, watch);
}

void VampiresEngine::forget() { search_->forget(); }

}  // namespace joute
