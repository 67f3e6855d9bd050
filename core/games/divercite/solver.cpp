#include "solver.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <vector>

#include "prover.hpp"

namespace joute {

using namespace divercite_live;

namespace {

using TieBreak = DiverciteRules::TieBreak;

constexpr int outcome_of(int score) { return (score > 0) - (score < 0); }

// What is to be proven of White: that the final worth by this aim is at least that.
struct Goal {
    Aim aim;
    int need;
};

// The scores of Result, White's view: twice the margin or, where points are level and the handout's ladder decides, 1
// or -1. The course's program adds its tie-breaks to the margin: where points are level, White is a point behind (by
// Divercités, fours or threes), level (behind in twos), a point ahead, or two (ahead in twos).
struct Scale {
    TieBreak tie_break;

    // The scores that can be, one after another.
    int above(int score) const {
        if (tie_break != TieBreak::handout) return score + 2;
        return score == -2 || score == 1 ? score + 1 : score == -1 ? 1 : score + 2;
    }
    int below(int score) const { return -above(-score); }

    Goal at_least(int score) const {
        const int margin = score >= 0 ? score / 2 : -(-score / 2);
        if (tie_break == TieBreak::handout && score == 1) return {Aim::ladder, 0};
        if (tie_break == TieBreak::framework) {
            if (margin == 2) return {Aim::twos_or_two, 1};
            if (margin == 1) return {Aim::ladder, 0};
            if (margin == 0) return {Aim::ladder, -ladder::most_twos};
        }
        return {Aim::points, margin};
    }
    // The scores next above and below all that only a tie-break decides that are told by points alone.
    int ahead() const { return tie_break == TieBreak::framework ? 6 : 2; }
    int not_behind() const { return tie_break == TieBreak::framework ? -2 : -1; }
    // Where points are at least, and at most, so many.
    int least(int points) const {
        if (points != 0 || tie_break == TieBreak::official) return 2 * points;
        return tie_break == TieBreak::handout ? -1 : -2;
    }
    int most(int points) const {
        if (tie_break == TieBreak::framework && (points == 0 || points == 1)) return 4;
        return points == 0 && tie_break == TieBreak::handout ? 1 : 2 * points;
    }
};

struct RootMove {
    Divercite::Move move;
    int lower, upper;  // of the score, White's view
    std::uint64_t nodes = 0;
};

}  // namespace

class DiverciteSolver::Memory {
public:
    explicit Memory(std::size_t bytes) : table(bytes) {}
    Prover& operator[](Aim aim) { return provers[static_cast<std::size_t>(aim)]; }

    Proofs table;
    std::array<Prover, 3> provers{Prover(table, Aim::points), Prover(table, Aim::ladder),
                                  Prover(table, Aim::twos_or_two)};
};

// The search of one root: bounds of each move's score, narrowed question by question.
class DiverciteSolver::Questions {
public:
    Questions(const Divercite& root, const DiverciteSolverOptions& options, Memory& memory, Effort& effort)
        : options_(options),
          memory_(memory),
          effort_(effort),
          scale_{root.rules()->tie_break},
          by_points_(root, Cities::of(Measure::points)),
          by_ladder_(root, Cities::of(Measure::ladder)) {
        for (const auto move : memory[Aim::points].in_order(by_points_)) {
            Position next = by_points_;
            next.play(move, memory[Aim::points].cities());
            const Bounds bounds = bounds_of(next, memory[Aim::points].cities());
            moves_.push_back({move, scale_.least(bounds.lower), scale_.most(bounds.upper)});
        }
        threshold_ = scale_.least(memory[Aim::points].guess(by_points_));
    }

    // Asks until everything wanted is known, and calls tell() after each answer.
    template <class Tell>
    void ask_all(Tell tell) {
        const auto lines = std::min(moves_.size(), static_cast<std::size_t>(options_.lines));
        for (; solved_ < lines; ++solved_) {
            while (!is_settled()) {
                ask(next_threshold());
                tell();
            }
            bring_forward(best());
        }
    }

    Report report() const {
        Report report;
        const int sign = by_points_.sign();
        for (const RootMove& move : moves_) {
            MoveReport<Divercite::Move> found;
            found.move = move.move;
            found.value = sign * (move.lower + move.upper) / 4.0;
            found.is_exact = move.lower == move.upper;
            found.visits = move.nodes;
            found.lower = std::min(sign * outcome_of(move.lower), sign * outcome_of(move.upper));
            found.upper = std::max(sign * outcome_of(move.lower), sign * outcome_of(move.upper));
            found.line = {move.move};
            report.moves.push_back(std::move(found));
        }
        if (solved_ == 0) bring_best_known_forward(report);
        report.value = report.moves[0].value;
        report.proven = solved_ > 0;
        report.depth = report.proven ? by_points_.left : 0;
        report.nodes = effort_.nodes();
        return report;
    }

private:
    using Moves = std::vector<RootMove>;

    std::ranges::subrange<Moves::iterator> rest() {
        return {moves_.begin() + static_cast<std::ptrdiff_t>(solved_), moves_.end()};
    }
    bool is_white() const { return by_points_.mover == 0; }
    // Of the position, White's view: the mover takes the best.
    int lower() {
        return is_white() ? std::ranges::max_element(rest(), {}, &RootMove::lower)->lower
                          : std::ranges::min_element(rest(), {}, &RootMove::lower)->lower;
    }
    int upper() {
        return is_white() ? std::ranges::max_element(rest(), {}, &RootMove::upper)->upper
                          : std::ranges::min_element(rest(), {}, &RootMove::upper)->upper;
    }
    Moves::iterator best() {
        return is_white() ? std::ranges::max_element(rest(), {}, &RootMove::lower)
                          : std::ranges::min_element(rest(), {}, &RootMove::upper);
    }
    void bring_forward(Moves::iterator move) { std::rotate(rest().begin(), move, move + 1); }

    bool is_settled() {
        if (lower() == upper()) return true;
        return options_.outcome_only && outcome_of(lower()) == outcome_of(upper());
    }

    // From the guess on, one score after another.
    int next_threshold() {
        const int low = lower(), high = upper();
        if (options_.outcome_only) return threshold_for_outcome(low, high);
        if (has_asked_) threshold_ = held_ ? scale_.above(low) : high;
        has_asked_ = true;
        threshold_ = std::clamp(threshold_, scale_.above(low), high);
        // Whether White is ahead in points is the easier question, and may answer the harder one.
        if (scale_.at_least(threshold_).aim != Aim::points) {
            if (scale_.ahead() <= high) return scale_.ahead();
            if (scale_.not_behind() > low) return scale_.not_behind();
        }
        return threshold_;
    }
    int threshold_for_outcome(int low, int high) const {
        const int draw = scale_.tie_break == TieBreak::handout ? 1 : 0;
        return low >= draw ? scale_.above(draw) : std::min(draw, high);
    }

    // Is the score at least that?
    void ask(int threshold) {
        for (auto move = rest().begin(); move != rest().end(); ++move) {
            if (is_white() ? move->upper < threshold : move->lower >= threshold) continue;
            if (move->lower < threshold && move->upper >= threshold) ask(*move, threshold);
            held_ = move->lower >= threshold;
            if (held_ != is_white()) continue;
            bring_forward(move);
            return;
        }
        held_ = !is_white();
    }
    void ask(RootMove& move, int threshold) {
        const std::uint64_t before = effort_.nodes();
        effort_.enter();
        const Goal goal = scale_.at_least(threshold);
        Prover& prover = memory_[goal.aim];
        Position next = goal.aim == Aim::points ? by_points_ : by_ladder_;
        next.play(move.move, prover.cities());
        const int found = prover.worth(next, goal.need, effort_);
        const bool is_exact = goal.aim != Aim::points;
        if (found >= goal.need)
            move.lower = std::max(move.lower, is_exact ? threshold : scale_.least(found));
        else
            move.upper = std::min(move.upper, is_exact ? scale_.below(threshold) : scale_.most(found));
        move.nodes += effort_.nodes() - before;
    }

    // Where nothing is settled: what is proven to be worth most, then what may be.
    static void bring_best_known_forward(Report& report) {
        std::ranges::stable_sort(report.moves, [](const auto& a, const auto& b) {
            return std::pair(a.lower, a.value) > std::pair(b.lower, b.value);
        });
    }

    const DiverciteSolverOptions& options_;
    Memory& memory_;
    Effort& effort_;
    Scale scale_;
    Position by_points_, by_ladder_;
    int threshold_ = 0;
    bool has_asked_ = false, held_ = false;
    Moves moves_;
    std::size_t solved_ = 0;  // moves at the front whose scores are known, best first
};

DiverciteSolver::DiverciteSolver(const DiverciteSolverOptions& options) : options_(options) {
    if (options.memory_mb < 1 || options.memory_mb > 1 << 20)
        throw std::invalid_argument("memory_mb must be 1 to 1048576");
    if (options.lines < 1) throw std::invalid_argument("lines must be at least 1");
    forget();
}

DiverciteSolver::~DiverciteSolver() = default;

void DiverciteSolver::forget() {
    memory_ = std::make_unique<Memory>(static_cast<std::size_t>(options_.memory_mb) << 20);
}

DiverciteSolver::Report DiverciteSolver::run(const Divercite& root, const Limits& limits, const Poll& poll,
                                             const Watch& watch) {
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
