#pragma once

// Solves a position exactly: the driver of a game's prover.
//
// A prover answers one kind of question: "is the score after this move at least v?" The driver keeps bounds of the
// score of each root move, lets the game choose the next v, and asks about one move after another until the best score
// is known. Then it goes on with the moves that are left, for as many lines as are wanted.
//
// A game brings a type `Endings` with
//
//     State, Options     the options have memory_mb, outcome_only and lines
//     Memory             what is kept from one search to the next, made from a number of bytes
//     Root               one position, made from (const State&, const Options&, Memory&), with
//         Move               a ScoredMove<State::Move>, or more
//         moves()            the root moves in the order in which to ask about them, bounds included
//         maximizes()        whether the mover takes the highest score, not the lowest
//         next_question(lower, upper, held)
//                            the next v, above `lower` and at most `upper`, the bounds of the best score that is left;
//                            `held` is the last answer, none before the first
//         ask(move, v, effort)
//                            raises move.lower to v at least, or lowers move.upper below v; throws Stopped at a limit
//         value(move)        what is reported of a move, for the mover: the middle of its bounds
//         plies()            how long the game may still last
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

// A root move and the bounds of its score, in the game's own unit and view.
template <class Move>
struct ScoredMove {
    Move move;
    int lower, upper;
    std::uint64_t nodes = 0;
};

constexpr int outcome_of(int score) { return (score > 0) - (score < 0); }

// Throws std::invalid_argument where a solver cannot run with its options.
template <class Options>
const Options& checked_solver_options(const Options& options) {
    if (options.memory_mb < 1 || options.memory_mb > 1 << 20)
        throw std::invalid_argument("memory_mb must be 1 to 1048576");
    if (options.lines < 1) throw std::invalid_argument("lines must be at least 1");
    return options;
}

// `proven` says that the value is exact; with `outcome_only`, that the outcome is. Where a limit ends the search first,
// the value of a move is the middle of what it is proven to lie between, and the best of these comes first.
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

// The search of one root: bounds of each move's score, narrowed question by question.
template <class Endings>
class ExactQuestions {
public:
    using State = typename Endings::State;
    using Root = typename Endings::Root;
    using RootMove = typename Root::Move;
    using SearchResult = joute::SearchResult<typename State::Move>;

    ExactQuestions(Root root, const typename Endings::Options& options, Effort& effort)
        : root_(std::move(root)), options_(options), effort_(effort), moves_(root_.moves()) {}

    // Asks until everything wanted is known, and calls tell() after each answer.
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
    // The move that the mover takes by one of the bounds; of equals the first.
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

    // Is the best score that is left at least that? One move answers: for who maximizes one that reaches it, for who
    // minimizes one that does not.
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

    // Where nothing is settled: what is proven to be worth most, then what may be.
    static void bring_best_known_forward(SearchResult& result) {
        std::ranges::stable_sort(result.moves, [](const auto& a, const auto& b) {
            return std::pair(a.lower, a.value) > std::pair(b.lower, b.value);
        });
    }

    Root root_;
    const typename Endings::Options& options_;
    Effort& effort_;
    Moves moves_;
    std::size_t solved_ = 0;    // moves at the front whose scores are known, best first
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
