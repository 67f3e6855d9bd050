#pragma once

// Alpha-beta search for two-player games with an evaluation function (Knuth & Moore 1975).
//
// Minimax searches every line of `depth` plies. One player picks the move with the highest value, the other player the
// move with the lowest. In this code every value is for the player to move, the *mover*, who always picks the highest;
// a value changes sign when the mover changes (negamax). Alpha-beta returns the value of minimax and skips most of the
// lines. It carries a window (alpha, beta): elsewhere in the tree the mover can already get alpha, and the opponent can
// already hold the mover to beta. A position with a move that reaches beta *fails high*: the opponent avoids the
// position, so its other moves need no search (a beta cutoff). A position in which no move exceeds alpha *fails low*. A
// value inside the window is exact; a value outside it is a bound. If the best move always comes first, a tree with
// branching factor b and depth d has about 2 b^(d/2) leaves instead of b^d, so the order of the moves decides the
// speed. The search tries the move of the transposition table first, then the two moves that last caused a cutoff at
// the same level of the search stack (killer moves), then the other moves by the evaluation of the position after them.
// The number of cutoffs that a move caused anywhere decides between equal moves (history heuristic), together with the
// hints of games that have some.
//
// The tree has three kinds of nodes. The value of a *PV node* (principal variation: best play by both sides) lies
// inside the window, and all its moves are searched. A *cut node* fails high: one good move is enough. An *all node*
// fails low: no move is good enough, and all of them must be tried to find that out. Refuting moves lead from cut nodes
// to all nodes, and all moves of an all node lead to cut nodes; PV nodes are few. Principal variation search (PVS,
// Marsland & Campbell 1982) uses this. It searches the first move with the full window and every other move with a null
// window, which contains no value and so asks only whether the move is better than alpha. Every node below is then a
// cut node or an all node. The rare move that is better is searched again with the full window.
//
// *Iterative deepening* searches depth 1, then depth 2, then depth 3. The shallow searches take little time, because
// each depth takes several times as long as the one before. They give a move to play whenever the time runs out, and
// they fill the table with the best moves, which order the next depth. They also give a guess of the value. A narrow
// *aspiration window* around the guess produces more cutoffs; if the value lies outside, the window is widened and the
// search repeated.
//
// At depth 0, the *horizon*, the search returns the evaluation. An evaluation in the middle of an exchange is
// unreliable, so *quiescence search* goes on beyond the horizon with the noisy moves alone (`noisy_moves`). The mover
// may also decline them all and take the evaluation of the position as it stands ("stand pat"). With the option
// `extend`, positions with few moves are searched beyond the horizon with all their moves.
//
// A search runs through these functions; the steps in worker.hpp are numbered.
//
//     AlphaBeta::run_after      sets up the job, starts the helper threads
//     AlphaBeta::deepen         iterative deepening
//     worker.iterate            one depth; search_line holds the aspiration window, search_root tries the root moves
//     worker.search             any other position: steps 1 to 4, then decide or quiesce
//     worker.decide             an interior node: steps 5 to 12
//     worker.quiesce            a leaf: steps Q1 to Q3
//
// Most options change only the time: with any of them on or off, the value of the root is that of minimax (for the
// table in games where positions can repeat, see below). Of equally good moves the search returns the first in
// generated order, so in a search limited by depth alone these options do not change the move either. The other options
// change the value: `ends`, `win_value`, `few_outcomes`, `generator` and `wide_depth` define values and moves;
// `quiescence` and `extend` search beyond the horizon; `accept_deeper` uses better values from the table; `reductions`,
// `reduce_root`, `late_moves` and `null_depth` may miss a move; `bare_table` is unsound. `plain_root` changes only the
// choice between equal moves: it takes the first that was tried. Proven results are correct with all options but
// `bare_table`, which proves nothing.
//
// In games where positions can repeat, a position is a draw if it occurred before on the search line, the root included
// (not in games of chance), or if it has occurred as often as the rules require, the game's history included
// (line_keys.hpp). The value of a position then depends on the path to it, but the table is keyed by the position alone
// (the graph-history interaction problem: Palay 1983; Campbell 1985). Like other programs, this search uses the table
// anyway, because nearly every position can repeat. A value that rests on a draw by repetition may therefore be wrong
// on another line. Proven results stay correct: a draw by repetition never counts as complete (SearchValue), no proven
// win or loss rests on one, and the quickest win repeats no position. If the next occurrence of a position is a draw
// because of the game's history, a hash of all such positions is part of every table key: searches with different sets
// of them share no entries.
//
// Several threads run the same search and share only the table (lazy SMP): a result that one thread stores saves the
// others the work. The result returned is that of the thread that finished the greatest depth, or the calling
// thread's if several did.

#include <exception>
#include <memory>
#include <system_error>
#include <thread>

#include "../search.hpp"
#include "patience.hpp"
#include "worker.hpp"

namespace joute {

template <Playable S>
class AlphaBeta : public Search<S> {
public:
    using Move = typename S::Move;
    using SearchResult = joute::SearchResult<Move>;
    using Watch = typename Search<S>::Watch;

    // Maximum depth in plies, not counting quiescence and extensions.
    static constexpr int most_depth = 200;

    // `evaluation` may be null, which evaluates every position as 0. `evaluation` and `params` must outlive the search.
    // Call forget() after changing `params`.
    AlphaBeta(AlphaBetaOptions options, const Evaluation<S>* evaluation, const void* params)
        : options_(options), evaluation_(evaluation), params_(params) {
        check_generator<S>(options_.generator);
        options_.quiescence = std::clamp(options_.quiescence, 0, most_depth);
        if (!options_.pruning) {
            options_.pvs = options_.aspiration = false;
            options_.chance = AlphaBetaOptions::ChancePruning::none;
        }
        constexpr double most_reductions = 10;
        options_.reductions =
            options_.reductions > 0 && options_.pvs ? std::min(options_.reductions, most_reductions) : 0;
        constexpr double most_hints = 1000;
        options_.hints = std::clamp(options_.hints, 0.0, most_hints);
        constexpr int most_late_moves = 100'000;
        options_.late_moves = options_.pvs ? std::clamp(options_.late_moves, 0, most_late_moves) : 0;
        options_.null_depth = options_.pvs ? std::max(options_.null_depth, 0) : 0;
        options_.extend = std::max(options_.extend, 0);
        if (!S::complete)
            options_.wide_depth = 0;  // the default generator leaves moves out too, and others than its own
        if (options_.table != AlphaBetaOptions::TableUse::off)
            table_ = std::make_unique<TranspositionTable>(options_.memory_mb);
    }

    SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        return run_after({}, root, limits, poll, watch);
    }

    // The result is at least that of a finished depth 1, whatever the limits are, so that there is always a move to
    // play. It is empty if the generator lists no move at the root.
    SearchResult run_after(Past past, const S& root, const Limits& limits, const Poll& poll,
                           const Watch& watch) override {
        const ValueScale<S> scale(options_, evaluation_, may_have_chance(root));
        if (root.is_terminal()) return {.moves = {}, .value = end_value(scale, root), .proven = true};
        Watchdog watchdog(limits, poll);
        if (table_ && options_.bare_table) table_->clear();
        if (table_) table_->start_new_age();
        // With an evaluation that depends on the path, a stored value is wrong on other paths: the table then only
        // orders moves.
        const bool values_fit_any_path = !evaluation_ || !evaluation_->depends_on_path;
        Job job{.options = options_,
                .evaluation = evaluation_,
                .params = params_,
                .scale = scale,
                .table = table_.get(),
                .table_answers = options_.table == AlphaBetaOptions::TableUse::full && values_fit_any_path,
                .root = root,
                .past = past,
                .max_depth = std::clamp(limits.depth, 1, most_depth),
                .node_limit = limits.nodes,
                .watchdog = watchdog};
        Worker worker(job, true);
        if (worker.root_moves().empty()) return {};
        Helpers helpers(job, table_ ? options_.threads - 1 : 0);
        SearchResult result = deepen(job, worker, Patience(limits, watchdog), watch);
        const std::uint64_t helper_nodes = helpers.finish();
        if (const SearchResult* deeper = helpers.deeper_than(result); deeper && options_.lines <= 1) {
            result = *deeper;
            result.nodes = worker.nodes() + helper_nodes;
            if (watch) watch(result);
        }
        result.nodes = worker.nodes() + helper_nodes;
        return result;
    }

    void forget() override {
        if (table_) table_->clear();
    }

private:
    using Job = AlphaBetaJob<S>;
    using Worker = AlphaBetaWorker<S>;
    using RootMove = typename Worker::RootMove;

    // The value of a root where the game is already over.
    double end_value(const ValueScale<S>& scale, const S& root) const {
        if (options_.ends == AlphaBetaOptions::Ends::evaluation)
            return evaluation_ ? evaluation_->of(root, params_, root.to_move()) : 0;
        return scale.of_end(root, root.to_move(), 0);
    }

    // Iterative deepening. Depth 1 ignores the limits if extensions are off; with extensions it may take long and obeys
    // them. If a limit stops the first iteration, depth 1 is searched without limits and without extensions.
    static SearchResult deepen(const Job& job, Worker& worker, Patience patience, const Watch& watch) {
        SearchResult result;
        const auto tell = [&](int depth) {
            result = describe(job, worker, depth);
            if (watch) watch(result);
        };
        for (int depth = job.options.deepening ? 1 : job.max_depth; depth <= job.max_depth; ++depth) {
            if (worker.iterate(depth, depth > 1 || job.options.extend > 0)) {
                const auto last = result.moves.empty() ? std::nullopt : std::optional(result.moves[0].move);
                tell(depth);
                if (worker.are_lines_complete()) break;
                const auto& best = worker.root_moves()[0];
                const double share = static_cast<double>(best.nodes) / static_cast<double>(worker.nodes());
                if (!patience.goes_on(best.found.value, last && !(best.move == *last), share)) break;
                continue;
            }
            // Several lines are comparable only if all of them have the same depth.
            const bool may_promote = result.depth > 0 && !job.options.plain_root && worker.line_count() == 1;
            if (const RootMove* better = worker.improvement(); better && may_promote)
                promote(job, worker, *better, depth, result);
            break;
        }
        if (result.depth == 0 && worker.iterate(1, false)) tell(1);
        return result;
    }

    static SearchResult describe(const Job& job, const Worker& worker, int depth) {
        SearchResult result;
        const auto& moves = worker.root_moves();
        const std::size_t lines = worker.line_count();
        std::vector<const RootMove*> others;
        for (std::size_t i = 0; i < moves.size(); ++i)
            if (i < lines)
                result.moves.push_back(describe(job, worker, moves[i], depth));
            else if (moves[i].bound != Bound::none)
                others.push_back(&moves[i]);
        std::sort(others.begin(), others.end(), [](const RootMove* a, const RootMove* b) {
            return a->found.value != b->found.value ? a->found.value > b->found.value : a->index < b->index;
        });
        for (const RootMove* other : others) {
            result.moves.push_back(describe(job, worker, *other, 1));
            result.moves.back().is_exact &= result.moves.back().value <= result.moves[lines - 1].value;
        }
        result.value = result.moves[0].value;
        result.depth = depth;
        result.proven = (worker.is_root_complete() && !job.options.bare_table) || is_decided(job, worker, result.value);
        result.nodes = worker.nodes() + job.helper_nodes.load(std::memory_order_relaxed);
        return result;
    }

    static MoveResult<Move> describe(const Job& job, const Worker& worker, const RootMove& found, int depth) {
        const bool is_exact = found.bound == Bound::exact;
        const double value = found.found.value + 0.0;  // no negative zero
        MoveResult<Move> result{
            .move = found.move, .value = value, .is_exact = is_exact, .visits = found.nodes, .line = {}};
        const bool decided = is_decided(job, worker, value);
        if ((found.found.complete && !job.options.bare_table) || decided)
            job.scale.narrow(value, found.bound != Bound::upper, found.bound != Bound::lower, result.lower,
                             result.upper);
        // Reductions and pruning may miss a quicker end.
        const bool sees_quickest =
            !(job.options.reductions > 0) && job.options.late_moves == 0 && job.options.null_depth == 0;
        if (is_exact && decided && sees_quickest) result.end_in = job.scale.plies_to_end(value);
        result.line = is_exact && depth > 1 ? worker.full_line(found, depth) : std::vector<Move>{found.move};
        return result;
    }

    // Whether the value proves a win or loss. A generator that omits moves may omit the one that saves a player.
    static bool is_decided(const Job& job, const Worker& worker, double value) {
        return !job.options.bare_table && worker.lists_every_move() && job.scale.is_decided(value);
    }

    // Puts the move that an unfinished iteration prefers first in the result, with its new value. The values of the
    // other moves, which are of the depth before, become bounds.
    static void promote(const Job& job, const Worker& worker, const RootMove& better, int depth, SearchResult& result) {
        auto place = std::find_if(result.moves.begin(), result.moves.end(),
                                  [&](const auto& move) { return move.move == better.move; });
        if (place == result.moves.end())  // not searched at the depth before (wide_depth)
            place = result.moves.insert(place, result.moves[0]);
        std::rotate(result.moves.begin(), place, place + 1);
        for (auto& move : result.moves) move.is_exact = false;
        result.moves[0] = describe(job, worker, better, depth);
        result.value = result.moves[0].value;
        // A loss is proven only by all moves.
        result.proven = is_decided(job, worker, result.value) && result.value > 0;
    }

    // The helper threads of a search. With iterative deepening, every second one, beginning with the first, starts at
    // depth 2 instead of 1, so that the threads do not all search the same subtree at once. No thread waits for
    // another. When the search ends, a helper may have finished a greater depth than the calling thread.
    class Helpers {
    public:
        Helpers(Job& job, int count)
            : job_(job), failures_(static_cast<std::size_t>(std::max(count, 0))), results_(failures_.size()) {
            threads_.reserve(failures_.size());
            try {
                for (std::size_t i = 0; i < failures_.size(); ++i) threads_.emplace_back([this, i] { work(i); });
            } catch (const std::system_error&) {
                // The system refuses more threads: the search goes on with those it has.
            }
        }
        ~Helpers() { join(); }
        Helpers(const Helpers&) = delete;
        Helpers& operator=(const Helpers&) = delete;

        // Stops and joins the helpers, rethrows the first exception of any of them, and returns their node count.
        std::uint64_t finish() {
            join();
            for (const auto& failure : failures_)
                if (failure) std::rethrow_exception(failure);
            return nodes_;
        }

        // The result of the deepest helper, if it is deeper than this one and this one is no proof or win; else null.
        const SearchResult* deeper_than(const SearchResult& result) const {
            const SearchResult* deepest = &result;
            for (const SearchResult& found : results_)
                if (found.depth > deepest->depth) deepest = &found;
            return deepest == &result || result.proven || result.moves[0].lower == 1 ? nullptr : deepest;
        }

    private:
        void work(std::size_t i) {
            try {
                Worker worker(job_, false);
                const int ahead = i % 2 == 0 ? 1 : 0;
                int depth = job_.options.deepening ? 1 + ahead : job_.max_depth;
                for (; depth <= job_.max_depth && worker.iterate(depth, true); ++depth)
                    results_[i] = describe(job_, worker, depth);
                nodes_.fetch_add(worker.nodes(), std::memory_order_relaxed);
            } catch (...) {
                failures_[i] = std::current_exception();
                job_.watchdog.stop.store(true, std::memory_order_relaxed);
            }
        }
        void join() {
            job_.watchdog.stop.store(true, std::memory_order_relaxed);
            for (auto& thread : threads_) thread.join();
            threads_.clear();
        }

        Job& job_;
        std::vector<std::exception_ptr> failures_;
        std::vector<SearchResult> results_;  // of the last depth that each helper finished
        std::atomic<std::uint64_t> nodes_ = 0;
        std::vector<std::thread> threads_;
    };

    AlphaBetaOptions options_;
    const Evaluation<S>* evaluation_;
    const void* params_;
    std::unique_ptr<TranspositionTable> table_;
};

}  // namespace joute
