#include "solver.hpp"

#include <algorithm>
#include <vector>

#include "prover.hpp"

namespace joute {

using namespace divercite_live;

namespace {

using TieBreak = DiverciteRules::TieBreak;

// A claim about White: the final value by this aim is at least `need`.
struct Goal {
    Aim aim;
    int need;
};

// The scores of Result, from White's view: twice the margin, or 1 or -1 if points are equal and the handout's ladder
// decides. The course's program adds its tie-break to the margin: with equal points, White is a point behind (by
// Divercités, fours or threes), level (behind in twos), a point ahead, or two points ahead (ahead in twos).
struct Scale {
    TieBreak tie_break;

    // The next higher possible score.
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
    // The thresholds next above and next below the scores that only a tie-break decides. Points alone answer both.
    int ahead() const { return tie_break == TieBreak::framework ? 6 : 2; }
    int not_behind() const { return tie_break == TieBreak::framework ? -2 : -1; }
    // The lowest and the highest score with so many points of margin.
    int least(int points) const {
        if (points != 0 || tie_break == TieBreak::official) return 2 * points;
        return tie_break == TieBreak::handout ? -1 : -2;
    }
    int most(int points) const {
        if (tie_break == TieBreak::framework && (points == 0 || points == 1)) return 4;
        return points == 0 && tie_break == TieBreak::handout ? 1 : 2 * points;
    }
};

}  // namespace

class DiverciteEndings::Memory {
public:
    explicit Memory(std::size_t bytes) : table(bytes) {}
    Prover& operator[](Aim aim) { return provers[static_cast<std::size_t>(aim)]; }

    Proofs table;
    std::array<Prover, 3> provers{Prover(table, Aim::points), Prover(table, Aim::ladder),
                                  Prover(table, Aim::twos_or_two)};
};

// The root of the search. Scores are White's, whichever side moves.
class DiverciteEndings::Root {
public:
    using Move = ScoredMove<Divercite::Move>;

    Root(const Divercite& root, const DiverciteSolverOptions& options, Memory& memory)
        : options_(options),
          memory_(memory),
          scale_{root.rules()->tie_break},
          by_points_(root, Cities::of(Measure::points)),
          by_ladder_(root, Cities::of(Measure::ladder)),
          threshold_(scale_.least(memory[Aim::points].guess(by_points_))) {}

    // Bounds of the points after a move give the first bounds of its score.
    std::vector<Move> moves() const {
        std::vector<Move> moves;
        for (const auto move : memory_[Aim::points].in_order(by_points_)) {
            Position next = by_points_;
            next.play(move, memory_[Aim::points].cities());
            const Bounds bounds = bounds_of(next, memory_[Aim::points].cities());
            moves.push_back({move, scale_.least(bounds.lower), scale_.most(bounds.upper)});
        }
        return moves;
    }
    bool maximizes() const { return by_points_.mover == 0; }
    int plies() const { return by_points_.left; }
    double value(const Move& move) const { return by_points_.sign() * (move.lower + move.upper) / 4.0; }

    // Tries one threshold after another, starting at the guess.
    int next_question(int low, int high, std::optional<bool> held) {
        if (options_.outcome_only) return question_of_outcome(low, high);
        if (held) threshold_ = *held ? scale_.above(low) : high;
        threshold_ = std::clamp(threshold_, scale_.above(low), high);
        // Asking for the lead in points is easier than asking for the tie-break, and may make the harder question
        // unnecessary.
        if (scale_.at_least(threshold_).aim != Aim::points) {
            if (scale_.ahead() <= high) return scale_.ahead();
            if (scale_.not_behind() > low) return scale_.not_behind();
        }
        return threshold_;
    }

    void ask(Move& move, int threshold, Effort& effort) const {
        const Goal goal = scale_.at_least(threshold);
        Prover& prover = memory_[goal.aim];
        Position next = goal.aim == Aim::points ? by_points_ : by_ladder_;
        next.play(move.move, prover.cities());
        const int found = prover.worth(next, goal.need, effort);
        const bool is_exact = goal.aim != Aim::points;
        if (found >= goal.need)
            move.lower = std::max(move.lower, is_exact ? threshold : scale_.least(found));
        else
            move.upper = std::min(move.upper, is_exact ? scale_.below(threshold) : scale_.most(found));
    }

private:
    int question_of_outcome(int low, int high) const {
        const int draw = scale_.tie_break == TieBreak::handout ? 1 : 0;
        return low >= draw ? scale_.above(draw) : std::min(draw, high);
    }

    const DiverciteSolverOptions& options_;
    Memory& memory_;
    Scale scale_;
    Position by_points_, by_ladder_;
    int threshold_;
};

template class ExactSolver<DiverciteEndings>;

}  // namespace joute
