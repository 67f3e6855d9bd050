#pragma once

// The tree of a search guided by a network.
//
// A node is a position, and its edges, stored side by side, are the moves from it. An edge holds the network's prior,
// the mean value of the simulations through it (for the player to move at its node, in [-1, 1]), and bounds on the
// outcome, which finished games may prove (MCTS-Solver with draws, Cazenave & Saffidine 2010). A simulation descends to
// a leaf that the network must evaluate. The leaf *waits* for the network's output, and the simulation is backed up
// when it arrives. Players need not alternate.
//
// A random event is a node whose edges are its possible outcomes (the afterstate of its move). Its value is the
// expectation over all outcomes. The simulation that enters it for the first time is therefore complete only when every
// outcome has been evaluated: it descends once for each. Otherwise a selection rule that trusts values would drop a
// move because of a single unlucky outcome. Later simulations visit outcomes in proportion to their probabilities.
//
// Most leaves are never visited again. So an evaluated leaf is *packed*: it keeps the priors of its moves alone, four
// bytes a move, until a simulation passes through it and needs its edges, eight times as large.

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../base/half.hpp"
#include "../../base/numeric.hpp"
#include "../../base/reserve.hpp"
#include "../../input_frame.hpp"
#include "../line_keys.hpp"
#include "../mcts/tree.hpp"

namespace joute {

template <NetworkGame S>
class NetworkTree {
public:
    using Move = typename S::Move;
    using Index = std::uint32_t;
    static constexpr Index root = 0;

    struct Edge {
        float prior = 0;  // from the network; the probability of an outcome
        float logit = 0;  // logarithm of the prior
        float mean = 0;   // for the player to move at the node
        std::uint32_t visits = 0;
        Index child = 0;            // 0: no child yet, since the root is no child
        std::uint16_t pending = 0;  // simulations below that wait for the network (virtual losses)
        Bounds bounds{};            // for the first player
        std::uint16_t outcome = 0;  // the number of the outcome, below a random event
        Move move;
    };
    struct Node {
        enum class Kind : std::uint8_t { waiting, packed, open, chance, finished };
        Index first_edge = 0;     // or the first prior, if packed
        std::uint16_t edges = 0;  // 0 unless open or a random event
        std::uint16_t moves = 0;  // of a leaf whose moves are listed
        Kind kind = Kind::waiting;
        std::int8_t mover = 0;
        Bounds bounds;
        float value = 0;  // for the first player: from the network, or of a finished game
        std::uint32_t visits = 0;
    };
    using Kind = typename Node::Kind;
    struct Step {
        Index node, edge;
    };
    using Path = std::vector<Step>;

    // Resets the tree to a waiting root. With few_outcomes > 0, similar outcomes of a random event are merged
    // (offers.hpp).
    void reset(const S& state, Past past, int generator, int few_outcomes) {
        root_state_ = state;
        generator_ = generator;
        few_outcomes_ = few_outcomes;
        line_keys_ = LineKeys<S>(state, past);
        nodes_.clear();
        edges_.clear();
        priors_.clear();
        nodes_.push_back(entered(state));
    }
    // With a penalty above 0, every position that occurred before in the game or on the line ends a simulation, and is
    // worth minus the penalty for the player who moved there.
    void set_repetition_penalty(float penalty) { repetition_penalty_ = penalty; }

    // Reserves address space for a tree of `bytes`. Every node but the root is the child of an edge.
    void reserve(std::size_t bytes) {
        reserve_space(edges_, bytes / sizeof(Edge));
        reserve_space(priors_, bytes / sizeof(float));
        reserve_space(nodes_, bytes / (sizeof(Edge) + sizeof(Node)) + 1);
    }

    const S& root_state() const { return *root_state_; }
    const Node& operator[](Index index) const { return nodes_[index]; }
    const Edge& edge(Index index) const { return edges_[index]; }
    Edge& edge(Index index) { return edges_[index]; }
    std::span<Edge> edges_of(Index index) { return {edges_.data() + nodes_[index].first_edge, nodes_[index].edges}; }
    std::span<const Edge> edges_of(Index index) const {
        return {edges_.data() + nodes_[index].first_edge, nodes_[index].edges};
    }
    std::size_t bytes() const {
        return nodes_.size() * sizeof(Node) + edges_.size() * sizeof(Edge) + priors_.size() * sizeof(float);
    }

    // The value of an edge for the player to move: its mean, clamped to the proven bounds.
    static float value_of(const Edge& edge, Player mover) {
        const auto lower = static_cast<float>(edge.bounds.lower_for(mover));
        const auto upper = static_cast<float>(edge.bounds.upper_for(mover));
        return std::clamp(edge.mean, lower, upper);
    }
    static float value_for(const Node& node, Player player) { return player == 0 ? node.value : -node.value; }
    // Whether an edge can still be better than the proven lower bound of its node. Other edges are not searched.
    static bool may_help(const Edge& edge, const Node& node) {
        return edge.bounds.upper_for(node.mover) > node.bounds.lower_for(node.mover);
    }
    // Whether an edge of an unsolved node may be played: it is not a proven loss, and its value is at least the proven
    // lower bound of the node. So a proven draw, which is not searched further, is preferred to moves with values below
    // a draw.
    static bool is_worth_playing(const Edge& edge, const Node& node) {
        return edge.bounds.upper_for(node.mover) > -1 &&
               value_of(edge, node.mover) >= static_cast<float>(node.bounds.lower_for(node.mover));
    }

    // Selection and expansion: follows `select(node)` down to a leaf, whose position is then in `state`. Adds the
    // number of moves played to `entered_nodes`.
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
            if (node.kind == Kind::packed) unpack(index, state);
            const Player mover = node.mover;
            const Index chosen = node.kind == Kind::chance ? next_outcome(node) : select(index);
            path.push_back({index, chosen});
            if constexpr (S::has_chance) {
                if (node.kind == Kind::chance)
                    state.resolve(edges_[chosen].outcome);
                else
                    state.play(edges_[chosen].move), ++ply, ++entered_nodes;
            } else {
                state.play(edges_[chosen].move);
                ++ply;
                ++entered_nodes;
            }
            line_keys_.note(state, ply);
            if (edges_[chosen].child == 0) enter(chosen, mover, state, ply);
            index = edges_[chosen].child;
        }
    }

    // Lists the moves of a waiting leaf, whose priors `answer` then sets.
    void list_moves(Index leaf, const S& state, MoveList<S>& moves) {
        list_judged_moves(state, generator_, moves);
        nodes_[leaf].moves = static_cast<std::uint16_t>(moves.size());
    }
    // Stores the network's output for a leaf: the prior of the i-th move, and the value for the player to move. The
    // root gets its edges at once.
    template <class Prior>
    void answer(Index leaf, const Prior& prior, float value) {
        Node& node = nodes_[leaf];
        node.first_edge = static_cast<Index>(priors_.size());
        priors_.resize(priors_.size() + node.moves);
        for (std::size_t i = 0; i < node.moves; ++i) priors_[node.first_edge + i] = prior(i);
        node.value = node.mover == 0 ? value : -value;
        node.kind = Kind::packed;
        if (leaf == root) unpack(root, *root_state_);
    }

    // The value, for the first player, of a simulation that ended in this leaf.
    float outcome_of(Index leaf) const {
        const Node& node = nodes_[leaf];
        return node.bounds.solved() ? static_cast<float>(node.bounds.lower) : node.value;
    }

    // Backpropagation: updates visits and means on the path, and bounds as long as they change. Stops at a random event
    // some of whose outcomes have not been evaluated, and returns false: then the simulation is not complete.
    bool back_up(const Path& path, Index leaf) {
        float value = outcome_of(leaf);
        Bounds proven = nodes_[leaf].bounds;
        bool has_news = proven != Bounds{};
        for (auto step = path.rbegin(); step != path.rend(); ++step) {
            Node& node = nodes_[step->node];
            Edge& edge = edges_[step->edge];
            ++node.visits;
            ++edge.visits;
            edge.mean += ((node.mover == 0 ? value : -value) - edge.mean) / static_cast<float>(edge.visits);
            if (has_news) {
                edge.bounds = proven;
                const Bounds before = node.bounds;
                node.bounds = bounds_by_edges(node);
                proven = node.bounds;
                has_news = node.bounds != before;
            }
            if (node.kind != Kind::chance) continue;
            if (!is_evaluated(node)) return false;
            value = expectation_of(node);
            proven = node.bounds;
            has_news = proven != Bounds{};  // bounds found before the last outcome was evaluated are news above
        }
        return true;
    }

    // Adds and removes the virtual losses of a waiting leaf.
    void wait(const Path& path) {
        for (const Step& step : path) ++edges_[step.edge].pending;
    }
    void stop_waiting(const Path& path) {
        for (const Step& step : path) --edges_[step.edge].pending;
    }

    // Tree reuse: makes node `below` the root and drops all nodes that do not descend from it. Returns false if `below`
    // is not an evaluated position. Works in place: a node comes after its parent, so kept nodes only move to lower
    // indices, and so do edges and priors, which move in their own order.
    bool keep(Index below, const S& state, Past past) {
        if (below == 0 || (nodes_[below].kind != Kind::open && nodes_[below].kind != Kind::packed)) return false;
        thread_local std::vector<Index> places;  // new indices of the nodes that are kept; 0 for the others
        places.assign(nodes_.size(), 0);
        places[below] = 1;
        Index kept = 0;
        for (Index from = below; from < nodes_.size(); ++from) {
            if (places[from] == 0) continue;
            for (const Edge& edge : edges_of(from))
                if (edge.child != 0) places[edge.child] = 1;
            nodes_[kept] = nodes_[from];
            places[from] = kept++;
        }
        nodes_.resize(kept);
        move_down(edges_, [](const Node& node) { return node.edges; });
        move_down(priors_, [](const Node& node) { return node.kind == Kind::packed ? node.moves : 0; });
        for (Edge& edge : edges_)
            if (edge.child != 0) edge.child = places[edge.child];
        root_state_ = state;
        line_keys_ = LineKeys<S>(state, past);
        if (nodes_[root].kind == Kind::packed) unpack(root, state);
        return true;
    }

    // Prefetches the root and its edges for the next simulation.
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

    // Closes the gaps between the items of the nodes, of which `count` tells how many a node has.
    template <class Item, class Count>
    void move_down(std::vector<Item>& items, const Count& count) {
        thread_local std::vector<Index> owners;
        owners.clear();
        for (Index i = 0; i < nodes_.size(); ++i)
            if (count(nodes_[i]) > 0) owners.push_back(i);
        std::ranges::sort(owners, {}, [&](Index i) { return nodes_[i].first_edge; });
        Index kept = 0;
        for (const Index i : owners) {
            const auto begin = items.begin() + nodes_[i].first_edge;
            std::copy(begin, begin + count(nodes_[i]), items.begin() + kept);
            nodes_[i].first_edge = kept;
            kept += static_cast<Index>(count(nodes_[i]));
        }
        items.erase(items.begin() + kept, items.end());
    }

    // Turns the priors of an evaluated leaf into edges.
    void unpack(Index index, const S& state) {
        MoveList<S> moves;
        list_judged_moves(state, generator_, moves);
        const std::size_t first_prior = nodes_[index].first_edge;
        nodes_[index].first_edge = static_cast<Index>(edges_.size());
        nodes_[index].edges = nodes_[index].moves;
        nodes_[index].kind = Kind::open;
        const std::size_t first_edge = edges_.size();
        edges_.resize(first_edge + moves.size());
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const float prior = priors_[first_prior + i];
            edges_[first_edge + i] = {.prior = prior, .logit = log_of_prior(prior), .move = moves[i]};
        }
    }

    // `mover` made the move of the edge.
    void enter(Index edge, Player mover, const S& state, int ply) {
        Node node = entered(state);
        if constexpr (S::has_chance) {
            if (node.kind == Kind::waiting && state.is_chance()) {
                node.kind = Kind::chance;
                OutcomeList<S> outcomes;
                list_outcomes(state, outcomes);
                node.first_edge = static_cast<Index>(edges_.size());
                for (std::size_t i = 0; i < outcomes.size(); ++i)
                    if (outcomes[i] > 0)
                        edges_.push_back({.prior = static_cast<float>(outcomes[i]),
                                          .outcome = static_cast<std::uint16_t>(i),
                                          .move = {}});
                node.edges = static_cast<std::uint16_t>(edges_.size() - node.first_edge);
            }
        }
        // A draw by repetition sets no bounds: with tree reuse, search nodes become game history, where a draw may need
        // more occurrences.
        if (node.kind == Kind::waiting && line_keys_.is_draw(state, ply)) node.kind = Kind::finished;
        if (repetition_penalty_ > 0 && node.kind != Kind::chance && !node.bounds.solved() &&
            (node.kind == Kind::finished || line_keys_.has_occurred(ply))) {
            node.kind = Kind::finished;
            node.value = mover == 0 ? -repetition_penalty_ : repetition_penalty_;
        }
        edges_[edge].child = static_cast<Index>(nodes_.size());
        nodes_.push_back(node);
    }

    template <class List>
    void list_outcomes(const S& state, List& outcomes) const {
        if constexpr (HasFewOutcomes<S>)
            if (few_outcomes_ > 0) return state.few_outcomes(outcomes, few_outcomes_);
        state.outcomes(outcomes);
    }

    bool is_evaluated(const Node& chance) const {
        const std::span<const Edge> edges{edges_.data() + chance.first_edge, chance.edges};
        return std::ranges::all_of(edges, [](const Edge& edge) { return edge.visits > 0; });
    }
    // The expected value of an evaluated random event, for the first player.
    float expectation_of(const Node& chance) const {
        float total = 0, weight = 0;
        for (const Edge& edge : std::span{edges_.data() + chance.first_edge, chance.edges}) {
            total += edge.prior * value_of(edge, chance.mover);
            weight += edge.prior;
        }
        return (chance.mover == 0 ? total : -total) / weight;
    }

    // Visits outcomes in proportion to their probabilities, deterministically, which has less variance than sampling;
    // but every outcome once before any is visited again.
    Index next_outcome(const Node& node) const {
        Index best = node.first_edge;
        float highest = -1;
        for (Index i = node.first_edge; i < node.first_edge + node.edges; ++i) {
            const Edge& edge = edges_[i];
            const auto visits = static_cast<float>(edge.visits + edge.pending);
            const float wanted = visits == 0 ? 1 + edge.prior : edge.prior / (visits + 1);
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
            if (few_outcomes_ > 0) return {};  // merged outcomes prove nothing about those that are left out
            Bounds all{1, -1};
            for (const Edge& edge : edges) {
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
        // A move that the generator omits may be better.
        if (generator_ != 0 || !lists_every_move(*root_state_)) upper = 1;
        return node.mover == 0 ? Bounds{static_cast<std::int8_t>(lower), static_cast<std::int8_t>(upper)}
                               : Bounds{static_cast<std::int8_t>(-upper), static_cast<std::int8_t>(-lower)};
    }

    std::optional<S> root_state_;
    int generator_ = 0, few_outcomes_ = 0;
    float repetition_penalty_ = 0;
    LineKeys<S> line_keys_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<float> priors_;  // of packed nodes, and of those that were
};

// --- PUCT (Silver et al. 2018) ---

struct PuctRule {
    static constexpr double base = 19652;  // the bonus grows with visits beyond this
    double c;                              // for values in [0, 1]
    // An untried move has the value of its position minus fpu_reduction * sqrt(sum of the priors of tried moves), for
    // values in [0, 1].
    double fpu_reduction;
};

// The edge with the highest value plus bonus. Waiting simulations count as losses (virtual loss), so that the next ones
// take other paths. Values are in [0, 1] here.
template <NetworkGame S>
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

// The edge to play: if the root is solved, one that reaches its proven value; otherwise the most visited edge among
// those worth playing.
template <NetworkGame S>
typename NetworkTree<S>::Index most_visited(const NetworkTree<S>& tree) {
    const auto& node = tree[NetworkTree<S>::root];
    const auto edges = tree.edges_of(NetworkTree<S>::root);
    const int certain = node.bounds.lower_for(node.mover);
    const auto better = [&](const auto& a, const auto& b) {
        // Compare by: reaching the proven value of a solved root, being worth playing, visits, value, prior.
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
