#include "solver.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <vector>

#include "prover.hpp"

namespace joute {

using namespace avalam_live;

namespace {

constexpr int tower = 16;          // of the margin, in a score: more than all fives
constexpr int lexical_tower = 32;  // where fives count beside towers: more than twice all fives
constexpr int most_margin = AvalamRules::cells;

constexpr int outcome_of(int score) { return (score > 0) - (score < 0); }
// The least and the most score at a margin.
constexpr int least_score(int margin) { return margin ? tower * margin : -tower + 1; }
constexpr int most_score(int margin) { return margin ? tower * margin : tower - 1; }
// The least margin at which a score is at least that.
constexpr int margin_for(int score) { return score >= 0 ? (score + tower - 1) / tower : -(-score / tower); }
// Of what the prover of fives says.
constexpr int score_of_lexical(int value) {
    return value >= lexical_tower / 2 ? tower : value <= -lexical_tower / 2 ? -tower : value;
}

struct RootMove {
    Avalam::Move move;
    Position next;                                                  // seen by the other side
    int margin, fives;                                              // after it, for the mover of the root
    int lower = -tower * most_margin, upper = tower * most_margin;  // of the score
    std::uint64_t nodes = 0;

    RootMove(const Avalam& root, Avalam::Move played) : move(played) {
        Avalam state = root;
        state.play(move);
        const auto mine = state.towers_of(root.to_move()), theirs = state.towers_of(opponent(root.to_move()));
        const auto high = state.at_least(AvalamRules::max_height);
        margin = std::popcount(mine) - std::popcount(theirs);
        fives = std::popcount(high & mine) - std::popcount(high & theirs);
        next = live_towers(state);
    }
    // What it takes counts thrice, what it leaves safe once.
    int promise() const { return 3 * margin - (std::popcount(next.others()) - std::popcount(next.own)); }
};

int most_plies(const Position& position) {
    int plies = 0;
    position.each_island([&](const Position& island) { plies += std::popcount(island.all()) - 1; });
    return plies;
}

}  // namespace

class AvalamSolver::Memory {
public:
    explicit Memory(std::size_t bytes)
        : table(bytes / 2),
          by_towers(table, {.tower = 1, .five = 0, .largest = 6, .salt = 0, .games_bytes = bytes / 4}),
          by_fives(table, {.tower = lexical_tower, .five = 1, .largest = 5, .salt = 1, .games_bytes = bytes / 4}) {}

    Proofs table;
    Prover by_towers, by_fives;
};

// The search of one root: bounds of each move's score, narrowed question by question.
class AvalamSolver::Questions {
public:
    Questions(const Avalam& root, const AvalamSolverOptions& options, Memory& memory, Effort& effort)
        : options_(options), memory_(memory), effort_(effort), plies_(most_plies(live_towers(root))) {
        MoveList<Avalam> moves;
        root.generate(moves);
        for (const auto move : moves) moves_.emplace_back(root, move);
        std::ranges::stable_sort(moves_, std::ranges::greater{}, &RootMove::promise);
        guess_ = moves_[0].margin;
    }

    // Asks until everything wanted is known, and calls tell() after each answer.
    template <class Tell>
    void ask_all(Tell tell) {
        const auto lines = std::min(moves_.size(), static_cast<std::size_t>(options_.lines));
        for (; solved_ < lines; ++solved_) {
            while (!is_settled()) {
                ask(next_question());
                tell();
            }
            bring_forward(std::ranges::max_element(rest(), {}, &RootMove::lower));
        }
    }

    Report report() const {
        Report report;
        for (const RootMove& move : moves_) {
            MoveReport<Avalam::Move> found;
            found.move = move.move;
            found.value = (move.lower + move.upper) / 2.0 * (options_.tower / tower);
            found.is_exact = move.lower == move.upper;
            found.visits = move.nodes;
            found.lower = outcome_of(move.lower);
            found.upper = outcome_of(move.upper);
            found.line = {move.move};
            report.moves.push_back(std::move(found));
        }
        if (solved_ == 0) bring_best_known_forward(report);
        report.value = report.moves[0].value;
        report.proven = solved_ > 0;
        report.depth = report.proven ? plies_ : 0;
        report.nodes = effort_.nodes();
        return report;
    }

private:
    using Moves = std::vector<RootMove>;

    std::ranges::subrange<Moves::iterator> rest() {
        return {moves_.begin() + static_cast<std::ptrdiff_t>(solved_), moves_.end()};
    }
    int lower() { return std::ranges::max_element(rest(), {}, &RootMove::lower)->lower; }
    int upper() { return std::ranges::max_element(rest(), {}, &RootMove::upper)->upper; }
    void bring_forward(Moves::iterator move) { std::rotate(rest().begin(), move, move + 1); }

    bool is_settled() {
        if (lower() == upper()) return true;
        return options_.outcome_only && outcome_of(lower()) == outcome_of(upper());
    }

    // Towers first, one margin after another from the guess on; fives once towers are known to be level.
    int next_question() {
        const int low = lower(), high = upper();
        if (low > -tower && high < tower) return low >= 0 ? low + 1 : high <= 0 ? high : 1;
        if (options_.outcome_only) guess_ = high >= tower ? 1 : 0;
        guess_ = std::clamp(guess_, low / tower + 1, high / tower);
        return least_score(guess_);
    }

    // Is there a move whose score is at least that?
    void ask(int least) {
        for (auto move = rest().begin(); move != rest().end(); ++move) {
            if (move->upper < least) continue;
            if (move->lower < least) ask(*move, least);
            if (move->lower < least) continue;
            bring_forward(move);
            return;
        }
    }
    void ask(RootMove& move, int least) {
        const std::uint64_t before = effort_.nodes();
        effort_.enter();
        int found = 0;
        bool holds = false;
        if (least > -tower + 1 && least < tower) {
            const int now = lexical_tower * move.margin + move.fives;
            const int value = now - memory_.by_fives.gain(move.next, now - least + 1, effort_);
            found = score_of_lexical(value);
            holds = value >= least;
        } else {
            const int needed = margin_for(least);
            const int margin = move.margin - memory_.by_towers.gain(move.next, move.margin - needed + 1, effort_);
            holds = margin >= needed;
            found = holds ? least_score(margin) : most_score(margin);
        }
        if (holds)
            move.lower = std::max(move.lower, found);
        else
            move.upper = std::min(move.upper, found);
        move.nodes += effort_.nodes() - before;
    }

    // Where nothing is settled: what is proven to be worth most, then what may be.
    static void bring_best_known_forward(Report& report) {
        std::ranges::stable_sort(report.moves, [](const auto& a, const auto& b) {
            return std::pair(a.lower, a.value) > std::pair(b.lower, b.value);
        });
    }

    const AvalamSolverOptions& options_;
    Memory& memory_;
    Effort& effort_;
    int plies_;
    int guess_ = 0;  // of the margin
    Moves moves_;
    std::size_t solved_ = 0;  // moves at the front whose scores are known, best first
};

AvalamSolver::AvalamSolver(const AvalamSolverOptions& options) : options_(options) {
    if (options.memory_mb < 1 || options.memory_mb > 1 << 20)
        throw std::invalid_argument("memory_mb must be 1 to 1048576");
    if (options.lines < 1) throw std::invalid_argument("lines must be at least 1");
    forget();
}

AvalamSolver::~AvalamSolver() = default;

void AvalamSolver::forget() { memory_ = std::make_unique<Memory>(static_cast<std::size_t>(options_.memory_mb) << 20); }

AvalamSolver::Report AvalamSolver::run(const Avalam& root, const Limits& limits, const Poll& poll, const Watch& watch) {
    Watchdog watchdog(limits, poll);
    Effort effort(limits, watchdog);
    Questions questions(root, options_, *memory_, effort);
    double told_at = 0;
    try {
        questions.ask_all([&] {
            if (!watch || watchdog.seconds() < told_at + 0.1) return;
            watch(questions.report());
            told_at = watchdog.seconds();
        });
    } catch (const Stopped&) {
    }
    return questions.report();
}

}  // namespace joute
