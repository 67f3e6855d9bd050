#pragma once

// The options of Langorou: its nine parameters, and a switch for each of its known errors.

#include <array>
#include <string_view>

#include "../../../options.hpp"
#include "evaluate.hpp"

namespace joute {

struct LangorouOptions {
    enum class Chance { rounded, exact };
    enum class Windows { shared, star1, star2 };
    enum class Scale { raw, bounded };
    enum class Quiescence { none, captures };
    enum class Merge { adjacent, target };
    enum class Splits { half, houses };
    enum class PlyLimit { unaware, aware };
    enum class Table { no, yes, values };
    static constexpr std::array<std::string_view, 2> chance_names{"rounded", "exact"};
    static constexpr std::array<std::string_view, 3> windows_names{"shared", "star1", "star2"};
    static constexpr std::array<std::string_view, 2> scale_names{"raw", "bounded"};
    static constexpr std::array<std::string_view, 2> quiescence_names{"none", "captures"};
    static constexpr std::array<std::string_view, 2> merge_names{"adjacent", "target"};
    static constexpr std::array<std::string_view, 2> splits_names{"half", "houses"};
    static constexpr std::array<std::string_view, 2> ply_limit_names{"unaware", "aware"};
    static constexpr std::array<std::string_view, 3> table_names{"no", "yes", "values"};

    LangorouWeights weights;
    double cum_score;
    double cum_alpha;  // how much less each further ply of the line counts in the cumulative score
    double win_score;
    double lose_over_win_ratio;
    double win_threshold;
    int max_groups;

    // rounded: a battle has at most two outcomes, with rounded numbers of survivors; exact: its distribution.
    Chance chance;
    int bins;  // the largest number of outcomes kept of the distribution
    // shared: outcomes are searched in the window of their turn, and bounds from cut-offs are averaged like values;
    // star1, star2: each outcome has its own window (star.hpp).
    Windows windows;
    // raw: values are plain sums, with a win at win_score; bounded: values are between -1 and 1.
    Scale scale;
    double softness;  // the raw value that maps to half of the maximum, on the bounded scale
    // The value at the horizon. none: the heuristic; captures: after both sides have made their certain captures.
    Quiescence quiescence;
    // The units that fight as one group. adjacent: those of consecutive orders with the same target; target: all with
    // the same target.
    Merge merge;
    bool wrap;  // whether totals of units wrap like a byte
    // half: a group that splits sends half of its units; houses: also the number a house needs, with the rest to
    // another house.
    Splits splits;
    PlyLimit ply_limit;
    // yes: the best turn of the last iteration is searched first; values: and a position that was searched to the same
    // remaining depth is not searched again, whatever cumulative score its other path has.
    Table table;
    int lines;  // number of turns with an exact value

    static constexpr auto fields() {
        using O = LangorouOptions;
        return std::tuple{
            Option<&O::weights, &LangorouWeights::counts>{"counts"},
            Option<&O::weights, &LangorouWeights::battles>{"battles"},
            Option<&O::weights, &LangorouWeights::neutral_battles>{"neutral_battles"},
            Option<&O::weights, &LangorouWeights::groups>{"groups"},
            Option<&O::weights, &LangorouWeights::pairs_twice>{"pairs_twice"},
            Option<&O::cum_score>{"cum_score"},
            Option<&O::cum_alpha>{"cum_alpha"},
            Option<&O::win_score>{"win_score"},
            Option<&O::lose_over_win_ratio>{"lose_over_win_ratio"},
            Option<&O::win_threshold>{"win_threshold"},
            Option<&O::max_groups>{"max_groups"},
            Option<&O::chance>{"chance", chance_names},
            Option<&O::bins>{"bins"},
            Option<&O::windows>{"windows", windows_names},
            Option<&O::scale>{"scale", scale_names},
            Option<&O::softness>{"softness"},
            Option<&O::quiescence>{"quiescence", quiescence_names},
            Option<&O::merge>{"merge", merge_names},
            Option<&O::wrap>{"wrap"},
            Option<&O::splits>{"splits", splits_names},
            Option<&O::ply_limit>{"ply_limit", ply_limit_names},
            Option<&O::table>{"table", table_names},
            Option<&O::lines>{"lines"},
        };
    }
};

// The values of positions for the root side: the heuristic on the scale of the options, and finished games.
class LangorouScale {
public:
    explicit LangorouScale(const LangorouOptions& options) : options_(options) {}

    // `value` is that of the heuristic.
    double of_value(double value, double cumulative) const {
        const double sum = value + options_.cum_score * cumulative;
        if (options_.scale == LangorouOptions::Scale::raw) return sum;
        const double share = undecided * sum / ((sum < 0 ? -sum : sum) + options_.softness);
        return sum < 0 ? options_.lose_over_win_ratio * share : share;
    }
    // Prefers early wins and late losses.
    double of_win(int plies, double cumulative) const {
        if (options_.scale == LangorouOptions::Scale::raw) return options_.win_score - options_.cum_score * cumulative;
        return 1 - for_a_ply * plies;
    }
    double of_loss(int plies, double cumulative) const {
        if (options_.scale == LangorouOptions::Scale::raw)
            return -options_.win_score * options_.lose_over_win_ratio + options_.cum_score * cumulative;
        return -options_.lose_over_win_ratio * (1 - for_a_ply * plies);
    }
    static constexpr double draw = 0;
    // The largest absolute value on the bounded scale.
    double bound() const { return std::max(1.0, options_.lose_over_win_ratio); }

private:
    // `undecided` is the part of the bounded scale for unfinished games; the deepest search does not use up the rest.
    static constexpr double undecided = 0.99, for_a_ply = 1e-5;

    const LangorouOptions& options_;
};

}  // namespace joute
