#include "solver.hpp"

#include <algorithm>
#include <vector>

#include "prover.hpp"

namespace joute {

using namespace avalam_live;

namespace {

constexpr int tower = 16;          // score per tower of the margin; more than all fives
constexpr int lexical_tower = 32;  // value of a tower where fives count too; more than twice all fives
constexpr int most_margin = AvalamRules::cells;

// The lowest and the highest score with a given margin.
constexpr int least_score(int margin) { return margin ? tower * margin : -tower + 1; }
constexpr int most_score(int margin) { return margin ? tower * margin : tower - 1; }
// The lowest margin whose score can reach `score`.
constexpr int margin_for(int score) { return score >= 0 ? (score + tower - 1) / tower : -(-score / tower); }
// Converts a value of the prover that counts fives.
constexpr int score_of_lexical(int value) {
    return value >= lexical_tower / 2 ? tower : value <= -lexical_tower / 2 ? -tower : value;
}

struct RootMove : ScoredMove<Avalam::Move> {
    Position next;      // from the view of the other side
    int margin, fives;  // after the move, for the mover at the root

    RootMove(const Avalam& root, Avalam::Move played)
        : ScoredMove<Avalam::Move>{played, -tower * most_margin, tower * most_margin} {
        Avalam state = root;
        state.play(move);
        const auto mine = state.towers_of(root.to_move()), theirs = state.towers_of(opponent(root.to_move()));
        const auto high = state.at_least(AvalamRules::max_height);
        margin = std::popcount(mine) - std::popcount(theirs);
        fives = std::popcount(high & mine) - std::popcount(high & theirs);
        next = live_towers(state);
    }
    // Towers taken count three times, towers made safe once.
    int ordering_score() const { return 3 * margin - (std::popcount(next.others()) - std::popcount(next.own)); }
};

int most_plies(const Position& position) {
    int plies = 0;
    position.each_island([&](const Position& island) { plies += std::popcount(island.all()) - 1; });
    return plies;
}

}  // namespace

class AvalamEndings::Memory {
public:
    explicit Memory(std::size_t bytes)
        : table(bytes / 2),
          by_towers(table, {.tower = 1, .five = 0, .largest = 6, .salt = 0, .games_bytes = bytes / 4}),
          by_fives(table, {.tower = lexical_tower, .five = 1, .largest = 5, .salt = 1, .games_bytes = bytes / 4}) {}

    Proofs table;
    Prover by_towers, by_fives;
};

// The root of the search. Scores are for the mover, who maximizes.
class AvalamEndings::Root {
public:
    using Move = RootMove;

    Root(const Avalam& root, const AvalamSolverOptions& options, Memory& memory)
        : options_(options), memory_(memory), plies_(most_plies(live_towers(root))) {
        MoveList<Avalam> moves;
        root.generate(moves);
        for (const auto move : moves) moves_.emplace_back(root, move);
        std::ranges::stable_sort(moves_, std::ranges::greater{}, &RootMove::ordering_score);
        guess_ = moves_[0].margin;
    }

    const std::vector<RootMove>& moves() const { return moves_; }
    static constexpr bool maximizes() { return true; }
    int plies() const { return plies_; }
    double value(const RootMove& move) const { return (move.lower + move.upper) / 2.0 * (options_.tower / tower); }

    // First searches for the margin in towers, starting at the guess; then for the fives, once the towers are known to
    // be equal.
    int next_question(int low, int high, std::optional<bool> /*held*/) {
        if (low > -tower && high < tower) return low >= 0 ? low + 1 : high <= 0 ? high : 1;
        if (options_.outcome_only) guess_ = high >= tower ? 1 : 0;
        guess_ = std::clamp(guess_, low / tower + 1, high / tower);
        return least_score(guess_);
    }

    void ask(RootMove& move, int least, Effort& effort) const {
        int found = 0;
        bool holds = false;
        if (least > -tower + 1 && least < tower) {
            const int now = lexical_tower * move.margin + move.fives;
            const int value = now - memory_.by_fives.gain(move.next, now - least + 1, effort);
            found = score_of_lexical(value);
            holds = value >= least;
        } else {
            const int needed = margin_for(least);
            const int margin = move.margin - memory_.by_towers.gain(move.next, move.margin - needed + 1, effort);
            holds = margin >= needed;
            found = holds ? least_score(margin) : most_score(margin);
        }
        if (holds)
            move.lower = std::max(move.lower, found);
        else
            move.upper = std::min(move.upper, found);
    }

private:
    const AvalamSolverOptions& options_;
    Memory& memory_;
    int plies_;
    int guess_ = 0;  // of the margin
    std::vector<RootMove> moves_;
};

template class ExactSolver<AvalamEndings>;

}  // namespace joute
