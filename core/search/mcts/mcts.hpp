#pragma once

// Monte-Carlo tree search (MCTS).
//
// MCTS estimates moves by playing many games to their end, and needs no evaluation function. It grows a tree of the
// positions it visits most. A node stores its number of visits and the mean reward of the simulations through it. By
// default the reward is 1 for a win, 0.5 for a draw and 0 for a loss. Every simulation has four steps:
//
//   1. *Selection.* Start at the root and go down the tree. At each node take the move with the highest mean plus
//      bonus. The bonus is high for moves with few visits, so that the search both exploits good moves and explores
//      moves that it knows little about.
//   2. *Expansion.* At the second visit of a leaf (at the first of the root) all its moves become children, and one of
//      them is selected.
//   3. *Playout.* Play the game to its end from there, with random or cheaply chosen moves (playout_policy.hpp).
//   4. *Backpropagation.* Add the reward of the result to every node on the path.
//
// Good moves get more visits, so the means converge towards the values of best play. At the end the search returns, by
// default, the move with the most visits. worker.hpp marks these steps. The options choose between variants:
//
//   bonus     UCB1         c sqrt(ln N / n)                          (Auer et al. 2002; UCT, Kocsis & Szepesvári 2006)
//             UCB1-Tuned   c sqrt(ln N / n · min(1/4, V + sqrt(2 ln N / n))), V the variance of rewards (Auer et al.)
//             PUCT         c P sqrt(N) / (1 + n), P a prior           (Silver et al. 2017)
//   amaf      The mean is blended with a second mean, over all simulations through the position in which the player
//             made the move there or later (RAVE, Gelly & Silver 2007). With `ref`, the second mean comes from the
//             closest position on the path, this one included, with more than `ref` visits, or else from the root
//             (GRAVE, Cazenave 2015). Its weight falls by one of three schedules.
//   solver    Finished games give exact outcomes. Bounds on the outcome are backed up beside the means, and the search
//             stops when the root is proven (MCTS-Solver, Winands et al. 2008; with draws, score-bounded search,
//             Cazenave & Saffidine 2010). `prune` skips, at every node, the moves that can no longer improve the
//             proven value, as published. `choose` skips them only at the root. Below the root `choose` goes on
//             visiting refuted moves. These visits lower the mean of a position, for its mover, if many of its moves
//             are refuted, which helps a small search: docs/searches.md has the figures.
//   decisive  At expansion, moves that end the game at once get exact bounds, even with solver=off; wins come first.
//   implicit  An evaluation, backed up by minimax through the tree, is blended with the mean (Lanctot et al. 2014).
//   mix       The evaluation of the position where the playout begins is blended with its result (Silver et al. 2016).
//
// N is the number of visits of the position, n that of the move. Means are kept for the player who made the move, so
// players need not alternate. A random event is a node whose children are its outcomes, sampled by probability.
//
// In games where positions can repeat, a simulation ends as a draw at a tree node whose position occurred before on the
// path from the root (not in games of chance), or as often as the rules require, the game's history included
// (line_keys.hpp). Playouts do not check for repetition. Such a draw sets no bounds, because it may hold for this root
// only: when the tree is reused, the first occurrence becomes part of the game's history, and there the rules may
// require more occurrences. The rest of a reused tree stays valid: a node stands for one path to its position, so the
// occurrences that the rules count there are the same whichever node is the root.
//
// Each thread grows its own tree, and the statistics of the root moves are added up at the end (root parallelism). With
// a limit on simulations or nodes and none on time, the result therefore does not depend on the speed of the threads.
// It depends on the seed and on the searches since `forget`: the random generator, the playout statistics and the
// reused tree continue from one search to the next.

#include <exception>
#include <memory>
#include <thread>

#include "../search.hpp"
#include "worker.hpp"

namespace joute {

template <Playable S>
class Mcts : public Search<S> {
public:
    using typename Search<S>::Move;
    using typename Search<S>::SearchResult;
    using typename Search<S>::Watch;
    using Worker = MctsWorker<S>;

    // `evaluation` may be null; it and `params` must outlive the search.
    Mcts(const MctsOptions& options, const Evaluation<S>* evaluation, const void* params) : options_(options) {
        if (options.threads < 1) throw JouteError("threads must be at least 1");
        check_generator<S>(options.generator);
        const std::size_t memory =
            options.memory_mb * (std::size_t{1} << 20) / static_cast<std::size_t>(options.threads);
        for (int i = 0; i < options.threads; ++i) {
            const auto seed = i == 0 ? options.seed : mix64(options.seed + static_cast<std::uint64_t>(i));
            workers_.push_back(std::make_unique<Worker>(options, evaluation, params, seed, memory));
        }
    }

    SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        return run_after({}, root, limits, poll, watch);
    }

    SearchResult run_after(Past past, const S& root, const Limits& limits, const Poll& poll,
                           const Watch& watch) override {
        Watchdog watchdog(limits, poll);
        // Tree reuse may take longer than it saves: to move a large tree takes more than a short turn.
        constexpr double most_share = 0.25;
        const auto give_up = [&] { return watchdog.seconds() > most_share * limits.seconds; };
        for (auto& worker : workers_) worker->start(root, past, give_up);
        // A worker that solves the root stops the others, but only in searches limited by time alone: with a limit on
        // simulations or nodes, stopping early would make the result depend on the speed of the threads.
        const bool timed = limits.iterations == Limits{}.iterations && limits.nodes == Limits{}.nodes;
        std::atomic<int> busy = static_cast<int>(workers_.size()) - 1;
        std::vector<std::exception_ptr> failures(workers_.size());
        {
            std::vector<std::jthread> threads;
            // Stops the threads on scope exit, including by exception of the poll; then jthread joins them.
            struct StopAll {
                std::atomic<bool>& stop;
                ~StopAll() { stop.store(true, std::memory_order_relaxed); }
            } stop_all{watchdog.stop};
            for (std::size_t i = 1; i < workers_.size(); ++i)
                threads.emplace_back([&, i] {
                    try {
                        work(i, share(limits, i), [&] { return watchdog.stop.load(std::memory_order_relaxed); });
                        if (timed && workers_[i]->solved()) watchdog.stop.store(true, std::memory_order_relaxed);
                    } catch (...) {
                        failures[i] = std::current_exception();
                        watchdog.stop.store(true, std::memory_order_relaxed);
                    }
                    --busy;
                });
            double next_watch = 0.1;
            work(0, share(limits, 0), [&] {
                const bool stop = watchdog.must_stop();
                if (watch && watchdog.looked() && watchdog.seconds() > next_watch) {
                    watch(result(root, 1));
                    next_watch = watchdog.seconds() + 0.1;
                }
                return stop;
            });
            if (timed && workers_[0]->solved()) watchdog.stop.store(true, std::memory_order_relaxed);
            while (busy > 0 && !watchdog.look()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        for (const auto& failure : failures)
            if (failure) std::rethrow_exception(failure);
        return result(root, workers_.size());
    }

    void forget() override {
        for (auto& worker : workers_) worker->forget();
    }

private:
    // The share of one worker in the limits on nodes and iterations.
    Limits share(const Limits& limits, std::size_t worker) const {
        const auto part = [&](std::uint64_t all) {
            return all == Limits{}.iterations ? all : all / workers_.size() + (worker < all % workers_.size());
        };
        return {limits.seconds, part(limits.nodes), part(limits.iterations), limits.depth};
    }

    template <class MustStop>
    void work(std::size_t index, const Limits& limits, const MustStop& must_stop) {
        Worker& worker = *workers_[index];
        // A result needs a visited move, or a solved root, so the first worker runs one simulation even if a limit is
        // reached, unless the reused root is solved.
        bool first = index == 0;
        while (!worker.solved() &&
               (first || (worker.iterations() < limits.iterations && worker.nodes() < limits.nodes))) {
            if (must_stop() && !first) break;
            worker.iterate();
            first = false;
        }
    }

    // The combined result of the first `count` trees.
    SearchResult result(const S& root, std::size_t count) const {
        const Player mover = root.to_move();
        SearchResult sum;
        double total = 0;
        std::uint64_t visits = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Worker& worker = *workers_[i];
            const auto& tree = worker.tree();
            const auto& node = tree[Worker::Tree::root];
            for (std::uint32_t child = node.first_child; child < node.first_child + node.children; ++child)
                add_move(sum, worker, child, mover);
            sum.proven = sum.proven || worker.solved();
            sum.depth = std::max(sum.depth, worker.depth());
            sum.nodes += worker.nodes();
            sum.iterations += worker.iterations();
            sum.memory_full = sum.memory_full || worker.memory_full();
        }
        // The value of the root comes from its moves: the root's own mean may date from when it was a child, and then
        // belongs to the player who moved there.
        for (auto& move : sum.moves) {
            total += move.value;
            visits += move.visits;
            move.value = settled_value(move);
        }
        rank(sum.moves);
        sum.value = visits ? total / static_cast<double>(visits) : draw_value();
        if (sum.proven) sum.value = sum.moves.front().value;
        return sum;
    }

    // Adds one tree's statistics of a root move. `value` holds the sum of rewards until result() divides it.
    static void add_move(SearchResult& sum, const Worker& worker, std::uint32_t child, Player mover) {
        const auto& node = worker.tree()[child];
        auto found = std::ranges::find(sum.moves, node.move, &MoveResult<Move>::move);
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

    double draw_value() const { return is_share(options_.reward) ? 0.5 : 0; }

    // The exact value of a move with a proven outcome if rewards are wins; otherwise the mean reward.
    double settled_value(const MoveResult<Move>& move) const {
        if (move.lower == move.upper && options_.reward == Reward::win) return (move.lower + 1) / 2.0;
        return move.visits ? move.value / static_cast<double>(move.visits) : draw_value();
    }

    // Sorts the moves, best first: proven wins; then open moves, which may still be better than the proven value, by
    // the measure that `final_move` names; then moves that cannot be better; then proven losses. Proven draws come
    // before the open moves if the first open move has a lower mean than a draw, otherwise after them.
    // `final_move` = secure is a lower confidence bound: the mean minus 1 / sqrt(visits).
    void rank(std::vector<MoveResult<Move>>& moves) const {
        constexpr double least = -std::numeric_limits<double>::infinity();
        const auto measure = [&](const MoveResult<Move>& move) {
            const auto visits = static_cast<double>(move.visits);
            if (options_.final_move == FinalMove::visits) return visits;
            if (!move.visits) return least;
            return options_.final_move == FinalMove::value ? move.value : move.value - 1 / std::sqrt(visits);
        };
        int proven = -1;
        for (const auto& move : moves) proven = std::max(proven, move.lower);
        const auto is_open = [&](const MoveResult<Move>& move) {
            return move.lower < move.upper && move.upper > proven;
        };
        double best_open = least, best_measure = least;
        for (const auto& move : moves)
            if (is_open(move) && measure(move) > best_measure) {
                best_measure = measure(move);
                best_open = move.value;
            }
        enum Rung { lost, no_better, draw, open, better_draw, won };
        const auto rung = [&](const MoveResult<Move>& move) {
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
