#include "solver.hpp"

#include <algorithm>
#include <vector>

#include "prover.hpp"

namespace joute {

using namespace divercite_live;

namespace {

using TieBreak = DiverciteRules::TieBreak;

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

}  // namespace

class DiverciteEndings::Memory {
public:
    explicit Memory(std::size_t bytes) : table(bytes) {}
    Prover& operator[](Aim aim) { return provers[static_cast<std::size_t>(aim)]; }

    Proofs table;
    std::array<Prover, 3> provers{Prover(table, Aim::points), Prover(table, Aim::ladder),
                                  Prover(table, Aim::twos_or_two)};
};

// Scores are White's, whoever moves.
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

    // What points are sure and possible after a move bounds its score at once.
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

    // From the guess on, one score after another.
    int next_question(int low, int high, std::optional<bool> held) {
        if (options_.outcome_only) return question_of_outcome(low, high);
        if (held) threshold_ = *held ? scale_.above(low) : high;
        threshold_ = std::clamp(threshold_, scale_.above(low), high);
        // Whether White is ahead in points is the easier question, and may answer the harder one.
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
