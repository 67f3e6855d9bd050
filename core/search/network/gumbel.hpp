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

// Writes logit + sigma(completed q) of each move to `scores`.
template <NetworkGame S>
void improved_logits(const NetworkTree<S>& tree, typename NetworkTree<S>::Index index, const GumbelRule& rule,
                     std::array<float, S::max_moves>& scores) {
    const auto& node = tree[index];
    const auto edges = tree.edges_of(index);
    std::uint32_t total = 0, most = 0;
    float prior_seen = 0, value_seen = 0;
    for (const auto& edge : edges) {
        total += edge.visits;
        most = std::max(most, edge.visits);
        if (edge.visits == 0) continue;
        prior_seen += edge.prior;
        value_seen += edge.prior * NetworkTree<S>::value_of(edge, node.mover);
    }
    const auto visits = static_cast<float>(total);
    float mixed = NetworkTree<S>::value_for(node, node.mover);
    if (prior_seen > 0) mixed = (mixed + visits * value_seen / prior_seen) / (1 + visits);
    const auto scale = static_cast<float>((rule.c_visit + most) * rule.c_scale / 2);  // for values in [-1, 1]
    for (std::size_t i = 0; i < edges.size(); ++i) {
        // A proven outcome is known even without visits.
        const bool known = edges[i].visits > 0 || edges[i].bounds.solved();
        scores[i] = edges[i].logit + scale * (known ? NetworkTree<S>::value_of(edges[i], node.mover) : mixed);
    }
}

// Replaces scores by their softmax.
inline void softmax(std::span<float> scores) {
    const float highest = *std::ranges::max_element(scores);
    float sum = 0;
    for (float& score : scores) sum += score = exponential_f(score - highest);
    for (float& score : scores) score /= sum;
}

// The edge to follow below the root: the one whose share of visits is furthest below its improved policy.
template <NetworkGame S>
typename NetworkTree<S>::Index gumbel_choice(const NetworkTree<S>& tree, typename NetworkTree<S>::Index index,
                                             const GumbelRule& rule) {
    const auto& node = tree[index];
    const auto edges = tree.edges_of(index);
    std::array<float, S::max_moves> policy;
    improved_logits(tree, index, rule, policy);
    softmax({policy.data(), edges.size()});
    std::uint32_t total = 0;
    for (const auto& edge : edges) total += edge.visits;
    const float share = 1 / (1 + static_cast<float>(total));
    std::size_t best = 0;
    float highest = -1e30f;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (!NetworkTree<S>::may_help(edges[i], node)) continue;
        const float score = policy[i] - static_cast<float>(edges[i].visits) * share;
        if (score > highest) {
            highest = score;
            best = i;
        }
    }
    return node.first_edge + static_cast<typename NetworkTree<S>::Index>(best);
}

}  // namespace joute
