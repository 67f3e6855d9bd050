#pragma once

// The search of one move as a resumable process: it runs until a leaf needs the network and continues with the answer.
// Thousands of such searches share a batch.

#include <array>
#include <optional>
#include <ranges>
#include <vector>

#include "../history.hpp"
#include "options.hpp"

namespace joute {

// Draws from the Gamma distribution with scale 1 (Marsaglia & Tsang 2000), the source of Dirichlet noise.
inline double gamma_draw(double shape, Random& random) {
    const auto positive = [&] { return 1 - random.uniform(); };
    if (shape < 1) return gamma_draw(shape + 1, random) * exponential(natural_log(positive()) / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        double x, y, square;
        do {  // a normal deviate by the polar method (Marsaglia 1962)
            x = 2 * random.uniform() - 1;
            y = 2 * random.uniform() - 1;
            square = x * x + y * y;
        } while (square >= 1 || square == 0);
        x *= std::sqrt(-2 * natural_log(square) / square);
        const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
        if (v > 0 && natural_log(positive()) < x * x / 2 + d - d * v + d * natural_log(v)) return d * v;
    }
}

template <NetworkGame S>
class RootSearch {
public:
    using Tree = NetworkTree<S>;
    using Index = typename Tree::Index;
    using Edge = typename Tree::Edge;
    using Target = std::array<float, S::max_moves>;

    explicit RootSearch(const SelfPlayOptions& options) : options_(&options) {}

    // Starts at a position with a player to move, in the subtree kept by follow() if there is one.
    void begin(const InPlay<S>& game, int simulations, bool explores) {
        const S& state = game;
        tree_.set_repetition_penalty(static_cast<float>(options_->repetition_penalty));
        if (!kept_) tree_.reset(state, past_of(game), options_->generator, options_->few_outcomes);
        kept_ = false;
        simulations_ = simulations;
        explores_ = explores;
        done_ = 0;
        is_prepared_ = false;
    }

    // Runs simulations until a leaf waits for the network (true) or the search is over (false).
    bool advance(Random& random) {
        for (;;) {
            const auto& root = tree_[Tree::root];
            if (root.kind == Tree::Kind::waiting) {
                path_.clear();
                leaf_ = Tree::root;
                leaf_state_ = tree_.root_state();
                return true;
            }
            if (!is_prepared_) prepare(random);
            if (done_ == simulations_ || root.bounds.solved()) return false;
            if (!leaf_state_) leaf_state_ = tree_.root_state();
            leaf_ = tree_.descend(*leaf_state_, path_, nodes_, [&](Index node) { return choose(node); });
            if (tree_[leaf_].kind == Tree::Kind::waiting && !tree_[leaf_].bounds.solved()) return true;
            done_ += tree_.back_up(path_, leaf_);
        }
    }

    // Writes the waiting position, transformed by symmetry g, into a row of a batch.
    void ask(const PositionWriter<S>& writer, int g, const BatchArrays& arrays, std::size_t row) {
        MoveList<S> moves;
        tree_.list_moves(leaf_, *leaf_state_, moves);
        writer.write_planes(*leaf_state_, g, arrays.planes + row * static_cast<std::size_t>(writer.input_size()));
        writer.write_legal(
            *leaf_state_, moves.size(), [&](std::size_t i) { return moves[i]; }, options_->scrambled ? 0 : g,
            arrays.legal + row * PositionWriter<S>::width * PositionWriter<S>::parts);
    }
    // Continues with the network's answer. A network that diverged in training may return any number, so bad values
    // become 0.
    void answer(const BatchArrays& arrays, std::size_t row) {
        const Half* priors = arrays.priors + row * PositionWriter<S>::width;
        const float value = float_of(arrays.values[row]);
        tree_.answer(
            leaf_, [&](std::size_t i) { return probability_of(priors[i]); }, value >= -1 && value <= 1 ? value : 0.0f);
        if (leaf_ != Tree::root) done_ += tree_.back_up(path_, leaf_);
    }

    const Tree& tree() const { return tree_; }
    int simulations() const { return done_; }
    std::uint64_t nodes() const { return nodes_; }
    std::span<const Edge> moves() const { return tree_.edges_of(Tree::root); }

    // The value of the position after the search, for the player to move.
    float value() const {
        const auto& root = tree_[Tree::root];
        if (root.bounds.solved()) return static_cast<float>(root.bounds.lower_for(root.mover));
        float total = Tree::value_for(root, root.mover), visits = 1;
        for (const Edge& edge : moves()) {
            total += Tree::value_of(edge, root.mover) * static_cast<float>(edge.visits);
            visits += static_cast<float>(edge.visits);
        }
        return std::clamp(total / visits, static_cast<float>(root.bounds.lower_for(root.mover)),
                          static_cast<float>(root.bounds.upper_for(root.mover)));
    }

    // The index of the move to play in the move list.
    std::size_t choice(Random& random, int ply) const {
        const auto& root = tree_[Tree::root];
        if (root.bounds.solved()) return best_proven();
        if (options_->search == SelfPlayOptions::Kind::gumbel) return best_considered();
        if (explores_ && ply < options_->temperature_plies && options_->temperature > 0) return drawn(random);
        return most_visited(tree_) - root.first_edge;
    }

    // The policy target of this position: sums to one over the moves. `chosen` is the move to play.
    void target(Target& target, std::size_t chosen, int ply) const {
        const auto& root = tree_[Tree::root];
        const auto edges = moves();
        if (root.bounds.solved()) {
            const int value = root.bounds.lower_for(root.mover);
            for (std::size_t i = 0; i < edges.size(); ++i)
                target[i] = edges[i].bounds.lower_for(root.mover) == value ? edges[i].prior + 1e-6f : 0;
        } else if (options_->search == SelfPlayOptions::Kind::gumbel) {
            improved_logits(tree_, Tree::root, options_->gumbel, target);
            softmax({target.data(), edges.size()});
            return;
        } else if (options_->greedy_targets && ply >= options_->temperature_plies) {
            for (std::size_t i = 0; i < edges.size(); ++i) target[i] = i == chosen ? 1 : 0;
        } else {
            for (std::size_t i = 0; i < edges.size(); ++i)
                target[i] = Tree::is_worth_playing(edges[i], root) ? static_cast<float>(edges[i].visits) : 0;
        }
        float sum = 0;
        for (std::size_t i = 0; i < edges.size(); ++i) sum += target[i];
        for (std::size_t i = 0; i < edges.size(); ++i)
            target[i] = sum > 0 ? target[i] / sum : 1 / static_cast<float>(edges.size());
    }

    // How much the target differs from the network's priors: the Kullback-Leibler divergence, in nats.
    float surprise(const Target& target) const {
        const auto edges = moves();
        double sum = 0;
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (target[i] > 0) sum += target[i] * (natural_log(target[i]) - edges[i].logit);
        return static_cast<float>(std::max(sum, 0.0));
    }

    // Tells the search that the move at index `place` was played and `game` is the position after it and its random
    // outcomes. Keeps the subtree if the options say so.
    void follow(std::size_t place, std::span<const int> outcomes, const InPlay<S>& game) {
        // No reuse in games with repetition: a draw by repetition in the tree is only valid while the moves before it
        // are not yet game history.
        if (!options_->reuse || S::repeats) return;
        Index index = moves()[place].child;
        for (const int outcome : outcomes) {
            if (index == 0 || tree_[index].kind != Tree::Kind::chance) return;
            const auto edges = tree_.edges_of(index);
            const auto found = std::ranges::find_if(edges, [&](const Edge& edge) { return edge.outcome == outcome; });
            if (found == edges.end()) return;  // it was merged with another
            index = found->child;
        }
        const S& state = game;
        kept_ = tree_.keep(index, state, past_of(game));
    }
    void forget() { kept_ = false; }

    void prefetch() const {
        tree_.prefetch();
        __builtin_prefetch(noise_.data());
        __builtin_prefetch(base_.data());
        __builtin_prefetch(order_.data());
        __builtin_prefetch(path_.data());
    }

    static Past past_of(const InPlay<S>& game) {
        if constexpr (S::repeats)
            return game.past();
        else
            return {};
    }

private:
    void prepare(Random& random) {
        is_prepared_ = true;
        const auto edges = tree_.edges_of(Tree::root);
        if (options_->search == SelfPlayOptions::Kind::gumbel) {
            base_.resize(edges.size());
            noise_.assign(edges.size(), 0);
            for (std::size_t i = 0; i < edges.size(); ++i) {
                base_[i] = edges[i].visits;
                if (explores_) {
                    const double inside = (static_cast<double>(random.next() >> 12) + 0.5) * 0x1.0p-52;  // (0, 1)
                    noise_[i] = static_cast<float>(-natural_log(-natural_log(inside)));
                }
            }
            order_.resize(edges.size());
            for (std::size_t i = 0; i < edges.size(); ++i) order_[i] = static_cast<std::uint16_t>(i);
            std::ranges::stable_sort(order_, std::greater{}, [&](auto i) { return noise_[i] + edges[i].logit; });
            const int considered = std::min(options_->gumbel.considered, static_cast<int>(edges.size()));
            order_.resize(static_cast<std::size_t>(std::max(1, considered)));
            if (considered != scheduled_considered_ || simulations_ != scheduled_simulations_) {
                schedule_ = halving_schedule(considered, simulations_);
                scheduled_considered_ = considered;
                scheduled_simulations_ = simulations_;
            }
        } else if (explores_ && options_->noise_share > 0) {
            std::array<double, S::max_moves> noise;
            double sum = 0;
            for (std::size_t i = 0; i < edges.size(); ++i) sum += noise[i] = gamma_draw(options_->noise_alpha, random);
            const double share = options_->noise_share;
            for (std::size_t i = 0; sum > 0 && i < edges.size(); ++i)
                edges[i].prior = static_cast<float>((1 - share) * edges[i].prior + share * noise[i] / sum);
        }
    }

    Index choose(Index node) const {
        if (options_->search == SelfPlayOptions::Kind::puct) return puct_choice(tree_, node, options_->puct);
        if (node != Tree::root) return gumbel_choice(tree_, node, options_->gumbel);
        const CompletedValues<S> values(tree_, Tree::root, options_->gumbel);
        const auto edges = moves();
        const auto wanted = static_cast<std::uint32_t>(schedule_[static_cast<std::size_t>(done_)]);
        std::size_t best = order_[0];
        float highest = -1e30f;
        for (const std::size_t i : order_) {
            if (edges[i].visits - base_[i] != wanted) continue;
            const float score = noise_[i] + (edges[i].logit + values.sigma(edges[i]));
            if (score > highest) {
                highest = score;
                best = i;
            }
        }
        return tree_[Tree::root].first_edge + static_cast<Index>(best);
    }

    std::size_t best_considered() const {
        Target scores;
        improved_logits(tree_, Tree::root, options_->gumbel, scores);
        const auto& root = tree_[Tree::root];
        const auto edges = moves();
        const auto best_of = [&](const auto& places) {
            std::optional<std::size_t> best;
            std::pair highest{0u, 0.0f};  // (visits of this search, score)
            for (const std::size_t i : places) {
                const std::pair found{edges[i].visits - base_[i], noise_[i] + scores[i]};
                if (!Tree::is_worth_playing(edges[i], root) || (best && found <= highest)) continue;
                highest = found;
                best = i;
            }
            return best;
        };
        if (const auto best = best_of(order_)) return *best;
        // No considered move is worth playing: choose among all moves.
        return best_of(std::views::iota(std::size_t{0}, edges.size())).value_or(order_[0]);
    }

    std::size_t best_proven() const {
        const auto& root = tree_[Tree::root];
        const auto edges = moves();
        const int value = root.bounds.lower_for(root.mover);
        std::size_t best = 0;
        float highest = -1;
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (edges[i].bounds.lower_for(root.mover) == value && edges[i].prior > highest) {
                highest = edges[i].prior;
                best = i;
            }
        return best;
    }

    std::size_t drawn(Random& random) const {
        const auto edges = moves();
        std::array<double, S::max_moves> weights;
        double sum = 0, most = 1;
        for (const Edge& edge : edges) most = std::max<double>(most, edge.visits);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const bool tried = edges[i].visits > 0 && Tree::is_worth_playing(edges[i], tree_[Tree::root]);
            // Relative to the most visited move, because low temperatures are high powers.
            weights[i] = tried ? exponential(natural_log(edges[i].visits / most) / options_->temperature) : 0;
            sum += weights[i];
        }
        double left = random.uniform() * sum;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (weights[i] > 0 && left < weights[i]) return i;
            left -= weights[i];
        }
        return most_visited(tree_) - tree_[Tree::root].first_edge;
    }

    const SelfPlayOptions* options_;
    Tree tree_;
    bool kept_ = false;
    int simulations_ = 0, done_ = 0;
    bool explores_ = false, is_prepared_ = false;
    std::uint64_t nodes_ = 0;
    std::vector<float> noise_;          // Gumbel noise of the root's moves
    std::vector<std::uint32_t> base_;   // the visits of the root's moves before this search
    std::vector<std::uint16_t> order_;  // the considered root moves
    std::vector<int> schedule_;
    int scheduled_considered_ = -1, scheduled_simulations_ = -1;
    typename Tree::Path path_;
    Index leaf_ = 0;
    std::optional<S> leaf_state_;
};

}  // namespace joute
