#pragma once

// What alpha-beta may be told, and what its values mean.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "../../evaluation.hpp"
#include "../../options.hpp"

namespace joute {

// A value for the mover, and whether it is complete: it rests on finished games alone, not on an
// evaluation at the horizon, so that every deeper search would find it again (with reductions, perhaps a quicker end).
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

    // The transposition table: none; only for the best move, which is then tried first; or for values too.
    TableUse table;
    std::size_t memory_mb;  // the most that the table may take
    // The least depth that goes into the table. Most positions have depth 1, and to look one up costs as much
    // as to search it where moves and evaluation are fast; where they are slow, 1 is better.
    int table_depth;
    // Use what a search deeper than needed left in the table. Stronger, but then the value of a position
    // depends on what was searched before: off, it is that of plain minimax.
    bool accept_deeper;
    // A table as beginners write it: an entry is a depth and a value and neither a bound nor a move, and every
    // search starts with an empty one. What was cut off is taken for the value, so that of the root may be wrong and
    // nothing is proven. It is here because reports used it (Divercité's V3); depth counts as with accept_deeper.
    bool bare_table;

    // Positions that symmetries map to each other share an entry of the table, in the first plies of games that know
    // their symmetries. For evaluations that do not tell them apart.
    bool symmetries;

    bool pvs;        // null windows for all but the first move
    bool killers;    // try early what refuted a sibling
    bool history;    // then what refuted much elsewhere
    bool deepening;  // depth 1, 2, 3, …; off: the depth limit at once
    bool aspiration;
    double aspiration_window;  // to each side of the last value; in the unit of the evaluation
    bool order_by_evaluation;  // look at the position after a move before ordering it
    int quiescence;            // most plies of loud moves searched beyond the horizon
    // A position with at most so many moves is no horizon: all of them are searched, up to `most_extension`
    // plies beyond, because in some games a few moves can be all there are for ever.
    int extend;
    static constexpr int most_extension = 64;
    // Late move reductions: a move tried late is first searched less deeply, by this times log(depth) log(place in
    // the order) plies, and in full only if it then looks better than what there is. They change values: a good
    // move that looks bad at first may be missed. Needs pvs. 0 for none.
    double reductions;
    // Search the root like any position: its moves in the same order at every depth, of equals the first that was
    // tried, and nothing of a depth that was not finished. Otherwise the order never shows, and the best move comes
    // first at the next depth.
    bool plain_root;

    // What a finished game is worth: its outcome, or score, margin or points on the evaluation's scale, or whatever the
    // evaluation says of it.
    Ends ends;
    // What a won game is worth; 0: more than any evaluation, and the sooner the more. In games of chance,
    // where a win must be weighed against other outcomes, 0 is the evaluation's bound, or 1. With other
    // ends in a game of chance, no value lies beyond this, which lets chance be pruned.
    double win_value;
    ChancePruning chance;
    // Take outcomes of random events together, where a game knows how (`few_outcomes`): the less, the coarser. 0 for
    // none.
    int few_outcomes;

    int generator;  // index of the move generator
    int lines;      // how many root moves get an exact value and a line of play
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
            Option<&O::pvs>{"pvs"},
            Option<&O::killers>{"killers"},
            Option<&O::history>{"history"},
            Option<&O::deepening>{"deepening"},
            Option<&O::aspiration>{"aspiration"},
            Option<&O::aspiration_window>{"aspiration_window"},
            Option<&O::order_by_evaluation>{"order_by_evaluation"},
            Option<&O::quiescence>{"quiescence"},
            Option<&O::reductions>{"reductions"},
            Option<&O::plain_root>{"plain_root"},
            Option<&O::extend>{"extend"},
            Option<&O::ends>{"ends", ends_names},
            Option<&O::win_value>{"win_value"},
            Option<&O::chance>{"chance", chance_names},
            Option<&O::few_outcomes>{"few_outcomes"},
            Option<&O::generator>{"generator"},
            Option<&O::lines>{"lines"},
            Option<&O::threads>{"threads"},
        };
    }
};

// The scale of a search's values: what ends are worth, where evaluations stop, which values are decided.
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

    // The value of a finished game, `ply` moves from the root; not where it is the evaluation's business.
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
    // Of a draw by repetition, whatever ends are worth: no margin is left of it.
    static constexpr double draw = 0;
    // The same of a game whose end is known, `ply` moves from the root.
    double of_known(const KnownEnd& end, Player for_player, int ply) const {
        const double win = counts_plies_ ? win_ - ply - end.plies : win_;
        return win * (for_player == 0 ? end.outcome : -end.outcome);
    }
    // Whether a known end has a value here.
    bool takes_known() const { return ends_ == Ends::outcome && !has_chance_; }
    // An evaluation, kept apart from wins. Not a number becomes the worst there is.
    double clamped(double value) const { return value > -limit_ ? (value < limit_ ? value : limit_) : -limit_; }

    // Whether no value lies beyond plus or minus bound().
    bool is_bounded() const { return bound_ > 0; }
    double bound() const { return bound_; }
    bool is_best_possible(double value) const { return is_bounded() && value >= bound_; }

    // Whether the value alone tells that a player wins, and then in how many plies from the root.
    bool is_decided(double value) const { return counts_plies_ && (value > decided || value < -decided); }
    bool is_win(double value) const { return counts_plies_ && value > decided; }
    int plies_to_end(double value) const { return static_cast<int>(win_ - (value < 0 ? -value : value)); }

    // A position is met at different distances from the root: tables keep plies to the end from there.
    double to_table(double value, int ply) const { return away_from_zero(value, ply); }
    double from_table(double value, int ply) const { return away_from_zero(value, -ply); }

    // Narrows [lower, upper], the outcomes that are possible, by a value that no longer search can
    // change. `is_lower` and `is_upper` say which side of the truth it bounds; both if it is exact.
    void narrow(double value, bool is_lower, bool is_upper, int& lower, int& upper) const {
        if (ends_ != Ends::outcome) return;
        const double least_win = counts_plies_ ? decided : win_;
        // Between win and loss lies the draw alone; in games of chance, mixtures too.
        if (is_lower && value >= least_win) lower = 1;
        if (is_lower && value >= 0 && !has_chance_) lower = std::max(lower, 0);
        if (is_upper && value <= -least_win) upper = -1;
        if (is_upper && value <= 0 && !has_chance_) upper = std::min(upper, 0);
    }

private:
    // Whole numbers up to 9e15 are exact as double, so wins a ply apart stay apart.
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
