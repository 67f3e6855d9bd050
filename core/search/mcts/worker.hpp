#pragma once

// One tree of Monte-Carlo tree search and the simulations that grow it. mcts.hpp explains the algorithm.

#include <cmath>
#include <optional>
#include <vector>

#include "../../base/numeric.hpp"
#include "../line_keys.hpp"
#include "amaf.hpp"
#include "options.hpp"
#include "reuse.hpp"
#include "tree.hpp"

namespace joute {

template <Playable S>
class MctsWorker {
public:
    using Move = typename S::Move;
    using Tree = MctsTree<Move>;
    using Node = typename Tree::Node;
    using Index = typename Tree::Index;
    using Kind = typename Node::Kind;

    MctsWorker(const MctsOptions& options, const Evaluation<S>* evaluation, const void* params, std::uint64_t seed,
               std::size_t memory_bytes)
        : options_(options),
          evaluation_(evaluation),
          params_(params),
          policy_(options.playout, evaluation, params),
          amaf_(options),
          tree_(memory_bytes > policy_.memory_bytes() ? memory_bytes - policy_.memory_bytes() : 0,
                options.amaf ? AllMovesAsFirst<S>::slots : 0, options.bonus == Bonus::puct, options.implicit > 0),
          seed_(seed),
          random_(seed),
          records_(options.amaf || policy_.learns()),
          evaluates_moves_(options.implicit > 0 ||
                           (options.bonus == Bonus::puct && options.priors == Priors::evaluation)) {
        check_options();
    }

    // Sets the root of the next search. With `reuse`, keeps the subtree of this position if the tree contains it,
    // unless give_up() says that it takes too long.
    template <class GiveUp>
    void start(const S& state, Past past, const GiveUp& give_up) {
        const Index known = options_.reuse && root_state_
                                ? find_in_tree(tree_, *root_state_, line_keys_, state, past, give_up)
                                : Tree::none;
        if (known == Tree::none || !tree_.keep_subtree(known, give_up)) tree_.clear();
        root_state_ = state;
        line_keys_ = LineKeys<S>(state, past);
        exhaustive_ = lists_every_move(state) && options_.generator == 0;
        nodes_ = iterations_ = 0;
        depth_ = 0;
        memory_full_ = false;
    }

    void forget() {
        tree_.clear();
        policy_.forget();
        root_state_.reset();
        random_ = Random(seed_);
    }

    bool solved() const { return solving() && tree_[Tree::root].bounds.solved(); }
    bool memory_full() const { return memory_full_; }
    std::uint64_t nodes() const { return nodes_; }
    std::uint64_t iterations() const { return iterations_; }
    int depth() const { return depth_; }
    const Tree& tree() const { return tree_; }

    // Runs one simulation.
    void iterate() {
        if (records_)
            simulate<true>();
        else
            simulate<false>();
        ++iterations_;
    }

    // The line of most visits from a node down.
    std::vector<Move> line_from(Index node) const {
        std::vector<Move> line;
        for (;;) {
            const Node& n = tree_[node];
            if (n.kind == Kind::chance || !n.children) return line;
            Index best = Tree::none;
            for (Index child = n.first_child; child < n.first_child + n.children; ++child)
                if (tree_[child].visits && (best == Tree::none || tree_[child].visits > tree_[best].visits))
                    best = child;
            if (best == Tree::none) return line;
            line.push_back(tree_[best].move);
            node = best;
        }
    }

private:
    bool solving() const { return options_.solver != Solver::off; }

    void check_options() const {
        if (options_.amaf) amaf_.check_key();
        if (options_.expand_finished && !HasPlaysOn<S>)
            throw JouteError("expand_finished=yes does not work in this game: there are no moves after its end");
        if (options_.expand_finished && solving())
            throw JouteError("expand_finished=yes needs solver=off, because the solver stops where a game ends");
        if (!evaluation_ && (options_.mix > 0 || evaluates_moves_))
            throw JouteError("mix, implicit and priors=eval need an evaluation, and none is set");
        if (!is_share(options_.reward) && (options_.mix > 0 || options_.implicit > 0))
            throw JouteError(
                "mix and implicit need reward=win or reward=scaled, because they count an evaluation as a share of "
                "wins");
        if (!tree_.has_room_for(S::max_moves))
            throw JouteError("memory_mb is too small: the moves of a single position do not fit");
    }

    struct Step {
        Index node;
        // The player whose rewards the node sums: who moved to it; at the root of the search, who is to move there;
        // after a random event, who was to move at the event.
        Player credited;
    };

    using Played = PlayedMove<Move>;

    template <bool Record>
    void simulate() {
        S state = *root_state_;
        path_.assign(1, {Tree::root, state.to_move()});
        played_.clear();
        expanded_ = Tree::none;
        std::optional<Result> result;
        // Steps 1 and 2. Selection and expansion.
        const bool bounds_known = descend<Record>(state, result);
        // Step 3. Playout. With `mix`, the position where it begins is evaluated for the root player; with `mix` = 1
        // the evaluation replaces the playout. A chance node is not evaluated.
        std::optional<double> evaluation;
        if (!result && options_.mix > 0 && !is_chance(state))
            evaluation = as_share(evaluation_->of(state, params_, root_state_->to_move()));
        if (!result && !(evaluation && options_.mix == 1))
            result = policy_.template play<Record>(state, random_, played_,
                                                   [&](const S& at, const Move& move) { note(at, move); });
        nodes_ += static_cast<std::uint64_t>(std::max(0, state.ply() - root_state_->ply()));
        depth_ = std::max(depth_, static_cast<int>(path_.size()) - 1);
        // Step 4. Backpropagation.
        set_rewards(result, evaluation);
        back_up(bounds_known);
        if constexpr (Record) {
            if (options_.amaf) amaf_.back_up(tree_, path_, played_, rewards_);
            if (policy_.learns() && result)
                policy_.learn(played_, [&](Player player) { return (result->outcome_for(player) + 1) / 2.0; });
        }
    }

    // An evaluation as a share of wins in [0, 1], by the logistic function.
    double as_share(double evaluation) const { return 1 / (1 + exponential(-evaluation / options_.eval_scale)); }

    // Goes down the tree to a node without visits, or to one that cannot be expanded. Sets `result` if the game ends on
    // the way. Returns true if the bounds of the last node became known in this simulation. Step 1, selection, is D1 to
    // D3, D5 and D6; step 2, expansion, is D4.
    template <bool Record>
    bool descend(S& state, std::optional<Result>& result) {
        Index node = Tree::root;
        const Amaf* reference = nullptr;
        int ply = 0;
        for (;;) {
            // D1. Repetition: the simulation ends as a draw, without bounds.
            if (node != Tree::root && !is_chance(state) && line_keys_.is_draw(state, ply)) {
                result = drawn_by_repetition;
                return false;
            }
            // D2. End of the game.
            const bool bounded = classify(node, state);
            const Node& n = tree_[node];
            if (n.kind == Kind::finished) {
                // With expand_finished, the last decisive result on the way counts.
                if (!result || state.result().outcome) result = state.result();
                if (!options_.expand_finished || bounded) return bounded;
            }
            // D3. Solved node: its outcome ends the simulation, unless rewards depend on the margin. Selection
            // avoids solved nodes, but random events lead to them.
            if (options_.solver == Solver::prune && options_.reward == Reward::win && n.bounds.solved()) {
                if (!result) result = Result{.outcome = n.bounds.lower, .decided_by = {}};
                return bounded;
            }
            // D4. Expansion, at the second visit of a leaf. A leaf without visits ends the descent.
            if (!n.children) {
                if (n.visits == 0 && node != Tree::root) return bounded;
                if (!expand(node, state)) return bounded;
                expanded_ = node;
            }
            // D5. Chance node: sample an outcome.
            if constexpr (S::has_chance) {
                if (n.kind == Kind::chance) {
                    const int outcome = pick_outcome(state, random_.uniform());
                    path_.push_back({n.first_child + static_cast<Index>(outcome), state.to_move()});
                    state.resolve(outcome);
                    line_keys_.note(state, ply);
                    node = path_.back().node;
                    continue;
                }
            }
            // D6. Select a move. AMAF statistics come from the closest position on the path, this one included, with
            // more than `ref` visits, or else from the root.
            if (options_.amaf && (n.visits > options_.ref || !reference)) reference = tree_.amaf(node);
            const Index child = select(node, state.to_move(), reference);
            const Move move = tree_[child].move;
            path_.push_back({child, state.to_move()});
            if constexpr (Record) note(state, move);
            state.play(move);
            line_keys_.note(state, ++ply);
            node = child;
        }
    }

    // Determines the kind of a node at its first visit, unless look_ahead() did at the expansion of its parent. Returns
    // true if this sets its bounds.
    bool classify(Index node, const S& state) {
        Node& n = tree_[node];
        if (n.kind != Kind::unknown) return false;
        if (is_chance(state)) {
            n.kind = Kind::chance;
            return false;
        }
        n.kind = state.is_terminal() ? Kind::finished : Kind::open;
        if (n.kind == Kind::open || !solving()) return false;
        set_finished(n, state);
        return true;
    }

    static void set_finished(Node& node, const S& state) {
        const auto outcome = static_cast<std::int8_t>(state.result().outcome);
        node.kind = Kind::finished;
        node.bounds = {outcome, outcome};
    }

    // Adds the moves of a position to the tree as children. Returns false if memory is full, or if a finished game has
    // no moves.
    bool expand(Index node, const S& state) {
        if constexpr (S::has_chance)
            if (tree_[node].kind == Kind::chance) return expand_chance(node, state);
        MoveList<S> moves;
        state.generate(moves, options_.generator);
        if (moves.empty()) {
            if (tree_[node].kind == Kind::finished) return false;
            throw JouteError("the move generator lists no move in a position where the game is not over");
        }
        if (!tree_.add_children(node, moves.size())) {
            memory_full_ = true;
            return false;
        }
        if (options_.expand == UntriedOrder::random) shuffle(moves);
        const Index first = tree_[node].first_child;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const auto child = first + static_cast<Index>(i);
            tree_[child].move = moves[i];
            if (options_.amaf) tree_.slot(child) = amaf_.slot(state, moves[i]);
            if (options_.decisive) look_ahead(child, state, moves[i]);
        }
        if (evaluates_moves_) evaluate_moves(state, moves);
        if (options_.implicit > 0)
            for (std::size_t i = 0; i < moves.size(); ++i)
                tree_.implicit_value(first + static_cast<Index>(i)) = static_cast<float>(as_share(values_[i]));
        if (options_.bonus == Bonus::puct) set_priors(first, moves.size());
        return true;
    }

    bool expand_chance(Index node, const S& state)
        requires S::has_chance
    {
        OutcomeList<S> outcomes;
        state.outcomes(outcomes);
        if (!tree_.add_children(node, outcomes.size())) {
            memory_full_ = true;
            return false;
        }
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const Index child = tree_[node].first_child + static_cast<Index>(i);
            // An impossible outcome must not affect the bounds of the event: {1, -1} is neutral in min and max.
            if (outcomes[i] <= 0) tree_[child].bounds = {1, -1};
            if (options_.implicit > 0) tree_.implicit_value(child) = 0.5f;
        }
        return true;
    }

    // Sets the bounds of a child whose move ends the game at once.
    void look_ahead(Index child, const S& state, const Move& move) {
        S next = state;
        next.play(move);
        ++nodes_;
        if (!is_chance(next) && next.is_terminal()) set_finished(tree_[child], next);
    }

    void shuffle(MoveList<S>& moves) {
        for (std::size_t i = moves.size() - 1; i > 0; --i)
            std::swap(moves[i], moves[random_.below(static_cast<std::uint32_t>(i) + 1)]);
    }

    // Evaluates the position after each move, for the mover, into values_. If a random event follows the move, one
    // outcome is drawn. A win counts as odds of e^10 to 1, a loss as 1 to e^10, a draw as even.
    void evaluate_moves(const S& state, const MoveList<S>& moves) {
        constexpr double surely = 10;
        values_.clear();
        for (const auto& move : moves) {
            S next = state;
            next.play(move);
            ++nodes_;
            settle_chance(next, random_);
            values_.push_back(next.is_terminal()
                                  ? surely * options_.eval_scale * next.result().outcome_for(state.to_move())
                                  : evaluation_->of(next, params_, state.to_move()));
        }
    }

    // Sets the priors of the children: uniform, or the softmax of their evaluations.
    void set_priors(Index first, std::size_t count) {
        if (options_.priors == Priors::uniform) {
            for (std::size_t i = 0; i < count; ++i)
                tree_.prior(first + static_cast<Index>(i)) = 1.0f / static_cast<float>(count);
            return;
        }
        const double highest = *std::ranges::max_element(values_);
        double sum = 0;
        for (const double value : values_) sum += exponential((value - highest) / options_.prior_temperature);
        for (std::size_t i = 0; i < count; ++i)
            tree_.prior(first + static_cast<Index>(i)) =
                static_cast<float>(exponential((values_[i] - highest) / options_.prior_temperature) / sum);
    }

    void note(const S& state, const Move& move) {
        played_.push_back({state.code(move), options_.amaf ? amaf_.slot(state, move) : 0, state.to_move(), move});
    }

    // The child with the highest value plus bonus.
    Index select(Index node, Player mover, const Amaf* reference) const {
        const Node& n = tree_[node];
        const Index end = n.first_child + n.children;
        // With `decisive`, an immediate win is the first move tried after expansion.
        if (options_.decisive && node == expanded_)
            for (Index child = n.first_child; child < end; ++child)
                if (tree_[child].bounds.lower_for(mover) == 1) return child;
        // Skip children that cannot be better than the proven value of the node.
        const bool prunes = options_.solver == Solver::prune || (solving() && node == Tree::root);
        const int proven = prunes ? n.bounds.lower_for(mover) : -2;
        // Untried moves first. PUCT does without this, because its priors rank untried moves.
        if (options_.untried_first && options_.bonus != Bonus::puct)
            for (Index child = n.first_child; child < end; ++child)
                if (!tree_[child].visits && tree_[child].bounds.upper_for(mover) > proven) return child;
        const double log_visits = n.visits > 1 ? natural_log(n.visits) : 0;
        Index best = Tree::none;
        double best_score = -std::numeric_limits<double>::infinity();
        for (Index child = n.first_child; child < end; ++child) {
            const Node& c = tree_[child];
            if (c.bounds.upper_for(mover) <= proven) continue;
            const double score = value(child, n, reference) + bonus(child, n, log_visits);
            if (score > best_score) {
                best_score = score;
                best = child;
            }
        }
        return best != Tree::none ? best : most_promising(n, mover);
    }

    // The move with the highest upper bound, for nodes where select() skips every move.
    Index most_promising(const Node& node, Player mover) const {
        Index best = node.first_child;
        for (Index child = node.first_child; child < node.first_child + node.children; ++child)
            if (tree_[child].bounds.upper_for(mover) > tree_[best].bounds.upper_for(mover)) best = child;
        return best;
    }

    // The exploitation term of a move: its mean, blended with the backed-up evaluation and with AMAF.
    double value(Index child, const Node& parent, const Amaf* reference) const {
        const Node& c = tree_[child];
        double mean = c.visits ? c.mean() : options_.fpu;
        if (options_.implicit > 0)
            mean += options_.implicit * (static_cast<double>(tree_.implicit_value(child)) - mean);
        if (!reference) return mean;
        const Amaf& later = reference[tree_.slot(child)];
        if (!later.visits) return mean;
        const double beta = amaf_.weight(parent.visits, c.visits, later.visits);
        return (1 - beta) * mean + beta * later.mean();
    }

    // The exploration term of a move. Under the UCB1 bonuses a move without visits gets the bonus of one visit, which
    // matters only without `untried_first`.
    double bonus(Index child, const Node& parent, double log_visits) const {
        const Node& c = tree_[child];
        const double visits = c.visits ? c.visits : 1;
        switch (options_.bonus) {
            case Bonus::ucb1:
                return options_.c * std::sqrt(log_visits / visits);
            case Bonus::ucb1_tuned: {
                const double variance = spread(c) + std::sqrt(2 * log_visits / visits);
                return options_.c * std::sqrt(log_visits / visits * std::min(0.25, variance));
            }
            case Bonus::ucb1_tuned_listed: {
                // The formula in the code of the Connect Four paper: twice the logarithm, and the bound 1/4 applied
                // to the variance alone instead of the sum.
                const double ratio = 2 * log_visits / visits;
                return options_.c * std::sqrt(ratio * (std::min(0.25, spread(c)) + std::sqrt(ratio)));
            }
            case Bonus::puct:
                break;
        }
        return options_.c * static_cast<double>(tree_.prior(child)) * std::sqrt(parent.visits) / (1.0 + c.visits);
    }

    // The variance of a node's rewards.
    static double spread(const Node& node) {
        if (node.visits < 2) return 0;
        const double mean = node.mean();
        return std::max(0.0, node.squares / node.visits - mean * mean);
    }

    // The reward of a result for a player; with Credit::root, always for the root player.
    double reward(const Result& result, Player player) const {
        if (options_.credit == Credit::root) player = root_state_->to_move();
        switch (options_.reward) {
            case Reward::win:
                break;
            case Reward::scaled: {
                const double share = std::clamp(result.margin / options_.margin_scale, -1.0, 1.0);
                return 0.5 + 0.5 * (player == 0 ? share : -share);
            }
            case Reward::margin:
                return player == 0 ? result.margin : -result.margin;
            case Reward::points:
                return player == 0 ? result.points() : -result.points();
        }
        return 0.5 + 0.5 * result.outcome_for(player);
    }

    void set_rewards(const std::optional<Result>& result, const std::optional<double>& evaluation) {
        for (const Player player : {0, 1}) {
            double& r = rewards_[static_cast<std::size_t>(player)];
            r = result ? reward(*result, player) : 0;
            if (!evaluation) continue;
            const bool for_root = options_.credit == Credit::root || player == root_state_->to_move();
            r += options_.mix * ((for_root ? *evaluation : 1 - *evaluation) - r);
        }
    }

    // Step 4. Backpropagation: adds the rewards to every node of the path, and updates the backed-up evaluations and
    // the bounds from the leaf to the root.
    void back_up(bool bounds_changed) {
        for (std::size_t i = path_.size(); i-- > 0;) {
            Node& node = tree_[path_[i].node];
            const double r = rewards_[static_cast<std::size_t>(path_[i].credited)];
            ++node.visits;
            node.total += r;
            node.squares += r * r;
            if (options_.implicit > 0 && i + 1 < path_.size())
                back_up_implicit_value(path_[i].node, path_[i].credited == path_[i + 1].credited);
            if (solving() && i + 1 < path_.size() && (bounds_changed || path_[i].node == expanded_))
                bounds_changed = tighten(node, path_[i + 1].credited);
        }
    }

    // Backs up the evaluation of a node (the implicit minimax value): the best of its children, or at a random event
    // their mean weighted by visits.
    void back_up_implicit_value(Index node, bool same_mover) {
        const Node& n = tree_[node];
        double best = 0, sum = 0, visits = 0;
        for (Index child = n.first_child; child < n.first_child + n.children; ++child) {
            const double value = tree_.implicit_value(child);
            best = std::max(best, value);
            sum += value * tree_[child].visits;
            visits += tree_[child].visits;
        }
        if (n.kind == Kind::chance) best = visits > 0 ? sum / visits : 0.5;
        tree_.implicit_value(node) = static_cast<float>(same_mover ? best : 1 - best);
    }

    // Recomputes the bounds of a node from those of its children. Returns true if they changed.
    bool tighten(Node& node, Player mover) {
        Bounds best{-1, -1}, worst{1, 1};
        for (Index child = node.first_child; child < node.first_child + node.children; ++child) {
            const Bounds& b = tree_[child].bounds;
            best = {std::max(best.lower, b.lower), std::max(best.upper, b.upper)};
            worst = {std::min(worst.lower, b.lower), std::min(worst.upper, b.upper)};
        }
        Bounds bounds = mover == 0 ? best : worst;
        if (node.kind == Kind::chance)
            bounds = {worst.lower, best.upper};
        else if (!exhaustive_)
            // The generator omits moves, and one of those may be better.
            (mover == 0 ? bounds.upper : bounds.lower) = mover == 0 ? 1 : -1;
        if (bounds == node.bounds) return false;
        node.bounds = bounds;
        return true;
    }

    MctsOptions options_;
    const Evaluation<S>* evaluation_;
    const void* params_;
    PlayoutPolicy<S> policy_;
    AllMovesAsFirst<S> amaf_;
    Tree tree_;
    std::uint64_t seed_;
    Random random_;
    bool records_;  // whether the moves of a simulation are recorded in played_
    bool evaluates_moves_;
    std::vector<double> values_;
    std::optional<S> root_state_;
    [[no_unique_address]] LineKeys<S> line_keys_;
    std::array<double, 2> rewards_{};  // of the current simulation, by player
    std::vector<Step> path_;
    std::vector<Played> played_;
    Index expanded_ = Tree::none;
    std::uint64_t nodes_ = 0, iterations_ = 0;
    int depth_ = 0;
    bool memory_full_ = false;
    bool exhaustive_ = true;  // whether the generator lists every legal move
};

}  // namespace joute
