#pragma once

// Gumbel AlphaZero (Danihelka, Guez, Schrittwieser, Silver 2022): a search that improves the policy with any number of
// simulations, even a few.
//
// At the root, sequential halving compares the moves with the highest sum of Gumbel noise and logit. Below the root, a
// deterministic rule keeps the visits in proportion to the improved policy
//
//     softmax(logit + sigma(q)),   sigma(q) = (c_visit + most visits) * c_scale * q,   q in [0, 1]
//
// where q of a move without visits is the network's value of the position, mixed with the values of its visited moves
// ("completed" q). The improved policy of the root is the training target.

#include <array>
#include <vector>

#include "tree.hpp"

namespace joute {

struct GumbelRule {
    int considered;  // number of moves in the first phase of sequential halving
    double c_visit;  // added to the visits of the most visited move in sigma
    double c_scale;  // weight of values relative to logits
};

// The schedule of sequential halving at the root: simulation i goes to a move that has schedule[i] visits so far. In
// each phase all considered moves get the same number of simulations, and half of the moves stay for the next phase.
inline std::vector<int> halving_schedule(int considered, int simulations) {
    std::vector<int> schedule;
    if (considered <= 1) {
        for (int i = 0; i < simulations; ++i) schedule.push_back(i);
        return schedule;
    }
    int phases = 0;
    while ((1 << phases) < considered) ++phases;
    std::vector<int> visits(static_cast<std::size_t>(considered));
    for (int left = considered; std::ssize(schedule) < simulations; left = std::max(2, left / 2)) {
        const int rounds = std::max(1, simulations / (phases * left));
        for (int round = 0; round < rounds; ++round)
            for (int move = 0; move < left; ++move) schedule.push_back(visits[static_cast<std::size_t>(move)]++);
    }
    schedule.resize(static_cast<std::size_t>(simulations));
    return schedule;
}

// sigma of the moves of a position.
template <NetworkGame S>
class CompletedValues {
public:
    using Edge = typename NetworkTree<S>::Edge;

    CompletedValues(const NetworkTree<S>& tree, typename NetworkTree<S>::Index index, const GumbelRule& rule)
        : mover_(tree[index].mover) {
        std::uint32_t most = 0;
        float prior_seen = 0, value_seen = 0;
        for (const auto& edge : tree.edges_of(index)) {
            if (edge.visits == 0) continue;
            visits_ += edge.visits;
            most = std::max(most, edge.visits);
            prior_seen += edge.prior;
            value_seen += edge.prior * NetworkTree<S>::value_of(edge, mover_);
        }
        const auto visits = static_cast<float>(visits_);
        float mixed = NetworkTree<S>::value_for(tree[index], mover_);
        if (prior_seen > 0) mixed = (mixed + visits * value_seen / prior_seen) / (1 + visits);
        scale_ = static_cast<float>((rule.c_visit + most) * rule.c_scale / 2);  // for values in [-1, 1]
        unknown_ = scale_ * mixed;
    }

    std::uint32_t visits() const { return visits_; }  // of all moves
    // A proven outcome is known even without visits.
    static bool knows(const Edge& edge) { return edge.visits > 0 || edge.bounds.solved(); }
    // sigma of a move whose value is not known.
    float unknown() const { return unknown_; }
    float sigma(const Edge& edge) const {
        return knows(edge) ? scale_ * NetworkTree<S>::value_of(edge, mover_) : unknown_;
    }

private:
    Player mover_;
    std::uint32_t visits_ = 0;
    float scale_, unknown_;
};

// Writes logit + sigma(completed q) of each move to `scores`.
template <NetworkGame S>
void improved_logits(const NetworkTree<S>& tree, typename NetworkTree<S>::Index index, const GumbelRule& rule,
                     std::array<float, S::max_moves>& scores) {
    const CompletedValues<S> values(tree, index, rule);
    const auto edges = tree.edges_of(index);
    for (std::size_t i = 0; i < edges.size(); ++i) scores[i] = edges[i].logit + values.sigma(edges[i]);
}

// Replaces scores by their softmax.
inline void softmax(std::span<float> scores) {
    const float highest = *std::ranges::max_element(scores);
    float sum = 0;
    for (float& score : scores) sum += score = exponential_f(score - highest);
    for (float& score : scores) score /= sum;
}

// The edge to follow below the root: the one whose share of visits is furthest below its improved policy.
//
// Most moves have no visits, and so the same sigma: their improved policy is in proportion to their priors, and needs
// no exponential.
template <NetworkGame S>
typename NetworkTree<S>::Index gumbel_choice(const NetworkTree<S>& tree, typename NetworkTree<S>::Index index,
                                             const GumbelRule& rule) {
    const CompletedValues<S> values(tree, index, rule);
    const auto& node = tree[index];
    const auto edges = tree.edges_of(index);
    thread_local std::vector<std::pair<float, std::size_t>> known;  // (weight, edge)
    known.clear();
    float prior_unknown = 0, prior_best = -1, highest = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const auto& edge = edges[i];
        if (CompletedValues<S>::knows(edge)) {
            known.emplace_back(edge.logit + values.sigma(edge) - values.unknown(), i);
            highest = std::max(highest, known.back().first);
            continue;
        }
        prior_unknown += edge.prior;
        if (edge.prior > prior_best && NetworkTree<S>::may_help(edge, node)) {
            prior_best = edge.prior;
            best = i;
        }
    }
    const float of_prior = exponential_f(-highest);
    float sum = prior_unknown * of_prior;
    for (auto& [weight, i] : known) sum += weight = exponential_f(weight - highest);
    const float share = 1 / (1 + static_cast<float>(values.visits()));
    float most = prior_best >= 0 ? prior_best * of_prior / sum : -1e30f;
    for (const auto& [weight, i] : known) {
        if (!NetworkTree<S>::may_help(edges[i], node)) continue;
        const float score = weight / sum - static_cast<float>(edges[i].visits) * share;
        if (score > most || (score == most && i < best)) {
            most = score;
            best = i;
        }
    }
    return node.first_edge + static_cast<typename NetworkTree<S>::Index>(best);
}

}  // namespace joute
