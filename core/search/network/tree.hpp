#pragma once

// The tree of a search that a network guides.
//
// A node is a position, an edge a move from it; the edges of a node stand side by side. An edge has the network's
// prior, the mean of the simulations that went through it (for the player to move at its node, in [-1, 1]), and bounds
// on the outcome where finished games prove some (MCTS-Solver with draws, Cazenave & Saffidine 2010). A random event is
// a node whose edges are its outcomes. A simulation descends until it comes to a position that only the network can
// judge: such a leaf *waits*, and goes on when the answer comes. Nothing here assumes that players alternate.

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../base/numeric.hpp"
#include "../../game.hpp"
#include "../line_keys.hpp"
#include "../mcts/tree.hpp"

namespace joute {

template <Playable S>
class NetworkTree {
public:
    using Move = typename S::Move;
    using Index = std::uint32_t;
    static constexpr Index root = 0;

    struct Edge {
        float prior = 0;  // by the network; of an outcome, its probability
        float logit = 0;  // its logarithm
        float mean = 0;   // for the player to move at the node
        std::uint32_t visits = 0;
        Index child = 0;            // 0: not entered, since the root is nobody's child
        std::uint16_t pending = 0;  // simulations that wait for the network below
        Bounds bounds{};            // on the outcome for the first player
        Move move;
    };
    struct Node {
        enum class Kind : std::uint8_t { waiting, open, chance, finished };
        Index first_edge = 0;
        std::uint16_t edges = 0;
        Kind kind = Kind::waiting;
        std::int8_t mover = 0;
        Bounds bounds;
        float value = 0;  // for the first player: the network's, or that of a finished game
        std::uint32_t visits = 0;
    };
    using Kind = typename Node::Kind;
    struct Step {
        Index node, edge;
    };
    using Path = std::vector<Step>;

    // A tree of nothing but its root, which waits.
    void reset(const S& state, Past past, int generator) {
        root_state_ = state;
        generator_ = generator;
        line_keys_ = LineKeys<S>(state, past);
        nodes_.clear();
        edges_.clear();
        nodes_.push_back(entered(state));
    }

    const S& root_state() const { return *root_state_; }
    const Node& operator[](Index index) const { return nodes_[index]; }
    const Edge& edge(Index index) const { return edges_[index]; }
    Edge& edge(Index index) { return edges_[index]; }
    std::span<Edge> edges_of(Index index) { return {edges_.data() + nodes_[index].first_edge, nodes_[index].edges}; }
    std::span<const Edge> edges_of(Index index) const {
        return {edges_.data() + nodes_[index].first_edge, nodes_[index].edges};
    }
    std::size_t bytes() const { return nodes_.size() * sizeof(Node) + edges_.size() * sizeof(Edge); }

    // What an edge promises the player to move: the mean, as far as it agrees with what is proven.
    static float value_of(const Edge& edge, Player mover) {
        const auto lower = static_cast<float>(edge.bounds.lower_for(mover));
        const auto upper = static_cast<float>(edge.bounds.upper_for(mover));
        return std::clamp(edge.mean, lower, upper);
    }
    static float value_for(const Node& node, Player player) { return player == 0 ? node.value : -node.value; }
    // Whether what is proven leaves an edge a chance to be better than the best that is certain: then it is searched.
    static bool may_help(const Edge& edge, const Node& node) {
        return edge.bounds.upper_for(node.mover) > node.bounds.lower_for(node.mover);
    }
    // Whether an edge of a node that is not proven is one to play: not lost, and promising no less than what is
    // certain. A draw that is proven helps no further search, but is better than what seems to lose.
    static bool is_worth_playing(const Edge& edge, const Node& node) {
        return edge.bounds.upper_for(node.mover) > -1 &&
               value_of(edge, node.mover) >= static_cast<float>(node.bounds.lower_for(node.mover));
    }

    // Follows `select(node)` down to a leaf; `state` is then the leaf's position. Positions entered on the way are
    // counted in `entered_nodes`.
    template <class Select>
    Index descend(S& state, Path& path, std::uint64_t& entered_nodes, const Select& select) {
        state = *root_state_;
        path.clear();
        Index index = root;
        int ply = 0;
        for (;;) {
            const Node& node = nodes_[index];
            if (node.kind == Kind::finished || node.kind == Kind::waiting || (index != root && node.bounds.solved()))
                return index;
            const Index chosen = node.kind == Kind::chance ? next_outcome(node) : select(index);
            path.push_back({index, chosen});
            if constexpr (S::has_chance) {
                if (node.kind == Kind::chance)
                    state.resolve(static_cast<int>(chosen - node.first_edge));
                else
                    state.play(edges_[chosen].move), ++ply, ++entered_nodes;
            } else {
                state.play(edges_[chosen].move);
                ++ply;
                ++entered_nodes;
            }
            line_keys_.note(state, ply);
            if (edges_[chosen].child == 0) enter(chosen, state, ply);
            index = edges_[chosen].child;
        }
    }

    // The moves of a waiting leaf become its edges; `answer` tells what the network says of them.
    void list_moves(Index leaf, const S& state) {
        MoveList<S> moves;
        state.generate(moves, generator_);
        nodes_[leaf].first_edge = static_cast<Index>(edges_.size());
        nodes_[leaf].edges = static_cast<std::uint16_t>(moves.size());
        for (const Move& move : moves) edges_.push_back({.move = move});
    }
    // `prior(i)` and `logit(i)` of the i-th move, and the value for the player to move.
    template <class Prior, class Logit>
    void answer(Index leaf, const Prior& prior, const Logit& logit, float value) {
        Node& node = nodes_[leaf];
        for (std::size_t i = 0; i < node.edges; ++i) {
            edges_[node.first_edge + i].prior = prior(i);
            edges_[node.first_edge + i].logit = logit(i);
        }
        node.value = node.mover == 0 ? value : -value;
        node.kind = Kind::open;
    }

    // What a simulation that ended in this leaf is worth to the first player.
    float outcome_of(Index leaf) const {
        const Node& node = nodes_[leaf];
        return node.bounds.solved() ? static_cast<float>(node.bounds.lower) : node.value;
    }

    void back_up(const Path& path, Index leaf) {
        const float value = outcome_of(leaf);
        Bounds proven = nodes_[leaf].bounds;
        bool has_news = proven != Bounds{};
        for (auto step = path.rbegin(); step != path.rend(); ++step) {
            Node& node = nodes_[step->node];
            Edge& edge = edges_[step->edge];
            ++node.visits;
            ++edge.visits;
            edge.mean += ((node.mover == 0 ? value : -value) - edge.mean) / static_cast<float>(edge.visits);
            if (!has_news) continue;
            edge.bounds = proven;
            const Bounds before = node.bounds;
            node.bounds = bounds_by_edges(node);
            proven = node.bounds;
            has_news = node.bounds != before;
        }
    }

    void wait(const Path& path) {
        for (const Step& step : path) ++edges_[step.edge].pending;
    }
    void stop_waiting(const Path& path) {
        for (const Step& step : path) --edges_[step.edge].pending;
    }

    // Keeps what is below an edge of the root, or below an outcome there; false where nothing is. In place: a node and
    // its edges stand behind those of its parent, so that what is kept only ever moves forward.
    bool keep(Index below, const S& state, Past past) {
        if (below == 0 || nodes_[below].kind != Kind::open) return false;
        thread_local std::vector<Index> places;  // of the nodes that are kept; 0 for the others
        places.assign(nodes_.size(), 0);
        places[below] = 1;
        Index kept_nodes = 0, kept_edges = 0;
        for (Index from = below; from < nodes_.size(); ++from) {
            if (places[from] == 0) continue;
            Node node = nodes_[from];
            for (Index i = 0; i < node.edges; ++i) {
                const Edge edge = edges_[node.first_edge + i];
                if (edge.child != 0) places[edge.child] = 1;
                edges_[kept_edges + i] = edge;
            }
            node.first_edge = kept_edges;
            kept_edges += node.edges;
            nodes_[kept_nodes] = node;
            places[from] = kept_nodes++;
        }
        nodes_.resize(kept_nodes);
        edges_.erase(edges_.begin() + kept_edges, edges_.end());
        for (Edge& edge : edges_)
            if (edge.child != 0) edge.child = places[edge.child];
        root_state_ = state;
        line_keys_ = LineKeys<S>(state, past);
        return true;
    }

    // Asks for the memory that the next simulation begins with.
    void prefetch() const {
        __builtin_prefetch(nodes_.data());
        const auto* edges = reinterpret_cast<const char*>(edges_.data());
        for (std::size_t i = 0; i < sizeof(Edge) * S::max_moves && i < 512; i += 64) __builtin_prefetch(edges + i);
    }

private:
    Node entered(const S& state) const {
        Node node;
        node.mover = static_cast<std::int8_t>(state.to_move());
        if (state.is_terminal()) {
            const auto outcome = static_cast<std::int8_t>(state.result().outcome);
            node.kind = Kind::finished;
            node.bounds = {outcome, outcome};
            node.value = outcome;
        }
        return node;
    }

    void enter(Index edge, const S& state, int ply) {
        Node node = entered(state);
        if constexpr (S::has_chance) {
            if (node.kind == Kind::waiting && state.is_chance()) {
                node.kind = Kind::chance;
                OutcomeList<S> outcomes;
                state.outcomes(outcomes);
                node.first_edge = static_cast<Index>(edges_.size());
                node.edges = static_cast<std::uint16_t>(outcomes.size());
                for (const double probability : outcomes)
                    edges_.push_back({.prior = static_cast<float>(probability), .move = {}});
            }
        }
        // No bound is made of a draw by repetition: it is one on this way here, and once more may be needed when part
        // of the line has become the past.
        if (node.kind == Kind::waiting && line_keys_.is_draw(state, ply)) node.kind = Kind::finished;
        edges_[edge].child = static_cast<Index>(nodes_.size());
        nodes_.push_back(node);
    }

    // Each outcome in turn as often as it is likely, which errs less than drawing them.
    Index next_outcome(const Node& node) const {
        Index best = node.first_edge;
        float highest = -1;
        for (Index i = node.first_edge; i < node.first_edge + node.edges; ++i) {
            const Edge& edge = edges_[i];
            const float wanted = edge.prior / static_cast<float>(edge.visits + edge.pending + 1);
            if (wanted > highest) {
                highest = wanted;
                best = i;
            }
        }
        return best;
    }

    Bounds bounds_by_edges(const Node& node) const {
        const std::span<const Edge> edges{edges_.data() + node.first_edge, node.edges};
        if (node.kind == Kind::chance) {
            Bounds all{1, -1};
            for (const Edge& edge : edges) {
                if (edge.prior <= 0) continue;
                all.lower = std::min(all.lower, edge.bounds.lower);
                all.upper = std::max(all.upper, edge.bounds.upper);
            }
            return all;
        }
        int lower = -1, upper = -1;
        for (const Edge& edge : edges) {
            lower = std::max(lower, edge.bounds.lower_for(node.mover));
            upper = std::max(upper, edge.bounds.upper_for(node.mover));
        }
        // What is not listed may be better.
        if (generator_ != 0 || !lists_every_move(*root_state_)) upper = 1;
        return node.mover == 0 ? Bounds{static_cast<std::int8_t>(lower), static_cast<std::int8_t>(upper)}
                               : Bounds{static_cast<std::int8_t>(-upper), static_cast<std::int8_t>(-lower)};
    }

    std::optional<S> root_state_;
    int generator_ = 0;
    LineKeys<S> line_keys_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
};

// --- PUCT (Silver et al. 2018) ---

struct PuctRule {
    static constexpr double base = 19652;  // the bonus grows with visits beyond this
    double c;                              // for values in [0, 1]
    double fpu_reduction;  // what a move without a visit is worth less than its position, for values in [0, 1]
};

// The edge with the highest mean plus bonus. Simulations that wait count as lost, so that the next ones go elsewhere.
template <Playable S>
typename NetworkTree<S>::Index puct_choice(const NetworkTree<S>& tree, typename NetworkTree<S>::Index index,
                                           const PuctRule& rule) {
    const auto& node = tree[index];
    const auto edges = tree.edges_of(index);
    std::uint32_t tried = 0;
    float prior_tried = 0;
    for (const auto& edge : edges) {
        tried += edge.visits + edge.pending;
        if (edge.visits + edge.pending > 0) prior_tried += edge.prior;
    }
    const double c = natural_log((1 + tried + rule.base) / rule.base) + rule.c;
    const auto scale = static_cast<float>(c * std::sqrt(std::max(1.0, static_cast<double>(tried))));
    const float untried = (NetworkTree<S>::value_for(node, node.mover) + 1) / 2 -
                          static_cast<float>(rule.fpu_reduction) * std::sqrt(prior_tried);
    typename NetworkTree<S>::Index best = node.first_edge;
    float highest = -1e30f;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const auto& edge = edges[i];
        if (!NetworkTree<S>::may_help(edge, node)) continue;
        const auto n = static_cast<float>(edge.visits + edge.pending);
        float value = untried;
        if (edge.visits > 0)
            value = (NetworkTree<S>::value_of(edge, node.mover) + 1) / 2 * static_cast<float>(edge.visits) / n;
        else if (edge.pending > 0)
            value = 0;
        const float score = value + edge.prior * scale / (1 + n);
        if (score > highest) {
            highest = score;
            best = node.first_edge + static_cast<typename NetworkTree<S>::Index>(i);
        }
    }
    return best;
}

// The edge to play: a proven win, else the most visited of those that may be best.
template <Playable S>
typename NetworkTree<S>::Index most_visited(const NetworkTree<S>& tree) {
    const auto& node = tree[NetworkTree<S>::root];
    const auto edges = tree.edges_of(NetworkTree<S>::root);
    const int certain = node.bounds.lower_for(node.mover);
    const auto better = [&](const auto& a, const auto& b) {
        // What reaches the proven value of the root before what may not; then visits, then values, then priors.
        const bool a_solved = node.bounds.solved() && a.bounds.lower_for(node.mover) == certain;
        const bool b_solved = node.bounds.solved() && b.bounds.lower_for(node.mover) == certain;
        if (a_solved != b_solved) return a_solved;
        const bool a_worth = NetworkTree<S>::is_worth_playing(a, node);
        const bool b_worth = NetworkTree<S>::is_worth_playing(b, node);
        if (a_worth != b_worth) return a_worth;
        if (a.visits != b.visits) return a.visits > b.visits;
        const float a_value = NetworkTree<S>::value_of(a, node.mover),
                    b_value = NetworkTree<S>::value_of(b, node.mover);
        if (a.visits > 0 && a_value != b_value) return a_value > b_value;
        return a.prior > b.prior;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < edges.size(); ++i)
        if (better(edges[i], edges[best])) best = i;
    return node.first_edge + static_cast<typename NetworkTree<S>::Index>(best);
}

}  // namespace joute
