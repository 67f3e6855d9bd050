#pragma once

// Solves a position exactly: the generic driver of a game's own prover.
//
// A prover answers questions of the form "is the score after this move at least v?" The driver keeps bounds on the
// score of each root move. It lets the game choose the next v, and asks about one move after another until the best
// score is known. Then it goes on with the remaining moves, until `lines` moves are solved.
//
// A game provides a type `Endings` with
//
//     State, Options     the options have memory_mb, outcome_only and lines
//     Memory             data kept between searches, constructed from a number of bytes
//     Root               one position, constructed from (const State&, const Options&, Memory&), with
//         Move               a ScoredMove<State::Move> or a type derived from it
//         moves()            the root moves with their first bounds, in the order in which to ask about them
//         maximizes()        whether the mover prefers the highest score instead of the lowest
//         next_question(lower, upper, held)
//                            the next v, above `lower` and at most `upper`, which are the bounds of the best score of
//                            the remaining moves; `held` is the last answer, none before the first
//         ask(move, v, effort)
//                            raises move.lower to at least v, or lowers move.upper below v; throws Stopped at a limit
//         value(move)        the value of a move in the result, for the mover: the middle of its bounds
//         plies()            how many plies the game may still last
//
// Memory and Root may be defined where the solver is instantiated: the members of ExactSolver are not inline.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search.hpp"

namespace joute {

// A root move and the bounds on its score, in the game's own unit and view.
template <class Move>
struct ScoredMove {
    Move move;
    int lower, upper;
    std::uint64_t nodes = 0;
};

constexpr int outcome_of(int score) { return (score > 0) - (score < 0); }

// Throws std::invalid_argument if a solver cannot run with these options.
template <class Options>
const Options& checked_solver_options(const Options& options) {
    if (options.memory_mb < 1 || options.memory_mb > 1 << 20)
        throw std::invalid_argument("memory_mb must be 1 to 1048576");
    if (options.lines < 1) throw std::invalid_argument("lines must be at least 1");
    return options;
}

// In the result, `proven` means that the value is exact, or with `outcome_only` that the outcome is. If a limit ends
// the search first, the value of a move is the middle of its bounds, and the move with the best proven outcome comes
// first.
template <class Endings>
class ExactSolver : public Search<typename Endings::State> {
public:
    using State = typename Endings::State;
    using Options = typename Endings::Options;
    using typename Search<State>::SearchResult;
    using typename Search<State>::Watch;

    explicit ExactSolver(const Options& options);
    ~ExactSolver() override;

    SearchResult run(const State& root, const Limits& limits, const Poll& poll, const Watch& watch) override;
    void forget() override;

private:
    Options options_;
    std::unique_ptr<typename Endings::Memory> memory_;
};

// The search of one root: narrows the bounds on each move's score, question by question.
template <class Endings>
class ExactQuestions {
public:
    using State = typename Endings::State;
    using Root = typename Endings::Root;
    using RootMove = typename Root::Move;
    using SearchResult = joute::SearchResult<typename State::Move>;

    ExactQuestions(Root root, const typename Endings::Options& options, Effort& effort)
        : root_(std::move(root)), options_(options), effort_(effort), moves_(root_.moves()) {}

    // Asks until the best `lines` moves are solved. Calls tell() after each answer.
    template <class Tell>
    void ask_all(const Tell& tell) {
        const auto lines = std::min(moves_.size(), static_cast<std::size_t>(options_.lines));
        for (; solved_ < lines; ++solved_) {
            while (!is_settled()) {
                held_ = ask(root_.next_question(lower(), upper(), held_));
                tell();
            }
            bring_forward(best());
        }
    }

    SearchResult result() const {
        SearchResult result;
        for (const RootMove& move : moves_) {
            const int one = sign() * outcome_of(move.lower), other = sign() * outcome_of(move.upper);
            result.moves.push_back({.move = move.move,
                                    .value = root_.value(move),
                                    .is_exact = move.lower == move.upper,
                                    .visits = move.nodes,
                                    .lower = std::min(one, other),
                                    .upper = std::max(one, other),
                                    .line = {move.move}});
        }
        if (solved_ == 0) bring_best_known_forward(result);
        result.value = result.moves[0].value;
        result.proven = solved_ > 0;
        result.depth = result.proven ? root_.plies() : 0;
        result.nodes = effort_.nodes();
        return result;
    }

private:
    using Moves = std::vector<RootMove>;

    int sign() const { return root_.maximizes() ? 1 : -1; }
    std::ranges::subrange<typename Moves::iterator> rest() {
        return {moves_.begin() + static_cast<std::ptrdiff_t>(solved_), moves_.end()};
    }
    // The remaining move that the mover prefers by one of the bounds; the first of equals.
    typename Moves::iterator best_by(int ScoredMove<typename State::Move>::* bound) {
        return root_.maximizes() ? std::ranges::max_element(rest(), {}, bound)
                                 : std::ranges::min_element(rest(), {}, bound);
    }
    int lower() { return best_by(&RootMove::lower)->lower; }
    int upper() { return best_by(&RootMove::upper)->upper; }
    typename Moves::iterator best() { return best_by(root_.maximizes() ? &RootMove::lower : &RootMove::upper); }
    void bring_forward(typename Moves::iterator move) { std::rotate(rest().begin(), move, move + 1); }

    bool is_settled() {
        if (lower() == upper()) return true;
        return options_.outcome_only && outcome_of(lower()) == outcome_of(upper());
    }

    // Whether the best score of the remaining moves is at least `least`. One move may decide: a maximizing mover needs
    // a move that reaches `least`, a minimizing mover a move that stays below.
    bool ask(int least) {
        for (auto move = rest().begin(); move != rest().end(); ++move) {
            if (root_.maximizes() ? move->upper < least : move->lower >= least) continue;
            if (move->lower < least && move->upper >= least) ask(*move, least);
            if ((move->lower >= least) != root_.maximizes()) continue;
            bring_forward(move);
            return root_.maximizes();
        }
        return !root_.maximizes();
    }
    void ask(RootMove& move, int least) {
        const std::uint64_t before = effort_.nodes();
        effort_.enter();
        root_.ask(move, least, effort_);
        move.nodes += effort_.nodes() - before;
    }

    // Without a solved move: sorts by the proven lower bound on the outcome, then by value.
    static void bring_best_known_forward(SearchResult& result) {
        std::ranges::stable_sort(result.moves, [](const auto& a, const auto& b) {
            return std::pair(a.lower, a.value) > std::pair(b.lower, b.value);
        });
    }

    Root root_;
    const typename Endings::Options& options_;
    Effort& effort_;
    Moves moves_;
    std::size_t solved_ = 0;    // number of solved moves, which come first in moves_, best first
    std::optional<bool> held_;  // the last answer
};

template <class Endings>
ExactSolver<Endings>::ExactSolver(const Options& options) : options_(checked_solver_options(options)) {
    forget();
}

template <class Endings>
ExactSolver<Endings>::~ExactSolver() = default;

template <class Endings>
void ExactSolver<Endings>::forget() {
    memory_ = std::make_unique<typename Endings::Memory>(static_cast<std::size_t>(options_.memory_mb) << 20);
}

template <class Endings>
typename ExactSolver<Endings>::SearchResult ExactSolver<Endings>::run(const State& root, const Limits& limits,
                                                                      const Poll& poll, const Watch& watch) {
    Watchdog watchdog(limits, poll);
    Effort effort(limits, watchdog);
    ExactQuestions<Endings> questions(typename Endings::Root(root, options_, *memory_), options_, effort);
    double told_at = 0;
    try {
        questions.ask_all([&] {
            if (!watch || watchdog.seconds() < told_at + 0.1) return;
            watch(questions.result());
            told_at = watchdog.seconds();
        });
    } catch (const Stopped&) {
    }
    return questions.result();
}

}  // namespace joute
