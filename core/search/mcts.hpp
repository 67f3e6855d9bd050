#pragma once

// Monte-Carlo tree search.
//
// The tree holds the positions met most often, with the mean reward of the simulations that passed through
// each move. A simulation has four parts: *select* moves down the tree, each time the one whose mean plus a
// bonus for being little tried is the highest; *expand* the tree by one position; *play out* the game from
// there (search/playout_policy.hpp); *back up* the result along the path. Moves that do well are tried more
// often, so the means drift towards best play, and the most tried move is played. What can be chosen:
//
//   bonus     UCB1         c sqrt(ln N / n)                          (Auer et al. 2002; UCT, Kocsis & Szepesvári 2006)
//             UCB1-Tuned   c sqrt(ln N / n · min(1/4, V + sqrt(2 ln N / n))), V the variance of rewards (Auer et al.)
//             PUCT         c P sqrt(N) / (1 + n), P a prior           (Silver et al. 2017)
//   amaf      the mean is blended with that of all simulations in which the player made the move *later*
//             (RAVE, Gelly & Silver 2007); taken from the closest ancestor with more than `ref` simulations,
//             it is GRAVE (Cazenave 2015). The weight of that second mean falls by one of three schedules.
//   solver    finished games are no estimates: bounds on the outcome are backed up beside the means, and a proven
//             root is searched no further (MCTS-Solver, Winands et al. 2008; with draws, score-bounded search,
//             Cazenave & Saffidine 2010). `prune` never tries a move again that cannot help any more, as
//             published; `choose` does so at the root alone. Below it, visits to refuted moves lower the mean of
//             a position in which many moves are refuted, which a small search does well to know:
//             docs/searches.md has the figures.
//
// N are the visits of the position, n those of the move. Means are kept for the player who made the move, so
// nothing here assumes that players alternate. A random event is a node whose children are its outcomes, drawn
// by their probabilities. Several threads search trees of their own that are added up at the end (root
// parallelism): the report depends on the seeds alone, not on which thread was faster.

#include <cmath>
#include <exception>
#include <memory>
#include <numbers>
#include <optional>
#include <thread>

#include "../numeric.hpp"
#include "mcts_tree.hpp"
#include "playout_policy.hpp"
#include "search.hpp"

namespace joute {

enum class Bonus { ucb1, ucb1_tuned, ucb1_tuned_listed, puct };
inline constexpr std::array<std::string_view, 4> bonus_names{"ucb1", "ucb1-tuned", "ucb1-tuned-listed", "puct"};

// How the weight of the AMAF mean falls: sqrt(k / (3N + k)) with the visits of the position, the same with
// the visits of the move, or m / (m + n + bias m n) with m AMAF visits, which is Gelly & Silver's optimum for
// bias = 4 b² and Cazenave's choice.
enum class Schedule { position, move, bias };
inline constexpr std::array<std::string_view, 3> schedule_names{"position", "move", "bias"};

// Under which key AMAF statistics are kept: the move's effect for each player, or the move as it is written.
enum class AmafKey { effect, move };
inline constexpr std::array<std::string_view, 2> amaf_key_names{"effect", "move"};

enum class Expand { one, all };
inline constexpr std::array<std::string_view, 2> expand_names{"one", "all"};

enum class Reward { win, scaled, margin };
inline constexpr std::array<std::string_view, 3> reward_names{"win", "scaled", "margin"};

enum class Credit { mover, root };
inline constexpr std::array<std::string_view, 2> credit_names{"mover", "root"};

enum class Solver { off, choose, prune };
inline constexpr std::array<std::string_view, 3> solver_names{"off", "choose", "prune"};

enum class FinalMove { visits, value, secure };
inline constexpr std::array<std::string_view, 3> final_move_names{"visits", "value", "secure"};

enum class Priors { uniform, evaluation };
inline constexpr std::array<std::string_view, 2> prior_names{"uniform", "eval"};

// The plain algorithm of Kocsis & Szepesvári; agents say what they want (src/joute/agents/mcts.py).
struct MctsOptions {
    Bonus bonus = Bonus::ucb1;
    double c = std::numbers::sqrt2;
    bool amaf = false;
    double ref = 0;  // 0: statistics of the position itself, RAVE
    Schedule schedule = Schedule::bias;
    double k = 1000;
    double bias = 1e-5;
    AmafKey amaf_key = AmafKey::effect;
    Priors priors = Priors::uniform;
    double prior_temperature = 1;
    bool untried_first = true;  // otherwise a move without a visit counts as `fpu`
    double fpu = 1;
    Expand expand = Expand::one;  // a random untried move first, or the first that was generated
    PlayoutOptions playout;
    double implicit = 0;    // weight of the evaluation backed up by minimax beside the mean
    double mix = 0;         // weight of the evaluation beside the playout's result; 1 plays nothing out
    double eval_scale = 1;  // the evaluation that means odds of e to 1
    Reward reward = Reward::win;
    double margin_scale = 1;        // the margin that is worth a full win
    Credit credit = Credit::mover;  // `root` credits every node with the root player's reward: an error
    bool expand_finished = false;   // goes on below finished games: an error
    Solver solver = Solver::off;
    bool decisive = false;  // looks for moves that end the game as soon as a position joins the tree
    bool reuse = false;     // keeps the subtree of the position that came about
    FinalMove final_move = FinalMove::visits;
    int generator = 0;
    int threads = 1;
    std::size_t memory_mb = 256;
    std::uint64_t seed = 0;
};

// One tree and the simulations that grow it; one a thread.
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
          tree_(memory_bytes > policy_.memory_bytes() ? memory_bytes - policy_.memory_bytes() : 0,
                options.amaf ? amaf_slots : 0, options.bonus == Bonus::puct, options.implicit > 0),
          random_(seed),
          records_(options.amaf || policy_.learns()) {
        if constexpr (!requires(const S& state, Move move) { state.move_code(move); })
            if (options.amaf && options.amaf_key == AmafKey::move)
                throw JouteError("amaf_key=move: this game knows moves by their effect alone");
        if (options.expand_finished && !plays_on)
            throw JouteError("expand_finished: the rules of this game know no move after its end");
        if (options.expand_finished && options.solver != Solver::off)
            throw JouteError("expand_finished and solver exclude each other: one goes on where the other stops");
        if (options.mix > 0 && !evaluation) throw JouteError("mix needs an evaluation, and this game has none");
        if (options.mix > 0 && options.reward == Reward::margin)
            throw JouteError("mix: an evaluation is a share of wins, which does not mix with plain margins");
        if (options.priors == Priors::evaluation && options.bonus == Bonus::puct && !evaluation)
            throw JouteError("priors by evaluation need one, and this game has none");
    }

    // Begins at a position, with what the tree knows of it already.
    void start(const S& state) {
        const Index known = options_.reuse && root_state_ ? find(state) : Tree::none;
        if (known == Tree::none)
            tree_.clear();
        else
            tree_.keep_subtree(known);
        root_state_ = state;
        nodes_ = iterations_ = 0;
        depth_ = 0;
        memory_full_ = false;
    }

    void forget() {
        tree_.clear();
        policy_.forget();
        root_state_.reset();
    }

    bool solved() const { return solving() && tree_[Tree::root].bounds.solved(); }
    bool memory_full() const { return memory_full_; }
    std::uint64_t nodes() const { return nodes_; }
    std::uint64_t iterations() const { return iterations_; }
    int depth() const { return depth_; }
    const Tree& tree() const { return tree_; }

    // One simulation.
    void iterate() {
        if (records_)
            simulate<true>();
        else
            simulate<false>();
        ++iterations_;
    }

    // The most visited way down from a node, as far as moves have been tried.
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
    static constexpr std::size_t amaf_slots = 2 * code_slots<S>;
    static constexpr bool plays_on = requires { requires S::plays_on; };

    bool solving() const { return options_.solver != Solver::off; }

    struct Step {
        Index node;
        Player credited;  // who moved here: the node's statistics are in their view
    };

    using Played = PlayedMove<Move>;

    template <bool Record>
    void simulate() {
        S state = *root_state_;
        path_.assign(1, {Tree::root, state.to_move()});
        played_.clear();
        expanded_ = Tree::none;
        std::optional<Result> result;
        const bool new_leaf = descend<Record>(state, result);
        double estimate_weight = 0, estimate = 0;
        if (!result) {
            if (options_.mix > 0 && !is_chance(state)) {
                estimate_weight = options_.mix;
                estimate = estimated_reward(state);
            }
            if (estimate_weight < 1)
                result = policy_.template play<Record>(state, random_, played_,
                                                       [&](const S& at, const Move& move) { note(at, move); });
        }
        nodes_ += static_cast<std::uint64_t>(state.ply() - root_state_->ply());
        depth_ = std::max(depth_, static_cast<int>(path_.size()) - 1);
        for (const Player player : {0, 1}) {
            double& r = rewards_[static_cast<std::size_t>(player)];
            const bool for_root = options_.credit == Credit::root || player == root_state_->to_move();
            r = result ? reward(*result, player) : 0;
            r += estimate_weight * ((for_root ? estimate : 1 - estimate) - r);
        }
        back_up(new_leaf);
        if constexpr (Record) {
            if (options_.amaf) back_up_amaf();
            if (policy_.learns() && result)
                policy_.learn(played_, [&](Player player) { return (result->outcome_for(player) + 1) / 2.0; });
        }
    }

    // What the evaluation promises the root player, as a share of wins.
    double estimated_reward(const S& state) const {
        const double value = evaluation_->of(state, params_, root_state_->to_move());
        return 1 / (1 + exponential(-value / options_.eval_scale));
    }

    // Down the tree to a node that was never visited, or that cannot grow. True if its bounds became known
    // on the way. `result` is that of a finished game.
    template <bool Record>
    bool descend(S& state, std::optional<Result>& result) {
        Index node = Tree::root;
        const Amaf* reference = nullptr;
        for (;;) {
            const bool bounded = look_at(node, state);
            const Node& n = tree_[node];
            if (n.kind == Kind::finished) {
                // With expand_finished the last game that was won on the way counts.
                if (!result || state.result().outcome) result = state.result();
                if (!options_.expand_finished || bounded) return bounded;
            }
            if (!n.children) {
                if (n.visits == 0 && node != Tree::root) return bounded;
                if (!expand(node, state)) return bounded;
                expanded_ = node;
            }
            if constexpr (S::has_chance) {
                if (n.kind == Kind::chance) {
                    const int outcome = pick_outcome(state, random_.uniform());
                    path_.push_back({n.first_child + static_cast<Index>(outcome), state.to_move()});
                    state.resolve(outcome);
                    node = path_.back().node;
                    continue;
                }
            }
            if (options_.amaf && (n.visits > options_.ref || !reference)) reference = tree_.amaf(node);
            const Index child = select(node, state.to_move(), reference);
            const Move move = tree_[child].move;
            path_.push_back({child, state.to_move()});
            if constexpr (Record) note(state, move);
            state.play(move);
            node = child;
        }
    }

    // Finds out what kind of node this is. True if that settles its bounds.
    bool look_at(Index node, const S& state) {
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

    bool expand(Index node, const S& state) {
        if constexpr (S::has_chance)
            if (tree_[node].kind == Kind::chance) return expand_chance(node, state);
        MoveList<S> moves;
        state.generate(moves, options_.generator);
        if (moves.empty()) {
            if (tree_[node].kind == Kind::finished) return false;
            throw JouteError("a position that is not over has no move");
        }
        if (!tree_.add_children(node, moves.size())) {
            memory_full_ = true;
            return false;
        }
        if (options_.expand == Expand::one) shuffle(moves);
        const Index first = tree_[node].first_child;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const auto child = first + static_cast<Index>(i);
            tree_[child].move = moves[i];
            if (options_.amaf) tree_.slot(child) = amaf_slot(state, moves[i]);
            if (options_.decisive) look_ahead(child, state, moves[i]);
        }
        if (options_.bonus == Bonus::puct) set_priors(first, state, moves);
        if (options_.implicit > 0) set_promises(first, state, moves);
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
        // What cannot happen must not count: no bound is looser than these.
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            if (outcomes[i] <= 0) tree_[tree_[node].first_child + static_cast<Index>(i)].bounds = {1, -1};
        return true;
    }

    // Whether the move ends the game at once.
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

    void set_priors(Index first, const S& state, const MoveList<S>& moves) {
        if (options_.priors == Priors::uniform) {
            for (std::size_t i = 0; i < moves.size(); ++i)
                tree_.prior(first + static_cast<Index>(i)) = 1.0f / static_cast<float>(moves.size());
            return;
        }
        std::vector<double> weights;
        double highest = -std::numeric_limits<double>::infinity();
        for (const auto& move : moves) {
            S next = state;
            next.play(move);
            settle_chance(next, random_);
            weights.push_back(evaluation_->of(next, params_, state.to_move()) / options_.prior_temperature);
            highest = std::max(highest, weights.back());
        }
        double sum = 0;
        for (double& weight : weights) sum += weight = exponential(weight - highest);
        for (std::size_t i = 0; i < moves.size(); ++i)
            tree_.prior(first + static_cast<Index>(i)) = static_cast<float>(weights[i] / sum);
    }

    void set_promises(Index first, const S& state, const MoveList<S>& moves) {
        for (std::size_t i = 0; i < moves.size(); ++i) {
            S next = state;
            next.play(moves[i]);
            double promise = 0.5;
            if (!is_chance(next) && next.is_terminal())
                promise = (next.result().outcome_for(state.to_move()) + 1) / 2.0;
            else if (!is_chance(next))
                promise = 1 / (1 + exponential(-evaluation_->of(next, params_, state.to_move()) / options_.eval_scale));
            tree_.promise(first + static_cast<Index>(i)) = static_cast<float>(promise);
        }
    }

    std::uint32_t amaf_slot(const S& state, const Move& move) const {
        if constexpr (requires { state.move_code(move); })
            if (options_.amaf_key == AmafKey::move)
                return static_cast<std::uint32_t>(code_slot<S>(state.move_code(move)));
        return static_cast<std::uint32_t>(static_cast<std::size_t>(state.to_move()) * code_slots<S> +
                                          code_slot<S>(state.code(move)));
    }

    void note(const S& state, const Move& move) {
        played_.push_back({state.code(move), options_.amaf ? amaf_slot(state, move) : 0, state.to_move(), move});
    }

    // --- Selection ---

    Index select(Index node, Player mover, const Amaf* reference) const {
        const Node& n = tree_[node];
        const Index end = n.first_child + n.children;
        // A move that wins at once is the first to be tried.
        if (options_.decisive && node == expanded_)
            for (Index child = n.first_child; child < end; ++child)
                if (tree_[child].bounds.lower_for(mover) == 1) return child;
        // A child that cannot be better than what is proven already is not worth a visit.
        const bool prunes = options_.solver == Solver::prune || (solving() && node == Tree::root);
        const int proven = prunes ? n.bounds.lower_for(mover) : -2;
        if (options_.untried_first)
            for (Index child = n.first_child; child < end; ++child)
                if (!tree_[child].visits && tree_[child].bounds.upper_for(mover) > proven) return child;
        const double log_visits = n.visits > 1 ? natural_log(n.visits) : 0;
        Index best = n.first_child;
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
        return best;
    }

    double value(Index child, const Node& parent, const Amaf* reference) const {
        const Node& c = tree_[child];
        double mean = c.visits ? c.mean() : options_.fpu;
        if (options_.implicit > 0) mean += options_.implicit * (static_cast<double>(tree_.promise(child)) - mean);
        if (!reference) return mean;
        const Amaf& amaf = reference[tree_.slot(child)];
        if (!amaf.visits) return mean;
        const double beta = amaf_weight(parent.visits, c.visits, amaf.visits);
        return (1 - beta) * mean + beta * amaf.mean();
    }

    double amaf_weight(double position_visits, double move_visits, double amaf_visits) const {
        switch (options_.schedule) {
            case Schedule::position:
                return std::sqrt(options_.k / (3 * position_visits + options_.k));
            case Schedule::move:
                return std::sqrt(options_.k / (3 * move_visits + options_.k));
            case Schedule::bias:
                break;
        }
        return amaf_visits / (amaf_visits + move_visits + options_.bias * amaf_visits * move_visits);
    }

    // A move without a visit gets the bonus of one visit; with `untried_first` there is none left here.
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
                // As the Connect Four report's code has it: twice the logarithm, and the bound on the
                // variance alone instead of the sum.
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

    // --- Backing up ---

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
        }
        return 0.5 + 0.5 * result.outcome_for(player);
    }

    void back_up(bool bounds_changed) {
        for (std::size_t i = path_.size(); i-- > 0;) {
            Node& node = tree_[path_[i].node];
            const double r = rewards_[static_cast<std::size_t>(path_[i].credited)];
            ++node.visits;
            node.total += r;
            node.squares += r * r;
            if (options_.implicit > 0 && node.children)
                back_up_promise(path_[i].node, path_[i].credited == path_[i + 1].credited);
            if (solving() && i + 1 < path_.size() && (bounds_changed || path_[i].node == expanded_))
                bounds_changed = tighten(node, path_[i + 1].credited);
        }
    }

    void back_up_promise(Index node, bool same_mover) {
        const Node& n = tree_[node];
        float best = 0;
        for (Index child = n.first_child; child < n.first_child + n.children; ++child)
            best = std::max(best, tree_.promise(child));
        tree_.promise(node) = same_mover ? best : 1 - best;
    }

    // Derives a node's bounds from its children's. True if they changed.
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
        else if (!S::complete || options_.generator != 0)
            // There may be better moves than those listed.
            (mover == 0 ? bounds.upper : bounds.lower) = mover == 0 ? 1 : -1;
        if (bounds == node.bounds) return false;
        node.bounds = bounds;
        return true;
    }

    // Every position on the path learns how the moves that came after it did, each counted once.
    void back_up_amaf() {
        ++stamp_;
        later_.clear();
        std::size_t next = played_.size();
        const auto add_until = [&](std::size_t first) {
            while (next > first) {
                const Played& p = played_[--next];
                if (seen_[p.amaf_slot] == stamp_) continue;
                seen_[p.amaf_slot] = stamp_;
                later_.push_back({p.amaf_slot, static_cast<float>(rewards_[static_cast<std::size_t>(p.player)])});
            }
        };
        // Moves of the tree come first in `played_`; outcomes of random events are no moves.
        std::size_t moves_before = moves_on_path();
        for (std::size_t i = path_.size(); i-- > 0;) {
            const Node& node = tree_[path_[i].node];
            add_until(moves_before);
            if (node.children && node.kind != Kind::chance) {
                Amaf* table = tree_.amaf(path_[i].node);
                for (const Later& later : later_) {
                    ++table[later.slot].visits;
                    table[later.slot].total += later.reward;
                }
            }
            if (i > 0 && tree_[path_[i - 1].node].kind != Kind::chance) --moves_before;
        }
    }

    std::size_t moves_on_path() const {
        std::size_t moves = 0;
        for (std::size_t i = 0; i + 1 < path_.size(); ++i) moves += tree_[path_[i].node].kind != Kind::chance;
        return moves;
    }

    // --- Reuse ---

    // The node of a position that came about by a few plies of play from the root; none if it is not there.
    Index find(const S& wanted) const {
        constexpr int most_plies = 4;
        constexpr int most_looks = 20'000;  // so that looking never costs more than it saves
        const int plies = wanted.ply() - root_state_->ply();
        if (plies < 0 || plies > most_plies) return Tree::none;
        int looks = most_looks;
        return find(wanted, *root_state_, Tree::root, looks);
    }

    Index find(const S& wanted, const S& state, Index node, int& looks) const {
        if (!is_chance(state) && state.ply() == wanted.ply()) return state.key() == wanted.key() ? node : Tree::none;
        if (state.ply() > wanted.ply()) return Tree::none;
        const Node& n = tree_[node];
        for (Index child = 0; child < n.children && looks > 0; ++child) {
            if (!tree_[n.first_child + child].visits) continue;
            --looks;
            S next = state;
            if constexpr (S::has_chance) {
                if (n.kind == Kind::chance)
                    next.resolve(static_cast<int>(child));
                else
                    next.play(tree_[n.first_child + child].move);
            } else {
                next.play(tree_[n.first_child + child].move);
            }
            if (const Index found = find(wanted, next, n.first_child + child, looks); found != Tree::none) return found;
        }
        return Tree::none;
    }

    struct Later {
        std::uint32_t slot;
        float reward;
    };

    MctsOptions options_;
    const Evaluation<S>* evaluation_;
    const void* params_;
    PlayoutPolicy<S> policy_;
    Tree tree_;
    Random random_;
    bool records_;
    std::optional<S> root_state_;
    std::array<double, 2> rewards_{};  // of the simulation at hand, for each player
    std::vector<Step> path_;
    std::vector<Played> played_;
    std::vector<Later> later_;
    std::array<std::uint32_t, amaf_slots> seen_{};
    std::uint32_t stamp_ = 0;
    Index expanded_ = Tree::none;
    std::uint64_t nodes_ = 0, iterations_ = 0;
    int depth_ = 0;
    bool memory_full_ = false;
};

template <Playable S>
class Mcts : public Search<S> {
public:
    using typename Search<S>::Move;
    using typename Search<S>::Report;
    using typename Search<S>::Watch;
    using Worker = MctsWorker<S>;

    // `evaluation` may be null; it and `params` must outlive the search.
    Mcts(const MctsOptions& options, const Evaluation<S>* evaluation, const void* params) : options_(options) {
        const std::size_t memory =
            options.memory_mb * (std::size_t{1} << 20) / static_cast<std::size_t>(options.threads);
        for (int i = 0; i < options.threads; ++i) {
            const auto seed = i == 0 ? options.seed : mix64(options.seed + static_cast<std::uint64_t>(i));
            workers_.push_back(std::make_unique<Worker>(options, evaluation, params, seed, memory));
        }
    }

    Report run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        for (auto& worker : workers_) worker->start(root);
        Watchdog watchdog(limits, poll);
        std::atomic<int> busy = static_cast<int>(workers_.size()) - 1;
        std::exception_ptr failure;
        {
            std::vector<std::jthread> threads;
            // Joined before anything they use is gone, also when the poll throws.
            struct StopAll {
                std::atomic<bool>& stop;
                ~StopAll() { stop.store(true, std::memory_order_relaxed); }
            } stop_all{watchdog.stop};
            for (std::size_t i = 1; i < workers_.size(); ++i)
                threads.emplace_back([&, i] {
                    try {
                        work(i, share(limits, i), [&] { return watchdog.stop.load(std::memory_order_relaxed); });
                    } catch (...) {
                        failure = std::current_exception();
                        watchdog.stop.store(true, std::memory_order_relaxed);
                    }
                    --busy;
                });
            double next_report = 0.1;
            work(0, share(limits, 0), [&] {
                const bool stop = watchdog.must_stop();
                if (watch && watchdog.looked() && watchdog.seconds() > next_report) {
                    watch(report(root, 1));
                    next_report = watchdog.seconds() + 0.1;
                }
                return stop;
            });
            const bool timed = limits.iterations == Limits{}.iterations && limits.nodes == Limits{}.nodes;
            if (timed && workers_[0]->solved()) watchdog.stop.store(true, std::memory_order_relaxed);
            while (busy > 0 && !watchdog.look()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (failure) std::rethrow_exception(failure);
        return report(root, workers_.size());
    }

    void forget() override {
        for (auto& worker : workers_) worker->forget();
    }

private:
    // A worker's part of the limits that are counted.
    Limits share(const Limits& limits, std::size_t worker) const {
        const auto part = [&](std::uint64_t all) {
            return all == Limits{}.iterations ? all : all / workers_.size() + (worker < all % workers_.size());
        };
        return {limits.seconds, part(limits.nodes), part(limits.iterations), limits.depth};
    }

    template <class MustStop>
    void work(std::size_t index, const Limits& limits, const MustStop& must_stop) {
        Worker& worker = *workers_[index];
        // A move must have been tried for there to be a report, so the first worker simulates once at least.
        bool first = index == 0;
        while (!worker.solved() && worker.iterations() < limits.iterations && worker.nodes() < limits.nodes) {
            if (must_stop() && !first) break;
            worker.iterate();
            first = false;
        }
    }

    // What the first `count` trees say together.
    Report report(const S& root, std::size_t count) const {
        const Player mover = root.to_move();
        Report sum;
        double total = 0;
        std::uint64_t visits = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Worker& worker = *workers_[i];
            const auto& tree = worker.tree();
            const auto& node = tree[Worker::Tree::root];
            for (std::uint32_t child = node.first_child; child < node.first_child + node.children; ++child)
                add_move(sum, worker, child, mover);
            total += node.total;
            visits += node.visits;
            sum.proven = sum.proven || worker.solved();
            sum.depth = std::max(sum.depth, worker.depth());
            sum.nodes += worker.nodes();
            sum.iterations += worker.iterations();
            sum.memory_full = sum.memory_full || worker.memory_full();
        }
        for (auto& move : sum.moves) move.value = settled_value(move);
        rank(sum.moves);
        sum.value = visits ? total / static_cast<double>(visits) : draw_value();
        if (sum.proven) sum.value = sum.moves.front().value;
        return sum;
    }

    // Adds one tree's statistics of a root move; `value` holds the sum of rewards until all are in.
    static void add_move(Report& sum, const Worker& worker, std::uint32_t child, Player mover) {
        const auto& node = worker.tree()[child];
        auto found = std::ranges::find(sum.moves, node.move, &MoveReport<Move>::move);
        if (found == sum.moves.end()) {
            sum.moves.push_back({.move = node.move, .line = {}});
            found = sum.moves.end() - 1;
        }
        found->value += node.total;
        found->visits += node.visits;
        found->lower = std::max(found->lower, node.bounds.lower_for(mover));
        found->upper = std::min(found->upper, node.bounds.upper_for(mover));
        auto line = worker.line_from(child);
        if (line.size() + 1 > found->line.size()) {
            found->line = {node.move};
            found->line.insert(found->line.end(), line.begin(), line.end());
        }
    }

    double draw_value() const { return options_.reward == Reward::margin ? 0 : 0.5; }

    // A proven win or loss is worth what it is; margins keep the mean they have.
    double settled_value(const MoveReport<Move>& move) const {
        if (move.lower == move.upper && options_.reward == Reward::win) return (move.lower + 1) / 2.0;
        return move.visits ? move.value / static_cast<double>(move.visits) : draw_value();
    }

    // Best first: proven wins; then moves that may still be better than what is proven, by the chosen measure;
    // then those that cannot; then proven losses. A proven draw stands before the open moves if the best of
    // them promises less than a draw.
    void rank(std::vector<MoveReport<Move>>& moves) const {
        constexpr double least = -std::numeric_limits<double>::infinity();
        const auto measure = [&](const MoveReport<Move>& move) {
            const auto visits = static_cast<double>(move.visits);
            if (options_.final_move == FinalMove::visits) return visits;
            if (!move.visits) return least;
            return options_.final_move == FinalMove::value ? move.value : move.value - 1 / std::sqrt(visits);
        };
        int proven = -1;
        for (const auto& move : moves) proven = std::max(proven, move.lower);
        const auto is_open = [&](const MoveReport<Move>& move) {
            return move.lower < move.upper && move.upper > proven;
        };
        double best_open = least, best_measure = least;
        for (const auto& move : moves)
            if (is_open(move) && measure(move) > best_measure) {
                best_measure = measure(move);
                best_open = move.value;
            }
        enum Rung { lost, no_better, draw, open, better_draw, won };
        const auto rung = [&](const MoveReport<Move>& move) {
            if (move.lower == 1) return won;
            if (move.upper == -1) return lost;
            if (is_open(move)) return open;
            if (move.lower < move.upper) return no_better;
            return best_open < draw_value() ? better_draw : draw;
        };
        std::ranges::stable_sort(moves, [&](const auto& a, const auto& b) {
            if (rung(a) != rung(b)) return rung(a) > rung(b);
            return measure(a) > measure(b);
        });
    }

    MctsOptions options_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace joute
