#pragma once

// The value of a random event in alpha-beta: the mean over its outcomes, pruned as star.hpp explains.
//
// `Outcomes` is the interface to the search, for one event at one depth:
//
//     void resolve(i)                  puts the position after outcome i into the next frame
//     SearchValue value(alpha, beta)   searches that position; the value is for the player to move at the event
//     FirstMove play_first_move()      plays the first move, in move order, of that position, if it has moves
//     bool same_mover()                whether the same player moves there as at the event
//     SearchValue value_of_move(a, b)  searches the position after that move; the value is for the player who made it
//     bool probes()                    whether to probe one move of each outcome first (Star2)
//     bool stopped()                   whether the search must stop; values are meaningless then

#include <algorithm>
#include <limits>

#include "frames.hpp"

namespace joute {

// The result of Outcomes::play_first_move().
enum class FirstMove {
    none,    // another random event, no move to play, or the search must stop
    over,    // the game is over or the position is a draw by repetition, so the value needs no search
    played,  // a move was played
};

// Lists the probabilities of an event's outcomes. If `few` > 0 and the game offers `FewOutcomes`, similar outcomes are
// merged. Returns whether the list may lack a possible outcome: a merged one has probability 0 and is not searched, so
// the mean over the others is not complete.
template <Playable S>
bool list_outcomes(const S& state, int few, OutcomeList<S>& probabilities) {
    probabilities.clear();
    if constexpr (HasFewOutcomes<S>)
        if (few > 0) {
            state.few_outcomes(probabilities, few);
            return std::any_of(probabilities.begin(), probabilities.end(), [](double p) { return p <= 0; });
        }
    state.outcomes(probabilities);
    return false;
}

// The mean without pruning: every outcome is searched with an infinite window.
template <class Probabilities, class Outcomes>
SearchValue mean_of_all(const Probabilities& probabilities, Outcomes outcomes) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    SearchValue sum{0, true};
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        if (probabilities[i] <= 0) continue;
        outcomes.resolve(i);
        const SearchValue found = outcomes.value(-infinity, infinity);
        if (outcomes.stopped()) return {};
        sum.value += probabilities[i] * found.value;
        sum.complete &= found.complete;
    }
    return sum;
}

// The probe of Star2: searches only the first move of an outcome's position, whose value is a lower bound for the
// player to move there.
template <class Expectation, class Outcomes>
void probe(Expectation& expectation, std::size_t i, Outcomes outcomes, double alpha, double beta) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    outcomes.resolve(i);
    const FirstMove first = outcomes.play_first_move();
    if (first == FirstMove::none) return;
    if (first == FirstMove::over) return expectation.know(i, outcomes.value(-infinity, infinity));
    // For the player to move there, the probe can only raise the lower bound. It may stop at the edge of Star1's window
    // that decides the event. Its alpha is the known bound, because a lower value tells nothing new.
    const auto window = expectation.window_of(i, alpha, beta);
    const auto bounds = expectation.bounds_of(i);
    if (outcomes.same_mover()) {
        expectation.limit_below(i, outcomes.value_of_move(bounds.alpha, window.beta));
    } else {
        const SearchValue found = outcomes.value_of_move(-bounds.beta, -window.alpha);
        expectation.limit_above(i, {-found.value, found.complete});
    }
}

// The mean, pruned by Star1 and, if outcomes.probes(), Star2. All values lie in [-bound, bound]. The likeliest outcomes
// come first, because they narrow the windows of the others most.
template <Playable S, class Outcomes>
SearchValue pruned_mean(FrameEvent<S>& event, Outcomes outcomes, double bound, double alpha, double beta) {
    using Verdict = typename Expectation<S::max_outcomes>::Verdict;
    auto& [probabilities, order, expectation] = event;
    expectation.start(probabilities, bound);
    event.sort_outcomes();
    if (outcomes.probes())
        for (const std::size_t i : order) {
            probe(expectation, i, outcomes, alpha, beta);
            if (outcomes.stopped()) return {};
            const auto verdict = expectation.verdict(alpha, beta);
            if (verdict != Verdict::undecided) return expectation.result(verdict, alpha, beta);
        }
    for (const std::size_t i : order) {
        if (!expectation.is_unknown(i)) continue;
        const auto window = expectation.window_of(i, alpha, beta);
        outcomes.resolve(i);
        const SearchValue found = outcomes.value(window.alpha, window.beta);
        if (outcomes.stopped()) return {};
        const auto verdict = expectation.learn(i, window, found);
        if (verdict != Verdict::undecided) return expectation.result(verdict, alpha, beta);
    }
    return expectation.result(Verdict::undecided, alpha, beta);
}

}  // namespace joute
