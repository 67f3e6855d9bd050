#pragma once

// One thread of alpha-beta: the root moves and the recursion below them. alphabeta.hpp explains the algorithm.

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "../../base/numeric.hpp"
#include "../limits.hpp"
#include "../line_keys.hpp"
#include "chance.hpp"
#include "frames.hpp"
#include "remembered_values.hpp"
#include "table_view.hpp"

namespace joute {

// The data that all threads of one search share.
template <Playable S>
struct AlphaBetaJob {
    const AlphaBetaOptions& options;
    const Evaluation<S>* evaluation;
    const void* params;
    ValueScale<S> scale;
    TranspositionTable* table;  // null without one
    bool table_answers;         // whether the table's values are used, not only its moves
    const S& root;
    Past past;  // the game's history before the root
    int max_depth;
    std::uint64_t node_limit;
    Watchdog& watchdog;
    // Updated every `nodes_told_at_once` nodes. The main thread counts its own nodes exactly, so the threads together
    // exceed node_limit by at most about one such block per helper.
    alignas(64) std::atomic<std::uint64_t> main_nodes = 0, helper_nodes = 0;
};

template <Playable S>
class AlphaBetaWorker {
public:
    using Move = typename S::Move;

    struct RootMove {
        Move move;
        std::uint32_t index;  // in generated order
        std::uint32_t rank;   // in the order before the first iteration
        bool waits;           // whether it is searched from `wide_depth` on only
        SearchValue found;
        Bound bound = Bound::none;
        std::uint64_t nodes = 0;
        std::vector<Move> line;
    };

    AlphaBetaWorker(AlphaBetaJob<S>& job, bool is_main)
        : job_(job),
          options_(job.options),
          scale_(job.scale),
          table_(job.table),
          evaluation_(job.evaluation),
          is_main_(is_main),
          root_player_(job.root.to_move()),
          lists_every_move_(joute::lists_every_move(job.root) && options_.generator == 0),
          prunes_chance_(options_.chance != AlphaBetaOptions::ChancePruning::none && scale_.is_bounded()),
          hints_(HasMoveHints<S> && options_.hints > 0),
          ranks_(table_ || options_.killers || options_.history || options_.order_by_evaluation || hints_),
          line_keys_(job.root, job.past),
          view_(options_, root_player_, line_keys_.past_draws()),
          asks_for_end_(evaluation_ && evaluation_->known && scale_.takes_known() && line_keys_.past_draws() == 0),
          frames_(job.root, static_cast<std::size_t>(job.max_depth + most_plies_beyond(options_)), evaluation_,
                  job.params),
          remembered_(evaluation_ && evaluation_->is_slow && !evaluation_->depends_on_path && !evaluation_->key) {
        list_root_moves();
    }

    // Searches the root moves to `depth`. Returns false if a limit stopped it. If `!obeys_limits`, limits are ignored
    // and extensions are off, so that depth 1 finishes quickly.
    bool iterate(int depth, bool obeys_limits) {
        obeys_limits_ = obeys_limits;
        stopped_ = false;
        if (options_.plain_root) restore_order(depth);
        const std::size_t lines = line_count();
        for (std::size_t first = 0; first < lines; ++first) {
            if (!search_line(first, depth)) return false;
            if (first == 0) root_complete_ = is_root_complete(depth);
        }
        // A line may get a higher value than the one before it: its move was searched again, with another window and a
        // fuller table.
        std::stable_sort(root_.begin(), root_.begin() + static_cast<std::ptrdiff_t>(lines),
                         [](const RootMove& a, const RootMove& b) { return a.found.value > b.found.value; });
        for (std::size_t line = 0; line < lines; ++line) last_values_[line] = root_[line].found.value;
        return true;
    }

    // The first line_count() moves are the best ones in order of value; the others follow in no particular order.
    const std::vector<RootMove>& root_moves() const { return root_; }
    std::size_t line_count() const {
        return std::min(static_cast<std::size_t>(is_main_ && options_.lines > 1 ? options_.lines : 1), root_.size());
    }
    std::uint64_t nodes() const { return nodes_; }

    // Whether no deeper search can change the value of the root (is_root_complete) or of any line (are_lines_complete).
    bool is_root_complete() const { return root_complete_; }
    bool are_lines_complete() const {
        return root_complete_ && std::all_of(root_.begin() + 1, root_.begin() + static_cast<int>(line_count()),
                                             [](const RootMove& move) { return move.found.complete; });
    }
    bool lists_every_move() const { return lists_every_move_; }

    // If the last iteration was stopped while it searched the first of the `lines`: the move that it prefers to the one
    // it searched first, because of a higher value, or of the same value and an earlier place in generated order. If
    // all moves searched in it lose, the most promising of the others that an earlier one searched. Null if there is
    // none.
    const RootMove* improvement() const {
        if (!best_) return nullptr;
        if (!scale_.is_loss(root_[*best_].found.value)) return *best_ > 0 ? &root_[*best_] : nullptr;
        const RootMove* hope = nullptr;
        for (std::size_t i = stopped_at_; i < root_.size(); ++i) {
            if (root_[i].bound == Bound::none) continue;  // never searched (wide_depth)
            if (!hope || hope->found.value < root_[i].found.value) hope = &root_[i];
        }
        return hope;
    }

    // The principal variation of a root move. A table hit ends the line that a search collects, so this follows exact
    // table entries from there on, unless the table only orders moves or the evaluation adds a key of its own.
    std::vector<Move> full_line(const RootMove& root_move, int depth) const {
        std::vector<Move> line = root_move.line;
        S state = job_.root;
        LineKeys<S> keys = line_keys_;
        for (int ply = 1; const Move move : line) {
            state.play(move);
            keys.note(state, ply++);
        }
        while (job_.table_answers && !has_key() && static_cast<int>(line.size()) < depth && !is_chance(state) &&
               !state.is_terminal() && !keys.is_draw(state, static_cast<int>(line.size()))) {
            const auto seen = view_.see(state, depth - static_cast<int>(line.size()));
            const auto entry = table_->find(seen.key);
            if (!entry || entry->bound != Bound::exact) break;
            const auto move = move_of_code(state, TableView<S>::from_table(entry->code, seen.symmetry));
            if (!move) break;
            line.push_back(*move);
            state.play(*move);
            keys.note(state, static_cast<int>(line.size()));
        }
        return line;
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    // The most plies that quiescence or extensions search beyond the horizon.
    static int most_plies_beyond(const AlphaBetaOptions& options) {
        return std::max(options.quiescence, options.extend > 0 ? AlphaBetaOptions::most_extension : 0);
    }

    // The move generator for a position with `depth` plies left.
    int generator_at(int depth) const {
        return options_.wide_depth > 0 && depth >= options_.wide_depth ? 0 : options_.generator;
    }

    std::optional<Move> move_of_code(const S& state, std::uint32_t code) const {
        const auto moves = std::make_unique<MoveList<S>>();
        state.generate(*moves, generator_at(job_.max_depth));
        for (const Move move : *moves)
            if (state.code(move) == code) return move;
        return std::nullopt;
    }

    // Lists the root moves. Their order is made once: the table move, if an earlier search stored this position, then
    // the others by evaluation. There are no killer moves and no history yet. Later, the best move of each depth moves
    // to the front.
    void list_root_moves() {
        Frame<S>& frame = frames_[0];
        arrive(frame, job_.max_depth);
        list_moves(0, std::max(job_.max_depth, options_.wide_depth), table_move(frame, job_.max_depth));
        const bool is_wide = generator_at(options_.wide_depth) != options_.generator;
        const auto narrow = std::make_unique<MoveList<S>>();
        if (is_wide) frame.state.generate(*narrow, options_.generator);
        for (std::size_t i = 0; i < frame.moves.size(); ++i) {
            const auto index = static_cast<std::uint32_t>(next_index(0, i));
            const auto rank = static_cast<std::uint32_t>(i);
            const Move move = frame.moves[index];
            const bool waits = is_wide && std::find(narrow->begin(), narrow->end(), move) == narrow->end();
            root_.push_back({.move = move, .index = index, .rank = rank, .waits = waits, .found = {}, .line = {}});
        }
        if (std::all_of(root_.begin(), root_.end(), [](const RootMove& each) { return each.waits; }))
            for (RootMove& each : root_) each.waits = false;
        last_values_.assign(root_.size(), infinity);
    }

    // Restores the order of the root moves for `plain_root`: the generated order at depth 1, where moves are not
    // ordered by evaluation, otherwise the initial rank.
    void restore_order(int depth) {
        const auto place = depth > 1 ? &RootMove::rank : &RootMove::index;
        std::sort(root_.begin(), root_.end(),
                  [place](const RootMove& a, const RootMove& b) { return a.*place < b.*place; });
    }

    // Finds the best of the root moves from `first` on and moves it to `first`. Returns false if stopped. Holds the
    // aspiration window.
    bool search_line(std::size_t first, int depth) {
        double below = -infinity, above = infinity;
        double margin = options_.aspiration_window;
        const double guess = last_values_[first];
        if (options_.aspiration && guess - margin < guess && guess < guess + margin) {
            below = guess - margin;
            above = guess + margin;
        }
        for (int attempt = 1;; ++attempt) {
            const double value = search_root(first, depth, below, above);
            if (stopped_) {
                if (first > 0) best_.reset();
                return false;
            }
            if (value > below && value < above) break;
            // Widen the window twice, then open it.
            margin *= 4;
            if (value <= below)
                below = attempt < 3 ? guess - margin : -infinity;
            else
                above = attempt < 3 ? guess + margin : infinity;
        }
        const auto best = root_.begin() + static_cast<std::ptrdiff_t>(*best_);
        std::rotate(root_.begin() + static_cast<std::ptrdiff_t>(first), best, best + 1);
        best_.reset();
        return true;
    }

    // One pass over the root moves from `first` on, in the window (alpha, beta). Of several equally good moves it takes
    // the first in generated order, whatever the order of search, so that the choice does not depend on move ordering:
    // a move generated before the best one is searched with alpha lowered by one step, so that it wins a tie. With
    // `plain_root` the first move searched wins ties.
    double search_root(std::size_t first, int depth, double alpha, double beta) {
        best_.reset();
        double value = -infinity;
        std::size_t searched = 0;
        for (std::size_t i = first; i < root_.size(); ++i) {
            RootMove& root_move = root_[i];
            if (root_move.waits && depth < options_.wide_depth && line_count() == 1) {
                root_move.bound = Bound::none;
                continue;
            }
            stopped_at_ = i;
            const bool wins_ties = !options_.plain_root && best_ && root_move.index < root_[*best_].index;
            const double floor = wins_ties ? next_below(alpha) : alpha;
            const std::uint64_t nodes_before = nodes_;
            if (!enter(0, root_move.move, depth - 1)) return value;
            const SearchValue found = searched > 0 && options_.pvs
                                          ? scout(0, depth - 1, floor, beta, root_reduction(depth, searched))
                                          : child(0, depth - 1, floor, beta);
            ++searched;
            root_move.nodes += nodes_ - nodes_before;
            if (stopped_) return value;
            root_move.found = found;
            root_move.bound = !options_.pruning      ? Bound::exact
                              : found.value <= floor ? Bound::upper
                              : found.value >= beta  ? Bound::lower
                                                     : Bound::exact;
            root_move.line.assign(1, root_move.move);
            value = std::max(value, found.value);
            if (found.value >= beta) return value;
            if (found.value <= floor) continue;
            root_move.line.insert(root_move.line.end(), frames_[1].line.begin(), frames_[1].line.end());
            best_ = i;
            alpha = found.value;
        }
        return value;
    }

    bool is_root_complete(int depth) const {
        const bool all = std::all_of(root_.begin(), root_.end(), [](const RootMove& m) { return m.found.complete; });
        return is_complete(root_[0].found, all, 0, depth);
    }

    // The value of frames_[level] for its mover: exact if it lies inside the window, otherwise a bound.
    // A depth of -n means n plies beyond the horizon.
    SearchValue search(std::size_t level, int depth, double alpha, double beta) {
        Frame<S>& frame = frames_[level];
        frame.line.clear();
        // Step 1. Chance node: the mean over the outcomes of the random event.
        if constexpr (S::has_chance)
            if (frame.state.is_chance()) return expect(level, depth, alpha, beta);
        // Step 2. End of the game.
        if (frame.state.is_terminal()) return {end_value(frame), true};
        // Step 3. Draw by repetition. It depends on the path, so it is not complete.
        if (line_keys_.is_draw(frame.state, frame.ply)) return {ValueScale<S>::draw, false};
        // Step 4. Horizon: quiescence search, unless the position has so few moves that it is extended.
        return depth > 0 || is_extended(frame, depth) ? decide(level, depth, alpha, beta)
                                                      : quiesce(level, depth, alpha, beta);
    }

    // Whether a position at or beyond the horizon has so few moves that all of them are searched (option `extend`).
    // Never in an iteration that ignores the limits, which must be quick.
    bool is_extended(Frame<S>& frame, int depth) const {
        if (options_.extend == 0 || !obeys_limits_ || depth <= -AlphaBetaOptions::most_extension) return false;
        const auto most = static_cast<std::size_t>(options_.extend);
        if constexpr (HasMoveCount<S>)
            if (options_.generator == 0) return frame.state.move_count() <= most;
        frame.moves.clear();
        frame.state.generate(frame.moves, options_.generator);
        return frame.moves.size() <= most;
    }

    // An interior node: the maximum over its moves.
    SearchValue decide(std::size_t level, int depth, double alpha, double beta) {
        Frame<S>& frame = frames_[level];
        std::uint32_t best_code = TableEntry::no_code;
        // Step 5. Transposition table lookup. An entry that answers() accepts ends the search of this node; any other
        // entry suggests the move to try first.
        if (uses_table(depth))
            if (const auto entry = table_->find(frame.key)) {
                const double value = scale_.from_table(entry->value, frame.ply);
                if (answers(*entry, value, depth, alpha, beta)) return {value, entry->complete};
                best_code = TableView<S>::from_table(entry->code, frame.symmetry);
            }
        // Step 6. Known end: the evaluation may know the outcome under best play, e.g. of a race that is decided. Only
        // without chance, for `ends` = outcome, and if no position of the game's history counts as a draw.
        if (asks_for_end_ && depth >= evaluation_->least_known_depth)
            if (const auto end = evaluation_->known(frame.state))
                return {scale_.of_known(*end, frame.mover, frame.ply), true};
        // Step 6b. Null-move pruning.
        if constexpr (HasNullMove<S>)
            if (const auto cut = after_null(level, depth, alpha, beta)) return *cut;
        if (stopped_) return {};
        // Step 7. Move generation and ordering. The game is not over, so the list is empty only if the generator omits
        // moves; the node is a leaf then.
        list_moves(level, depth, best_code);
        if (frame.moves.empty()) return {evaluate(frame), false};

        SearchValue best;
        bool all_complete = true, reduces = false;
        const std::size_t most_moves = moves_to_search(frame.state, depth, alpha, beta);
        Bound bound = Bound::upper;
        for (std::size_t i = 0; i < frame.moves.size(); ++i) {
            // Late move pruning skips the other moves, but not if all moves so far lose or have complete values.
            if (i >= most_moves && !all_complete && !scale_.is_loss(best.value)) break;
            const std::size_t index = next_index(level, i);
            if (i == 1) reduces = reduces_late_moves(frame.state, depth);
            if (!enter(level, frame.moves[index], depth - 1)) return {};
            // Step 8. Search the move: the first with the full window, the others with a null window (PVS), reduced in
            // depth if they come late (late move reductions).
            const SearchValue found = i > 0 && options_.pvs
                                          ? scout(level, depth - 1, alpha, beta, reduces ? reduction(depth, i) : 0)
                                          : child(level, depth - 1, alpha, beta);
            if (stopped_) return {};
            // Step 9. Update the best value. A value of alpha or less changes nothing else.
            all_complete &= found.complete;
            if (found.value <= best.value) continue;
            best = found;
            if (best.value <= alpha) continue;
            if (ranks_) best_code = frame.ranked[i].code;
            // Step 10. Fail-high: update killer moves and history, skip the other moves. Otherwise raise alpha and
            // extend the principal variation.
            if (best.value >= beta) {
                bound = Bound::lower;
                remember_cut(frame, best_code, depth);
                break;
            }
            bound = Bound::exact;
            alpha = best.value;
            frames_.lead(level, frame.moves[index]);
        }
        // Step 11. Decide whether the value is complete (SearchValue). After a fail-high it is as complete as that of
        // the refuting move.
        if (bound != Bound::lower) best.complete = is_complete(best, all_complete, frame.ply, depth);
        // Step 12. Store the result in the transposition table.
        if (uses_table(depth))
            table_->store(frame.key, {.value = scale_.to_table(best.value, frame.ply),
                                      .code = options_.bare_table ? TableEntry::no_code
                                                                  : TableView<S>::to_table(best_code, frame.symmetry),
                                      .depth = depth,
                                      .bound = bound,
                                      .complete = best.complete});
        return best;
    }

    // Null-move pruning: the value of a position that fails high even if its mover passes the turn; none if it does
    // not, or if it is not tried. Never twice in a row, and never where a win or loss is at stake.
    std::optional<SearchValue> after_null(std::size_t level, int depth, double alpha, double beta)
        requires HasNullMove<S>
    {
        Frame<S>& frame = frames_[level];
        const bool tries = options_.null_depth > 0 && depth >= options_.null_depth && !frame.is_after_null &&
                           next_above(alpha) >= beta && !scale_.is_decided(beta) &&
                           !sees_every_end(frame.state, depth) && evaluate(frame) >= beta;
        if (!tries) return std::nullopt;
        const int depth_after = std::max(depth - 3 - depth / 4, 0);
        if (must_stop() && obeys_limits_) {
            stopped_ = true;
            return std::nullopt;
        }
        count_node();
        arrive(frames_.play_null(level), depth_after);
        const SearchValue found = child(level, depth_after, alpha, beta);
        if (stopped_ || found.value < beta) return std::nullopt;
        return SearchValue{scale_.is_decided(found.value) ? beta : found.value, false};
    }

    // A leaf: the better of its evaluation and the value of its best noisy move. The value is complete only if a noisy
    // move fails high with a complete value.
    SearchValue quiesce(std::size_t level, int depth, double alpha, double beta) {
        Frame<S>& frame = frames_[level];
        // Step Q1. Stand pat: the mover may decline all noisy moves.
        SearchValue best{evaluate(frame), false};
        if constexpr (HasNoisyMoves<S>) {
            // Step Q2. Stop at the limit of quiescence plies, or if the evaluation already fails high.
            if (options_.quiescence + depth <= 0 || best.value >= beta) return best;
            // Step Q3. Search the noisy moves, with alpha raised to the best value so far.
            frame.moves.clear();
            frame.state.noisy_moves(frame.moves);
            for (const Move move : frame.moves) {
                if (!enter(level, move, depth - 1)) return {};
                const SearchValue found = child(level, depth - 1, std::max(alpha, best.value), beta);
                if (stopped_) return {};
                if (found.value <= best.value) continue;
                if (found.value >= beta) return found;
                best.value = found.value;
                if (best.value > alpha) frames_.lead(level, move);
            }
        }
        return best;
    }

    // The value of the child entered last, from the view of its parent's mover. The sign changes only if the mover
    // changes. Without pruning the window is infinite, so that no value is a bound and nothing is cut off.
    SearchValue child(std::size_t level, int depth, double alpha, double beta) {
        if (!options_.pruning) {
            alpha = -infinity;
            beta = infinity;
        }
        if (frames_[level + 1].mover == frames_[level].mover) return search(level + 1, depth, alpha, beta);
        const SearchValue found = search(level + 1, depth, -beta, -alpha);
        return {-found.value, found.complete};
    }

    // Searches the child with a null window, and again with the full window if it is better than alpha. With a
    // reduction, a search of less depth comes first, and its fail-low is final. A chance node without chance pruning is
    // searched only once.
    SearchValue scout(std::size_t level, int depth, double alpha, double beta, int reduced_by = 0) {
        if constexpr (S::has_chance)  // Without pruning, the value of a chance node is exact for any window.
            if (!prunes_chance_ && frames_[level + 1].state.is_chance()) return child(level, depth, alpha, beta);
        const double above = std::min(next_above(alpha), beta);
        if (reduced_by > 0) {
            const SearchValue found = child(level, depth - reduced_by, alpha, above);
            if (found.value <= alpha || stopped_) return found;
        }
        const SearchValue found = child(level, depth, alpha, above);
        if (found.value <= alpha || found.value >= beta || stopped_) return found;
        return child(level, depth, alpha, beta);
    }

    // Whether every line of this depth reaches the end of the game: the value is then complete, and so is the value of
    // every position below. Late moves are neither reduced nor pruned there.
    bool sees_every_end(const S& state, int depth) const {
        if constexpr (HasPliesLeft<S>) return depth >= state.plies_left();
        return false;
    }
    bool reduces_late_moves(const S& state, int depth) const {
        return options_.reductions > 0 && depth >= 2 && !sees_every_end(state, depth);
    }
    // The number of moves after which late move pruning may skip the others.
    std::size_t moves_to_search(const S& state, int depth, double alpha, double beta) const {
        const bool prunes = options_.late_moves > 0 && depth > 0 && depth <= AlphaBetaOptions::most_pruned_depth &&
                            next_above(alpha) >= beta && !sees_every_end(state, depth);
        if (!prunes) return S::max_moves;
        return static_cast<std::size_t>(options_.late_moves + options_.late_moves * depth * depth / 4);
    }
    // The late move reduction, in plies, of the i-th move.
    int reduction(int depth, std::size_t i) const {
        const double plies = options_.reductions * log_of(static_cast<std::size_t>(depth)) * log_of(i + 1);
        return std::min(static_cast<int>(plies), depth - 1);
    }
    int root_reduction(int depth, std::size_t i) const {
        if (!options_.reduce_root || !reduces_late_moves(job_.root, depth)) return 0;
        return std::max(reduction(depth, i) - 1, 0);
    }
    static double log_of(std::size_t count) {
        static constexpr auto logs = [] {
            std::array<double, 256> values{};
            for (std::size_t i = 1; i < values.size(); ++i) values[i] = natural_log(static_cast<double>(i));
            return values;
        }();
        return logs[std::min(count, logs.size() - 1)];
    }

    // Whether every deeper search would return the same value, for a value that did not fail high. A win within `depth`
    // plies is such a value: the search has seen all quicker wins, and the other wins take longer.
    bool is_complete(const SearchValue& best, bool all_complete, int ply, int depth) const {
        if (all_complete && lists_every_move_) return true;
        if (!best.complete) return false;
        return scale_.is_best_possible(best.value) ||
               (scale_.is_win(best.value) && scale_.plies_to_end(best.value) - ply <= depth);
    }

    // Whether a table entry replaces the search. Its depth equals that of the search, or is less if the entry is
    // complete; with `accept_deeper` it may also be greater. Without, a deeper entry is refused even if it is complete:
    // it may rest on an end that minimax of this depth does not reach. Its value is exact, a lower bound of at least
    // beta, or an upper bound of at most alpha.
    bool answers(const TableEntry& entry, double value, int depth, double alpha, double beta) const {
        if (!job_.table_answers) return false;
        if (options_.bare_table) return entry.depth >= depth;
        const bool depth_fits = entry.depth == depth || (entry.complete && entry.depth < depth) ||
                                (options_.accept_deeper && (entry.complete || entry.depth > depth));
        if (!depth_fits) return false;
        if (entry.bound == Bound::exact) return true;
        return entry.bound == Bound::lower ? value >= beta : value <= alpha;
    }

    // The value of a finished game for the frame's mover.
    double end_value(const Frame<S>& frame) {
        if (options_.ends == AlphaBetaOptions::Ends::evaluation) return evaluate(frame);
        return scale_.of_end(frame.state, frame.mover, frame.ply);
    }

    // The evaluation for the frame's mover. It is always computed for the root player (see Evaluation), and negated if
    // the opponent is the mover.
    double evaluate(const Frame<S>& frame) {
        if (!evaluation_) return 0;
        const auto compute = [&] {
            return scale_.clamped(evaluation_->value(frame.state, frame.accumulator, job_.params, root_player_));
        };
        const double value_for_root = remembered_.is_used() ? remembered_.of(frame.state.key(), compute) : compute();
        return frame.mover == root_player_ ? value_for_root : -value_for_root;
    }

    // A chance node: the mean over its outcomes, pruned if the option `chance` asks for it and values are bounded. A
    // random event takes no depth: its outcomes are searched to the same depth.
    SearchValue expect(std::size_t level, int depth, double alpha, double beta)
        requires(S::has_chance)
    {
        Frame<S>& frame = frames_[level];
        const bool lacks_outcomes = list_outcomes(frame.state, options_.few_outcomes, frame.event.probabilities);
        const Outcomes outcomes{*this, level, depth};
        SearchValue mean = prunes_chance_ ? pruned_mean<S>(frame.event, outcomes, scale_.bound(), alpha, beta)
                                          : mean_of_all(frame.event.probabilities, outcomes);
        mean.complete = mean.complete && !lacks_outcomes;
        return mean;
    }

    // The interface of chance.hpp to the outcomes of the random event in frames_[level].
    struct Outcomes {
        AlphaBetaWorker& worker;
        std::size_t level;
        int depth;

        void resolve(std::size_t i) const { worker.arrive(worker.frames_.resolve(level, static_cast<int>(i)), depth); }
        SearchValue value(double alpha, double beta) const { return worker.child(level, depth, alpha, beta); }
        FirstMove play_first_move() const {
            Frame<S>& next = worker.frames_[level + 1];
            if (next.state.is_chance()) return FirstMove::none;
            if (next.state.is_terminal() || worker.line_keys_.is_draw(next.state, next.ply)) return FirstMove::over;
            worker.list_moves(level + 1, depth, worker.table_move(next, depth));
            if (next.moves.empty() || worker.stopped_) return FirstMove::none;
            const Move move = next.moves[worker.next_index(level + 1, 0)];
            return worker.enter(level + 1, move, depth - 1) ? FirstMove::played : FirstMove::none;
        }
        bool same_mover() const { return worker.frames_[level + 1].mover == worker.frames_[level].mover; }
        SearchValue value_of_move(double alpha, double beta) const {
            return worker.child(level + 1, depth - 1, alpha, beta);
        }
        bool probes() const { return worker.options_.chance == AlphaBetaOptions::ChancePruning::star2 && depth > 0; }
        bool stopped() const { return worker.stopped_; }
    };

    // Plays a move into the next frame, which counts as a node even if the move is played only to order it. Returns
    // false without playing if the search must stop.
    bool enter(std::size_t level, Move move, int depth) {
        if (must_stop() && obeys_limits_) [[unlikely]] {
            stopped_ = true;
            return false;
        }
        count_node();
        arrive(frames_.play(level, move), depth);
        return true;
    }

    // Records a new position on the line, computes its table key and prefetches its bucket.
    void arrive(Frame<S>& frame, int depth) {
        line_keys_.note(frame.state, frame.ply);
        if (!uses_table(depth) || is_chance(frame.state)) return;
        const auto seen = view_.see(frame.state, depth);
        frame.key = has_key() ? mix64(seen.key ^ evaluation_->key(frame.state, frame.accumulator)) : seen.key;
        frame.symmetry = seen.symmetry;
        table_->prefetch(frame.key);
    }

    bool uses_table(int depth) const { return table_ && depth >= options_.table_depth && depth > 0; }
    std::uint32_t table_move(const Frame<S>& frame, int depth) const {
        const auto entry = uses_table(depth) ? table_->find(frame.key) : std::nullopt;
        return entry ? TableView<S>::from_table(entry->code, frame.symmetry) : TableEntry::no_code;
    }
    bool has_key() const { return evaluation_ && evaluation_->key; }

    // Generates the frame's moves and gives the table move and the killer moves the highest scores.
    void list_moves(std::size_t level, int depth, std::uint32_t table_code) {
        Frame<S>& frame = frames_[level];
        frame.moves.clear();
        frame.state.generate(frame.moves, generator_at(depth));
        if (!ranks_) return;
        constexpr double first = 3 * known_good, second = 2 * known_good;
        frame.looks_ahead = options_.order_by_evaluation && depth > 1;
        frame.ranked.resize(frame.moves.size());
        for (std::uint32_t i = 0; i < frame.moves.size(); ++i) {
            const std::uint32_t code = frame.state.code(frame.moves[i]);
            RankedMove& ranked = frame.ranked[i];
            ranked = {0, options_.history ? history_.of(frame.mover, code) : 0, i, code};
            if (code == table_code)
                ranked.score = first;
            else if (code == frame.killers[0])
                ranked.score = second;
            else if (code == frame.killers[1])
                ranked.score = known_good;
        }
        if constexpr (HasMoveHints<S>)
            if (hints_) {
                FixedList<std::uint8_t, S::max_moves> hints;
                frame.state.hint_at(frame.moves, hints);
                for (RankedMove& ranked : frame.ranked)
                    ranked.history = hinted_history(ranked.history, hints[ranked.index], options_.hints);
            }
    }
    // The score of the second killer move: the lowest score that precedes the moves ordered by evaluation.
    static constexpr double known_good = 1e301;

    // The index of the i-th move to try. With order_by_evaluation, the moves are evaluated only after the table move
    // and the killer moves failed to refute the position: with many legal moves, evaluating them all takes as long as
    // searching one.
    std::size_t next_index(std::size_t level, std::size_t i) {
        Frame<S>& frame = frames_[level];
        if (!ranks_) return i;
        if (frame.looks_ahead && std::none_of(frame.ranked.begin() + static_cast<std::ptrdiff_t>(i), frame.ranked.end(),
                                              [](const RankedMove& move) { return move.score >= known_good; })) {
            frame.looks_ahead = false;
            for (std::size_t j = i; j < frame.ranked.size(); ++j)
                frame.ranked[j].score = value_after(level, frame.moves[frame.ranked[j].index]);
        }
        return pick(frame.ranked, i).index;
    }

    double order_value(const Frame<S>& frame) {
        if (!evaluation_ || !evaluation_->order || options_.order_by_value) return evaluate(frame);
        const double value_for_root = scale_.clamped(evaluation_->order(frame.state, root_player_));
        return frame.mover == root_player_ ? value_for_root : -value_for_root;
    }

    // The ordering value of a move: the evaluation one ply ahead, for the mover.
    double value_after(std::size_t level, Move move) {
        if (stopped_ || !enter(level, move, 0)) return 0;
        const Frame<S>& next = frames_[level + 1];
        const double value = !is_chance(next.state) && next.state.is_terminal() ? end_value(next) : order_value(next);
        return next.mover == frames_[level].mover ? value : -value;
    }

    void remember_cut(Frame<S>& frame, std::uint32_t code, int depth) {
        if (options_.killers && frame.killers[0] != code) frame.killers = {code, frame.killers[0]};
        if (options_.history) history_.add(frame.mover, code, depth);
    }

    bool must_stop() {
        if (!is_main_) return job_.watchdog.stop.load(std::memory_order_relaxed);
        return job_.watchdog.must_stop() ||
               nodes_ + job_.helper_nodes.load(std::memory_order_relaxed) >= job_.node_limit;
    }
    void count_node() {
        if (++nodes_ % nodes_told_at_once == 0) [[unlikely]]
            tell_nodes();
    }
    void tell_nodes() {
        constexpr auto relaxed = std::memory_order_relaxed;
        if (is_main_) {
            job_.main_nodes.store(nodes_, relaxed);
            return;
        }
        const std::uint64_t helpers = job_.helper_nodes.fetch_add(nodes_told_at_once, relaxed) + nodes_told_at_once;
        if (job_.main_nodes.load(relaxed) + helpers >= job_.node_limit) job_.watchdog.stop.store(true, relaxed);
    }

    static constexpr std::uint64_t nodes_told_at_once = 1024;

    AlphaBetaJob<S>& job_;
    const AlphaBetaOptions& options_;
    const ValueScale<S> scale_;
    TranspositionTable* const table_;
    const Evaluation<S>* const evaluation_;
    const bool is_main_;
    const Player root_player_;
    const bool lists_every_move_;
    const bool prunes_chance_;
    const bool hints_;  // whether the game's hints order moves
    const bool ranks_;  // whether any option orders the moves

    [[no_unique_address]] LineKeys<S> line_keys_;
    const TableView<S> view_;
    const bool asks_for_end_;  // whether to ask the evaluation for known ends (step 6)
    Frames<S> frames_;
    MoveHistory<S> history_;
    RememberedValues remembered_;

    std::vector<RootMove> root_;
    std::vector<double> last_values_;  // of the lines in the last finished iteration
    std::optional<std::size_t> best_;  // index of the best root move of the current pass
    std::size_t stopped_at_ = 0;       // index of the root move that the current pass searched last
    bool root_complete_ = false;

    std::uint64_t nodes_ = 0;
    bool obeys_limits_ = false;
    bool stopped_ = false;
};

}  // namespace joute
