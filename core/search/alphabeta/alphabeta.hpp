#pragma once

// Alpha-beta, the search of two-player games with an evaluation (Knuth & Moore 1975).
//
// Minimax looks at every line of `depth` moves: one player picks the move of highest value, the other
// that of lowest. Alpha-beta finds the same value without looking at most of them. It carries a window:
// alpha is what the mover already has elsewhere, beta what the opponent will not exceed. Once a move
// reaches beta the opponent will avoid the position, and its other moves do not matter. With the best
// move always first, b moves a position and d plies cost about 2 b^(d/2) leaves instead of b^d. So
// everything turns on trying good moves first: what the table remembers, what refuted a sibling position
// (killers), what refuted much elsewhere (history), what the evaluation likes.
//
// Such a tree has three kinds of positions. In a PV node (principal variation: best play for both) the
// value lies inside the window and all moves must be searched. In a cut node one good move suffices. In
// an all node no move is good enough, but all must be tried to know it. The children of a cut node are
// all nodes and the other way round; PV nodes are few. This is why null windows pay (principal variation
// search, Marsland & Campbell 1982): after the first move, ask of each other one only *whether* it is
// better, with a window that no value fits in, so that everything below is a cut or an all node. The rare
// move that is better is searched again.
//
// Searching depth 1, then 2, then 3 (iterative deepening) costs little, since each depth costs several
// times the last, and gives much: a move to play at any time, and in the table the best moves of the last
// depth to order this one by. It also gives a guess of the value; a narrow window around it (aspiration)
// cuts more, and is widened if the value turns out to lie outside.
//
// The switches change the time, never the value: with all of them on or off, the value of the root is
// that of minimax. (Exceptions: quiescence, extension where few moves are left, entries of deeper searches, which
// are better values, late move reductions, and a bare table, which is unsound. What is proven is true with all of
// them.) The move is the first in generated order among the best, so it does not depend on them either; with a plain
// root it is the first that was tried.
//
// Where positions come back, one that stood on the line already is a draw, and so is one that the game's own past makes
// a draw by the rules (line_keys.hpp). Then a value depends on how its position was reached, while the table knows
// positions alone (the graph-history interaction: Palay 1983; Campbell 1985). As in other programs the table answers
// all the same, because nearly every position can be led back to, so a value that rests on a draw may be off on another
// line. What is proven stays true: such a draw never counts as complete, neither side of a proven win rests on one, and
// the quickest win meets no position twice. A past that makes positions draws has table entries of its own.
//
// Several threads run the same search and meet in the table alone (lazy SMP): what one has found, the
// others need not search. The answer is that of the calling thread.

#include <exception>
#include <memory>
#include <system_error>
#include <thread>

#include "../search.hpp"
#include "worker.hpp"

namespace joute {

template <Playable S>
class AlphaBeta : public Search<S> {
public:
    using Move = typename S::Move;
    using SearchResult = joute::SearchResult<Move>;
    using Watch = typename Search<S>::Watch;

    // No search looks deeper, quiescence and extension apart.
    static constexpr int most_depth = 200;

    // `evaluation` may be null: 0 everywhere. It and `params` must outlive the search; after a change of
    // params, forget().
    AlphaBeta(AlphaBetaOptions options, const Evaluation<S>* evaluation, const void* params)
        : options_(options), evaluation_(evaluation), params_(params) {
        check_generator<S>(options_.generator);
        options_.quiescence = std::clamp(options_.quiescence, 0, most_depth);
        constexpr double most_reductions = 10;
        options_.reductions =
            options_.reductions > 0 && options_.pvs ? std::min(options_.reductions, most_reductions) : 0;
        options_.extend = std::max(options_.extend, 0);
        if (options_.table != AlphaBetaOptions::TableUse::off)
            table_ = std::make_unique<TranspositionTable>(options_.memory_mb);
    }

    SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        return run_after({}, root, limits, poll, watch);
    }

    // Depth 1 is searched whatever the limits are, so that there is a move to play.
    SearchResult run_after(Past past, const S& root, const Limits& limits, const Poll& poll,
                           const Watch& watch) override {
        const ValueScale<S> scale(options_, evaluation_, may_have_chance(root));
        if (root.is_terminal()) return {.moves = {}, .value = end_value(scale, root), .proven = true};
        if (table_ && options_.bare_table) table_->clear();
        if (table_) table_->start_new_age();
        Watchdog watchdog(limits, poll);
        const bool keeps_values = !evaluation_ || !evaluation_->depends_on_path;
        Job job{.options = options_,
                .evaluation = evaluation_,
                .params = params_,
                .scale = scale,
                .table = table_.get(),
                .table_answers = options_.table == AlphaBetaOptions::TableUse::full && keeps_values,
                .root = root,
                .past = past,
                .max_depth = std::clamp(limits.depth, 1, most_depth),
                .node_limit = limits.nodes,
                .watchdog = watchdog};
        Worker worker(job, true);
        if (worker.root_moves().empty()) return {};
        Helpers helpers(job, table_ ? options_.threads - 1 : 0);
        SearchResult result = deepen(job, worker, watch);
        result.nodes = worker.nodes() + helpers.finish();
        return result;
    }

    void forget() override {
        if (table_) table_->clear();
    }

private:
    using Job = AlphaBetaJob<S>;
    using Worker = AlphaBetaWorker<S>;
    using RootMove = typename Worker::RootMove;

    // Of a game that is over before anything is searched.
    double end_value(const ValueScale<S>& scale, const S& root) const {
        if (options_.ends == AlphaBetaOptions::Ends::evaluation)
            return evaluation_ ? evaluation_->of(root, params_, root.to_move()) : 0;
        return scale.of_end(root, root.to_move(), 0);
    }

    static SearchResult deepen(const Job& job, Worker& worker, const Watch& watch) {
        SearchResult result;
        const auto tell = [&](int depth) {
            result = describe(job, worker, depth);
            if (watch) watch(result);
        };
        for (int depth = job.options.deepening ? 1 : job.max_depth; depth <= job.max_depth; ++depth) {
            if (worker.iterate(depth, depth > 1 || job.options.extend > 0)) {
                tell(depth);
                if (worker.are_lines_complete()) break;
                continue;
            }
            if (const RootMove* better = worker.improvement(); better && result.depth > 0 && !job.options.plain_root)
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
            else
                others.push_back(&moves[i]);
        std::sort(others.begin(), others.end(), [](const RootMove* a, const RootMove* b) {
            return a->found.value != b->found.value ? a->found.value > b->found.value : a->index < b->index;
        });
        for (const RootMove* other : others) result.moves.push_back(describe(job, worker, *other, 1));
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
        // With reductions a quicker end may have been missed.
        if (is_exact && decided && !(job.options.reductions > 0)) result.end_in = job.scale.plies_to_end(value);
        result.line = is_exact && depth > 1 ? worker.full_line(found, depth) : std::vector<Move>{found.move};
        return result;
    }

    // A generator that leaves moves out may miss what saves a player.
    static bool is_decided(const Job& job, const Worker& worker, double value) {
        return !job.options.bare_table && worker.lists_every_move() && job.scale.is_decided(value);
    }

    // Puts first what a deeper iteration found to be better before it was stopped.
    static void promote(const Job& job, const Worker& worker, const RootMove& better, int depth, SearchResult& result) {
        const auto place = std::find_if(result.moves.begin(), result.moves.end(),
                                        [&](const auto& move) { return move.move == better.move; });
        std::rotate(result.moves.begin(), place, place + 1);
        result.moves[0] = describe(job, worker, better, depth);
        result.value = result.moves[0].value;
        result.proven = is_decided(job, worker, result.value);
    }

    // The other threads of a search. Odd ones run a ply ahead, so that not all do the same at once.
    class Helpers {
    public:
        Helpers(Job& job, int count) : job_(job), failures_(static_cast<std::size_t>(std::max(count, 0))) {
            threads_.reserve(failures_.size());
            try {
                for (std::size_t i = 0; i < failures_.size(); ++i) threads_.emplace_back([this, i] { work(i); });
            } catch (const std::system_error&) {
                // The system refuses more threads: the search takes longer.
            }
        }
        ~Helpers() { join(); }
        Helpers(const Helpers&) = delete;
        Helpers& operator=(const Helpers&) = delete;

        // Stops them, passes on what they threw, and counts the nodes they searched.
        std::uint64_t finish() {
            join();
            for (const auto& failure : failures_)
                if (failure) std::rethrow_exception(failure);
            return nodes_;
        }

    private:
        void work(std::size_t i) {
            try {
                Worker worker(job_, false);
                const int ahead = i % 2 == 0 ? 1 : 0;
                int depth = job_.options.deepening ? 1 + ahead : job_.max_depth;
                while (depth <= job_.max_depth && worker.iterate(depth, true)) ++depth;
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
        std::atomic<std::uint64_t> nodes_ = 0;
        std::vector<std::thread> threads_;
    };

    AlphaBetaOptions options_;
    const Evaluation<S>* evaluation_;
    const void* params_;
    std::unique_ptr<TranspositionTable> table_;
};

}  // namespace joute
