#pragma once

// Alpha-beta through random events: Star1 and Star2 (Ballard, "The *-minimax search procedure for trees
// containing chance nodes", Artificial Intelligence 21, 1983).
//
// If all values lie in [-bound, bound], an expectation has bounds before all its outcomes are searched: each unknown
// outcome is worth at least -bound and at most bound. Star1 derives a window for each outcome. If the value of the
// outcome lies outside it, the expectation lies outside its own window (alpha, beta), whatever the other outcomes are
// worth, and the search of the event stops. Star2 first probes one move of each outcome's position. One good move makes
// a good position, so the probe is a cheap bound.

#include <algorithm>

#include "../../base/fixed_list.hpp"
#include "values.hpp"

namespace joute {

// The bounds of an expectation and of its outcomes, narrowed while the outcomes are searched.
template <std::size_t MaxOutcomes>
class Expectation {
public:
    struct Window {
        double alpha, beta;
    };
    // The place of the expectation relative to its window; `undecided` if that is not known yet.
    enum class Verdict { undecided, at_most_alpha, at_least_beta };

    void start(const FixedList<double, MaxOutcomes>& probabilities, double bound) {
        outcomes_.clear();
        lower_ = upper_ = 0;
        for (const double probability : probabilities) {
            outcomes_.push_back({probability, -bound, bound, true});
            lower_ -= probability * bound;
            upper_ += probability * bound;
        }
    }

    // Whether an outcome is possible and its value not known yet.
    bool is_unknown(std::size_t i) const {
        return outcomes_[i].probability > 0 && outcomes_[i].lower < outcomes_[i].upper;
    }

    // The window of an outcome, given the window (alpha, beta) of the expectation.
    Window window_of(std::size_t i, double alpha, double beta) const {
        const auto& [probability, lower, upper, complete] = outcomes_[i];
        const double others_lower = lower_ - probability * lower, others_upper = upper_ - probability * upper;
        const Window window{std::max((alpha - others_upper) / probability, lower),
                            std::min((beta - others_lower) / probability, upper)};
        // Rounding may empty the window of an outcome that is not known yet.
        return window.alpha < window.beta ? window : Window{lower, upper};
    }

    // The known bounds of an outcome, whatever the window of the expectation.
    Window bounds_of(std::size_t i) const { return {outcomes_[i].lower, outcomes_[i].upper}; }

    // Updates the bounds with the result of searching outcome i in its window.
    Verdict learn(std::size_t i, const Window& window, SearchValue found) {
        const Outcome& outcome = outcomes_[i];
        if (found.value <= window.alpha && window.alpha > outcome.lower) {
            limit_above(i, found);
            return Verdict::at_most_alpha;
        }
        if (found.value >= window.beta && window.beta < outcome.upper) {
            limit_below(i, found);
            return Verdict::at_least_beta;
        }
        // Here an edge of the window that the value reaches is also a known bound of the outcome, so the value is
        // exact. It is complete only if the found value and that bound both are.
        const bool is_inside = found.value > window.alpha && found.value < window.beta;
        set(i, found.value, found.value, found.complete && (is_inside || outcome.complete));
        return Verdict::undecided;
    }
    void limit_above(std::size_t i, SearchValue found) {
        const double lower = outcomes_[i].lower;
        if (found.value < outcomes_[i].upper) set(i, std::min(lower, found.value), found.value, found.complete);
    }
    void limit_below(std::size_t i, SearchValue found) {
        const double upper = outcomes_[i].upper;
        if (found.value > outcomes_[i].lower) set(i, found.value, std::max(upper, found.value), found.complete);
    }
    void know(std::size_t i, SearchValue found) { set(i, found.value, found.value, found.complete); }

    Verdict verdict(double alpha, double beta) const {
        return upper_ <= alpha ? Verdict::at_most_alpha : lower_ >= beta ? Verdict::at_least_beta : Verdict::undecided;
    }
    // The result for the expectation: a bound, or the value once all outcomes are known. A bound is kept outside the
    // window, so that rounding cannot make it look exact.
    SearchValue result(Verdict verdict, double alpha, double beta) const {
        const double value = verdict == Verdict::at_most_alpha   ? std::min(upper_, alpha)
                             : verdict == Verdict::at_least_beta ? std::max(lower_, beta)
                                                                 : sum_of_values();
        return {value, is_complete()};
    }

private:
    struct Outcome {
        double probability, lower, upper;
        bool complete;  // whether the values behind its bounds are complete
    };

    void set(std::size_t i, double lower, double upper, bool complete) {
        Outcome& outcome = outcomes_[i];
        lower_ += outcome.probability * (lower - outcome.lower);
        upper_ += outcome.probability * (upper - outcome.upper);
        outcome = {outcome.probability, lower, upper, complete};
    }
    // Recomputed in index order, so that rounding does not depend on the order of the searches.
    double sum_of_values() const {
        double sum = 0;
        for (const Outcome& outcome : outcomes_) sum += outcome.probability * outcome.lower;
        return sum;
    }
    bool is_complete() const {
        return std::all_of(outcomes_.begin(), outcomes_.end(), [](const Outcome& outcome) { return outcome.complete; });
    }

    FixedList<Outcome, MaxOutcomes> outcomes_;
    double lower_, upper_;  // of the expectation
};

}  // namespace joute
