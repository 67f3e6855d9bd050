#pragma once

// What Langorou may be told: its nine parameters, and for each of its known errors whether it has it.

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
    static constexpr std::array<std::string_view, 2> chance_names{"rounded", "exact"};
    static constexpr std::array<std::string_view, 3> windows_names{"shared", "star1", "star2"};
    static constexpr std::array<std::string_view, 2> scale_names{"raw", "bounded"};
    static constexpr std::array<std::string_view, 2> quiescence_names{"none", "captures"};
    static constexpr std::array<std::string_view, 2> merge_names{"adjacent", "target"};
    static constexpr std::array<std::string_view, 2> splits_names{"half", "houses"};
    static constexpr std::array<std::string_view, 2> ply_limit_names{"unaware", "aware"};

    LangorouWeights weights;
    double cum_score;
    double win_score;
    double lose_over_win_ratio;
    double win_threshold;
    int max_groups;

    // A battle has two outcomes at most, of rounded numbers of survivors; or its distribution.
    Chance chance;
    int bins;  // the most outcomes that the distribution is cut down to
    // Outcomes are searched in the window of their turn, and what was cut off is averaged as if it were the value; or
    // in windows of their own (star.hpp).
    Windows windows;
    // Values as they are added up, with a win at win_score; or between plus and minus one.
    Scale scale;
    double softness;  // the value that is half of the most, on the bounded scale
    // At the horizon: the heuristic; or what is left once both have taken what they can take for certain.
    Quiescence quiescence;
    // Who arrive together: those whose orders follow each other, or all.
    Merge merge;
    bool wrap;  // whether totals of units are counted in a byte
    // A group that splits sends half of it; or also as many as a house needs, and the rest to another.
    Splits splits;
    PlyLimit ply_limit;
    bool table;  // whether the best turn of the last iteration is tried first
    int lines;   // how many turns get an exact value

    static constexpr auto fields() {
        using O = LangorouOptions;
        return std::tuple{
            Option<&O::weights, &LangorouWeights::counts>{"counts"},
            Option<&O::weights, &LangorouWeights::battles>{"battles"},
            Option<&O::weights, &LangorouWeights::neutral_battles>{"neutral_battles"},
            Option<&O::weights, &LangorouWeights::groups>{"groups"},
            Option<&O::weights, &LangorouWeights::pairs_twice>{"pairs_twice"},
            Option<&O::cum_score>{"cum_score"},
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
            Option<&O::table>{"table"},
            Option<&O::lines>{"lines"},
        };
    }
};

// What positions are worth to the side that searches: the heuristic on the scale of the options, and ended games.
class LangorouScale {
public:
    explicit LangorouScale(const LangorouOptions& options) : options_(options) {}

    // `value` by the heuristic.
    double of_value(double value, double cumulative) const {
        const double sum = value + options_.cum_score * cumulative;
        if (options_.scale == LangorouOptions::Scale::raw) return sum;
        const double share = undecided * sum / ((sum < 0 ? -sum : sum) + options_.softness);
        return sum < 0 ? options_.lose_over_win_ratio * share : share;
    }
    // Early wins are better, and so are late losses.
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
    // No value on the bounded scale lies beyond plus or minus this.
    double bound() const { return std::max(1.0, options_.lose_over_win_ratio); }

private:
    // The share of the bounded scale that is for games that go on; the deepest search is far from using up the rest.
    static constexpr double undecided = 0.99, for_a_ply = 1e-5;

    const LangorouOptions& options_;
};

}  // namespace joute
