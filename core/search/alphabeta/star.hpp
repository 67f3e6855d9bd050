#pragma once

// Alpha-beta through random events: Star1 and Star2 (Ballard, "The *-minimax search procedure for trees
// containing chance nodes", Artificial Intelligence 21, 1983).
//
// Where no value lies beyond plus or minus `bound`, an expectation is bounded before all outcomes are
// searched: those still unknown are worth at least -bound and at most bound. Star1 turns this round and
// gives each outcome a window of its own, outside of which the expectation leaves the window it was asked
// for whatever else happens. Star2 looks at one move of each outcome's position first: a player who has
// one good move has a good position, so each look bounds an outcome cheaply.

#include <algorithm>

#include "../../base/fixed_list.hpp"
#include "values.hpp"

namespace joute {

// What is known of an expectation while its outcomes are searched.
template <std::size_t MaxOutcomes>
class Expectation {
public:
    struct Window {
        double alpha, beta;
    };
    // How the expectation lies to the window it was asked for.
    enum class Verdict { open, at_most_alpha, at_least_beta };

    void start(const FixedList<double, MaxOutcomes>& probabilities, double bound) {
        outcomes_.clear();
        lower_ = upper_ = 0;
        for (const double probability : probabilities) {
            outcomes_.push_back({probability, -bound, bound, true});
            lower_ -= probability * bound;
            upper_ += probability * bound;
        }
    }

    // Whether an outcome can happen and its value is not known yet.
    bool is_open(std::size_t i) const {
        return outcomes_[i].probability > 0 && outcomes_[i].lower < outcomes_[i].upper;
    }

    // The window of an outcome, given that of the expectation.
    Window window_of(std::size_t i, double alpha, double beta) const {
        const auto& [probability, lower, upper, complete] = outcomes_[i];
        const double others_lower = lower_ - probability * lower, others_upper = upper_ - probability * upper;
        const Window window{std::max((alpha - others_upper) / probability, lower),
                            std::min((beta - others_lower) / probability, upper)};
        // Rounding may close a window that is open by right.
        return window.alpha < window.beta ? window : Window{lower, upper};
    }

    // The same without regard to what the expectation is asked for.
    Window bounds_of(std::size_t i) const { return {outcomes_[i].lower, outcomes_[i].upper}; }

    // Takes in what a search of outcome i in its window found.
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
        // A value at the edge is known by the bound that lies there, and rests on that too.
        const bool is_inside = found.value > window.alpha && found.value < window.beta;
        set(i, found.value, found.value, found.complete && (is_inside || outcome.complete));
        return Verdict::open;
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
        return upper_ <= alpha ? Verdict::at_most_alpha : lower_ >= beta ? Verdict::at_least_beta : Verdict::open;
    }
    // What is known of the expectation: a bound, or its value once all outcomes are known. A bound that
    // rounding puts inside the window must not pass for a value.
    SearchValue result(Verdict verdict, double alpha, double beta) const {
        const double value = verdict == Verdict::at_most_alpha   ? std::min(upper_, alpha)
                             : verdict == Verdict::at_least_beta ? std::max(lower_, beta)
                                                                 : sum_of_values();
        return {value, is_complete()};
    }

private:
    struct Outcome {
        double probability, lower, upper;
        bool complete;  // whether what its bounds rest on is
    };

    void set(std::size_t i, double lower, double upper, bool complete) {
        Outcome& outcome = outcomes_[i];
        lower_ += outcome.probability * (lower - outcome.lower);
        upper_ += outcome.probability * (upper - outcome.upper);
        outcome = {outcome.probability, lower, upper, complete};
    }
    // Added up anew: the same sum whatever order the outcomes became known in.
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
