#pragma once

// The options of alpha-beta, and the scale of its values.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "../../evaluation.hpp"
#include "../../options.hpp"

namespace joute {

// A value for the mover: exact, or a bound. It is complete if no deeper search can refute it: it rests on finished
// games and on ends that the evaluation knows (KnownEnd), and neither on an evaluation at the horizon nor on a draw by
// repetition. Not all moves need a complete value (AlphaBetaWorker::is_complete). With late move reductions, late move
// pruning or null-move pruning, a deeper search may still find a quicker end.
struct SearchValue {
    double value = -std::numeric_limits<double>::infinity();
    bool complete = false;
};

struct AlphaBetaOptions {
    enum class TableUse { off, ordering, full };
    enum class Ends { outcome, score, margin, points, evaluation };
    enum class ChancePruning { none, star1, star2 };
    static constexpr std::array<std::string_view, 3> table_names{"off", "ordering", "full"};
    static constexpr std::array<std::string_view, 5> ends_names{"outcome", "score", "margin", "points", "eval"};
    static constexpr std::array<std::string_view, 3> chance_names{"none", "star1", "star2"};

    // The transposition table: off; only for move ordering (its move is tried first); or for values too.
    TableUse table;
    std::size_t memory_mb;  // maximum size of the table
    // The lowest remaining depth at which positions are stored in the table. Most nodes above the horizon have a
    // remaining depth of 1. Where moves and evaluation are fast, a lookup takes as long as searching such a position;
    // where they are slow, 1 is better.
    int table_depth;
    // Use table entries of searches deeper than needed. Stronger, but the value of a position then depends on earlier
    // searches. Off, it is that of plain minimax.
    bool accept_deeper;
    // A table as beginners write it: every entry of at least the wanted depth answers with its value, whether that is
    // exact or a bound; entries suggest no move; and every search starts with an empty table. Bounds are taken for
    // values, so the value of the root may be wrong and nothing is proven. It is here to reproduce papers that used it
    // (Divercité's V3).
    bool bare_table;

    // Symmetric positions share a table entry, in the first plies of games that offer `SharedSymmetries`. Requires an
    // evaluation that gives symmetric positions the same value.
    bool symmetries;

    // Alpha-beta pruning. Off: plain minimax, which searches every move of every position with an infinite window; then
    // pvs, aspiration, reductions and chance pruning are off too. The value of the root is the same.
    bool pruning;
    bool pvs;      // principal variation search: null windows for all but the first move
    bool killers;  // killer moves: try the two moves early that last caused a cutoff at this level
    bool history;  // history heuristic: of equal moves, those first that caused many cutoffs anywhere
    // Order moves by the history and by the game's hints, in games that offer `MoveHints`: a hint of 1 is worth as much
    // as so many doublings of a move's count. 0: by the history alone.
    double hints;
    bool deepening;  // iterative deepening: depth 1, 2, 3, …; off: the depth limit at once
    bool aspiration;
    double aspiration_window;  // half width, around the last value; in the unit of the evaluation
    bool order_by_evaluation;  // order moves by the evaluation of the position after them
    bool order_by_value;       // with the full evaluation, even if it has a cheaper one for ordering
    // Noisy moves are searched up to this many plies beyond the horizon, plies of extensions included. 0: none.
    int quiescence;
    // Extend positions at the horizon that have at most so many moves: all of these are searched, up to
    // `most_extension` plies beyond the horizon. The limit is needed because in some games positions with few moves can
    // follow each other without end. 0: no extensions.
    int extend;
    static constexpr int most_extension = 64;
    // Late move reductions: a late move is first searched with a depth reduced by
    // `reductions` * log(depth) * log(place in the order) plies, and with the full depth only if it then exceeds alpha.
    // They change values: a good move that looks bad at low depth may be missed. Requires pvs. 0: none.
    double reductions;
    bool reduce_root;  // reduce late root moves too, by one ply less than other moves
    // Late move pruning: with a null window and at most `most_pruned_depth` plies left, only the first `late_moves` *
    // (1 + depth² / 4) moves are searched. It may miss a good move, as reductions may. Requires pvs. 0: none.
    int late_moves;
    static constexpr int most_pruned_depth = 6;
    // Null-move pruning (Beal 1989), in games that offer `NullMove`: with a null window and at least so many plies
    // left, a position whose evaluation fails high is cut off if it still fails high after passing the turn, by a
    // search of 3 + depth / 4 plies less. It errs where every move is worse than passing. Requires pvs. 0: none.
    int null_depth;
    // Search the root like any other position: in generated order at depth 1 and in the initial order at greater
    // depths; the first move tried wins ties; an unfinished depth gives no result. Off: the first move in generated
    // order wins ties, and the best move of one depth is searched first at the next.
    bool plain_root;

    // The value of a finished game: its outcome; its score, margin or points on the scale of the evaluation; or the
    // evaluation of the final position.
    Ends ends;
    // The value of a won game. Without chance (`ends` = outcome), 0 puts wins above any evaluation, and sooner wins
    // higher. Another value is the same for every win; an evaluation may exceed it, and a value alone then proves
    // nothing. With chance, a win is weighed against other outcomes, and all values are clamped to the value of a win,
    // which permits chance pruning; 0 means the evaluation's bound, or 1 if it has none. With chance and other `ends`
    // than outcome, 0 means no bound and no chance pruning.
    double win_value;
    ChancePruning chance;
    // Merge similar outcomes of random events, in games that offer `FewOutcomes`. The smaller the number, the coarser.
    // 0: merge none.
    int few_outcomes;

    int generator;  // index of the move generator
    // Positions with at least so many plies left are searched with all moves of the default generator instead of those
    // of `generator`; of the root all moves are searched if several lines are wanted. 0: `generator` everywhere, as in
    // games whose default generator leaves moves out.
    int wide_depth;
    int lines;  // the best so many root moves get an exact value and a principal variation; most others get a bound
    int threads;

    static constexpr auto fields() {
        using O = AlphaBetaOptions;
        return std::tuple{
            Option<&O::table>{"table", table_names},
            Option<&O::memory_mb>{"memory_mb"},
            Option<&O::table_depth>{"table_depth"},
            Option<&O::accept_deeper>{"accept_deeper"},
            Option<&O::bare_table>{"bare_table"},
            Option<&O::symmetries>{"symmetries"},
            Option<&O::pruning>{"pruning"},
            Option<&O::pvs>{"pvs"},
            Option<&O::killers>{"killers"},
            Option<&O::history>{"history"},
            Option<&O::hints>{"hints"},
            Option<&O::deepening>{"deepening"},
            Option<&O::aspiration>{"aspiration"},
            Option<&O::aspiration_window>{"aspiration_window"},
            Option<&O::order_by_evaluation>{"order_by_evaluation"},
            Option<&O::order_by_value>{"order_by_value"},
            Option<&O::quiescence>{"quiescence"},
            Option<&O::reductions>{"reductions"},
            Option<&O::reduce_root>{"reduce_root"},
            Option<&O::late_moves>{"late_moves"},
            Option<&O::null_depth>{"null_depth"},
            Option<&O::plain_root>{"plain_root"},
            Option<&O::extend>{"extend"},
            Option<&O::ends>{"ends", ends_names},
            Option<&O::win_value>{"win_value"},
            Option<&O::chance>{"chance", chance_names},
            Option<&O::few_outcomes>{"few_outcomes"},
            Option<&O::generator>{"generator"},
            Option<&O::wide_depth>{"wide_depth"},
            Option<&O::lines>{"lines"},
            Option<&O::threads>{"threads"},
        };
    }
};

// The scale of a search's values: the values of finished games, the range of evaluations, and the values that prove a
// win or loss.
template <Playable S>
class ValueScale {
public:
    using Ends = AlphaBetaOptions::Ends;

    ValueScale(const AlphaBetaOptions& options, const Evaluation<S>* evaluation, bool has_chance)
        : ends_(options.ends), has_chance_(has_chance) {
        if (has_chance) {
            if (options.win_value > 0)
                bound_ = options.win_value;
            else if (ends_ == Ends::outcome)
                bound_ = evaluation && evaluation->bound > 0 ? evaluation->bound : 1;
            win_ = bound_;
            limit_ = is_bounded() ? bound_ : unlimited;
        } else {
            counts_plies_ = ends_ == Ends::outcome && !(options.win_value > 0);
            win_ = options.win_value > 0 ? options.win_value : far_win;
            limit_ = counts_plies_ ? most_evaluation : unlimited;
        }
    }

    // The value of a finished game, `ply` moves from the root. Not for Ends::evaluation.
    double of_end(const S& state, Player for_player, int ply) const {
        const Result result = state.result();
        if (ends_ == Ends::outcome) {
            const double win = counts_plies_ ? win_ - ply : win_;
            return win * result.outcome_for(for_player);
        }
        const int for_first = ends_ == Ends::score    ? result.score
                              : ends_ == Ends::margin ? result.margin
                                                      : result.points();
        return clamped(for_player == 0 ? for_first : -for_first);
    }
    // The value of a draw by repetition, for any `ends`: a repetition has no margin.
    static constexpr double draw = 0;
    // The value of a position with a known end, `ply` moves from the root.
    double of_known(const KnownEnd& end, Player for_player, int ply) const {
        const double win = counts_plies_ ? win_ - ply - end.plies : win_;
        return win * (for_player == 0 ? end.outcome : -end.outcome);
    }
    // Whether of_known applies: it knows outcomes, but neither margins nor chance.
    bool takes_known() const { return ends_ == Ends::outcome && !has_chance_; }
    // A value clamped to the range of the scale: below the values of wins if these count plies; to [-bound(), bound()]
    // in bounded games of chance; otherwise in effect unlimited. NaN becomes the lowest value.
    double clamped(double value) const { return value > -limit_ ? (value < limit_ ? value : limit_) : -limit_; }

    // Whether all values lie in [-bound(), bound()].
    bool is_bounded() const { return bound_ > 0; }
    double bound() const { return bound_; }
    bool is_best_possible(double value) const { return is_bounded() && value >= bound_; }

    // Whether the value alone proves a win or loss. plies_to_end() then counts from the root.
    bool is_decided(double value) const { return counts_plies_ && (value > decided || value < -decided); }
    bool is_win(double value) const { return counts_plies_ && value > decided; }
    bool is_loss(double value) const { return is_win(-value); }
    int plies_to_end(double value) const { return static_cast<int>(win_ - (value < 0 ? -value : value)); }

    // Win values count plies from the root, but a position occurs at different distances from it: the table stores win
    // values that count plies from the position.
    double to_table(double value, int ply) const { return away_from_zero(value, ply); }
    double from_table(double value, int ply) const { return away_from_zero(value, -ply); }

    // Narrows the range [lower, upper] of possible outcomes by a value that no deeper search can change. `is_lower` and
    // `is_upper` say on which side the value is a bound; both are true if it is exact.
    void narrow(double value, bool is_lower, bool is_upper, int& lower, int& upper) const {
        if (ends_ != Ends::outcome) return;
        const double least_win = counts_plies_ ? decided : win_;
        // Without chance, a value between win and loss is a draw. With chance it may be a mean of wins and losses.
        if (is_lower && value >= least_win) lower = 1;
        if (is_lower && value >= 0 && !has_chance_) lower = std::max(lower, 0);
        if (is_upper && value <= -least_win) upper = -1;
        if (is_upper && value <= 0 && !has_chance_) upper = std::min(upper, 0);
    }

private:
    // A double represents integers up to 9e15 exactly, so wins one ply apart have different values.
    static constexpr double far_win = 1e15;
    static constexpr double most_evaluation = 1e14;
    static constexpr double decided = 5e14;
    static constexpr double unlimited = 1e300;

    double away_from_zero(double value, int plies) const {
        if (!counts_plies_) return value;
        return value > decided ? value + plies : value < -decided ? value - plies : value;
    }

    Ends ends_;
    bool has_chance_;
    bool counts_plies_ = false;
    double win_ = 0, limit_ = 0, bound_ = 0;
};

}  // namespace joute
