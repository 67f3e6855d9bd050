#include "avalam_solver.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "../huge_array.hpp"
#include "avalam_live.hpp"

namespace joute {

using namespace avalam_live;

namespace {

constexpr int tower = 16;       // what a tower of the margin is worth in a score
constexpr int most_fives = 15;  // more than there can be
constexpr int most_margin = 48;
constexpr int beyond = 100;  // fives where towers decide

// A score that is proven to lie between two numbers.
struct Bounds {
    int lower = -tower * most_margin, upper = tower * most_margin;
};

std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    return x ^ x >> 32;
}

std::uint64_t key_of(const Position& position) {
    std::uint64_t key = mix(position.own + 0x9e3779b97f4a7c15);
    for (const Cells cells : position.height) key = mix(key ^ cells) * 0x9e3779b97f4a7c15;
    return key;
}

struct LiveMove {
    Cells from, to;
    int promise;
};

}  // namespace

class AvalamSolver::Prover {
public:
    explicit Prover(int memory_mb) {
        std::size_t buckets = 1;
        while (2 * buckets * sizeof(Bucket) <= static_cast<std::size_t>(memory_mb) << 20) buckets *= 2;
        table_ = HugeArray<Bucket>(buckets);
    }

    void begin(const Limits& limits, Watchdog& watchdog) {
        watchdog_ = &watchdog;
        most_nodes_ = limits.nodes;
        nodes_ = 0;
        stopped_ = false;
    }
    std::uint64_t nodes() const { return nodes_; }
    bool stopped() const { return stopped_; }
    void count_node() {
        ++nodes_;
        if (nodes_ >= most_nodes_ || watchdog_->must_stop()) stopped_ = true;
    }

    // A bound of what the margin still changes for the mover, on the side of `need` where it lies.
    int margin_gain(const Position& position, int need) { return search<false>(position, 0, need); }
    // The same of the fives; `margin` is what the towers are now. `beyond` either way where towers decide.
    int fives_gain(const Position& position, int margin, int need) { return search<true>(position, margin, need); }

    std::uint64_t nodes_ = 0;

private:
    struct Entry {
        std::uint64_t key = 0;
        std::int8_t lower = 0, upper = 0;
        std::uint8_t size = 0;
        std::uint8_t from = 0, to = 0;
    };
    struct Bucket {
        std::array<Entry, 4> entries;
    };

    template <bool Fives>
    int search(const Position& position, int margin, int need) {
        const Cells all = position.all();
        if (!all) {
            if (!Fives) return 0;
            return margin > 0 ? beyond : margin < 0 ? -beyond : 0;
        }
        const int size = std::popcount(all);
        const int own_towers = std::popcount(position.own);
        int lower = Fives ? -beyond : -own_towers, upper = Fives ? beyond : size - own_towers;
        if (Fives) {
            if (margin - own_towers > 0) return beyond;
            if (margin + size - own_towers < 0) return -beyond;
        }
        if (lower >= need) return lower;
        if (upper < need) return upper;

        const std::uint64_t key =
            Fives ? key_of(position) + mix(static_cast<std::uint64_t>(margin + 1000)) : key_of(position);
        Bucket& bucket = table_[key & (table_.size() - 1)];
        Entry* found = nullptr;
        for (Entry& entry : bucket.entries)
            if (entry.key == key && entry.size) found = &entry;
        Cells best_from = 0, best_to = 0;
        if (found) {
            lower = std::max<int>(lower, found->lower);
            upper = std::min<int>(upper, found->upper);
            if (lower >= need) return lower;
            if (upper < need) return upper;
            best_from = Cells{1} << found->from;
            best_to = Cells{1} << found->to;
        }

        std::array<LiveMove, 512> moves;
        int count = 0;
        for (int h = 1; h <= 4; ++h) {
            const Cells partners = position.low_enough(h);
            for (Cells rest = position.height[static_cast<std::size_t>(h - 1)]; rest; rest &= rest - 1) {
                const Cells from = rest & -rest;
                for (Cells targets = neighbours(from) & partners; targets; targets &= targets - 1) {
                    const Cells to = targets & -targets;
                    int promise = position.own & to ? 0 : 1 << 20;
                    if (from == best_from && to == best_to) promise += 1 << 24;
                    promise += static_cast<int>(history_[static_cast<std::size_t>(std::countr_zero(from))]
                                                        [static_cast<std::size_t>(std::countr_zero(to))]);
                    moves[static_cast<std::size_t>(count++)] = {from, to, promise};
                }
            }
        }
        int best = -1000;
        for (int i = 0; i < count; ++i) {
            int pick = i;
            for (int j = i + 1; j < count; ++j)
                if (moves[static_cast<std::size_t>(j)].promise > moves[static_cast<std::size_t>(pick)].promise)
                    pick = j;
            std::swap(moves[static_cast<std::size_t>(i)], moves[static_cast<std::size_t>(pick)]);
            const LiveMove move = moves[static_cast<std::size_t>(i)];
            const int gain = position.own & move.to ? -1 : 1;
            int fives = 0;
            const Position next = after(position, move, fives);
            count_node();
            int value;
            if (Fives) {
                value = -search<true>(next, -(margin + gain), -(need - fives) + 1);
                if (value > -beyond && value < beyond) value += fives;
            } else {
                value = gain - search<false>(next, 0, -(need - gain) + 1);
            }
            if (stopped_) return best;
            best = std::max(best, value);
            if (best >= need) {
                best_from = move.from;
                best_to = move.to;
                auto& h = history_[static_cast<std::size_t>(std::countr_zero(move.from))]
                                  [static_cast<std::size_t>(std::countr_zero(move.to))];
                h += static_cast<std::uint32_t>(size);
                if (h > 1 << 18)
                    for (auto& row : history_)
                        for (auto& x : row) x /= 2;
                break;
            }
        }
        (best >= need ? lower : upper) = best;
        if (!found) {
            found = &bucket.entries[0];
            for (Entry& entry : bucket.entries)
                if (entry.size < found->size) found = &entry;
        }
        *found = {key,
                  static_cast<std::int8_t>(lower),
                  static_cast<std::int8_t>(upper),
                  static_cast<std::uint8_t>(size),
                  static_cast<std::uint8_t>(best_from ? std::countr_zero(best_from) : 0),
                  static_cast<std::uint8_t>(best_to ? std::countr_zero(best_to) : 0)};
        return best;
    }

public:
    static Position after(const Position& position, const LiveMove& move, int& fives) {
        const int carried = position.height_at(move.from), below = position.height_at(move.to);
        Position next = position;
        next.height[static_cast<std::size_t>(carried - 1)] &= ~move.from;
        next.height[static_cast<std::size_t>(below - 1)] &= ~move.to;
        const int h = carried + below;
        const bool own = position.own & move.from;
        if (h < 5) next.height[static_cast<std::size_t>(h - 1)] |= move.to;
        fives = h < 5 ? 0 : own ? 1 : -1;
        next.own = (position.own & ~(move.from | move.to)) | (own ? move.to : 0);
        next.drop_frozen();
        next.swap_sides();
        return next;
    }

private:
    Watchdog* watchdog_ = nullptr;
    std::uint64_t most_nodes_ = 0;
    bool stopped_ = false;
    HugeArray<Bucket> table_;
    std::array<std::array<std::uint32_t, 64>, 64> history_{};
};

namespace {

Position live_position(const Avalam& state) {
    Position position;
    for (int cell = 0; cell < AvalamRules::cells; ++cell) {
        const int h = state.height(cell);
        if (h == 0 || h == AvalamRules::max_height) continue;
        position.height[static_cast<std::size_t>(h - 1)] |= Cells{1} << bit_of(cell);
        if (state.towers_of(state.to_move()) >> cell & 1) position.own |= Cells{1} << bit_of(cell);
    }
    position.drop_frozen();
    return position;
}

struct RootMove {
    Avalam::Move move;
    Position next;
    int margin, fives;  // after it, for the mover of the root
    Bounds score;
    std::uint64_t nodes = 0;
};

constexpr int ceil_div(int a, int b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
constexpr int outcome_of(int score) { return (score > 0) - (score < 0); }

}  // namespace

AvalamSolver::AvalamSolver(const AvalamSolverOptions& options) : options_(options) {
    if (options.memory_mb < 1 || options.memory_mb > 1 << 20)
        throw std::invalid_argument("memory_mb must be 1 to 1048576");
    if (options.lines < 1) throw std::invalid_argument("lines must be at least 1");
    prover_ = std::make_unique<Prover>(options.memory_mb);
}

AvalamSolver::~AvalamSolver() = default;

void AvalamSolver::forget() { prover_ = std::make_unique<Prover>(options_.memory_mb); }

AvalamSolver::Report AvalamSolver::run(const Avalam& root, const Limits& limits, const Poll& poll, const Watch&) {
    Watchdog watchdog(limits, poll);
    Prover& prover = *prover_;
    prover.begin(limits, watchdog);
    const Player mover = root.to_move();
    std::vector<RootMove> moves;
    MoveList<Avalam> list;
    root.generate(list);
    for (const auto move : list) {
        Avalam next = root;
        next.play(move);
        const Cells fives = next.at_least(5);
        const Cells mine = next.towers_of(mover), theirs = next.towers_of(opponent(mover));
        moves.push_back({move,
                         live_position(next),
                         std::popcount(mine) - std::popcount(theirs),
                         std::popcount(fives & mine) - std::popcount(fives & theirs),
                         {}});
    }
    // Is the score of a move at least `least`?
    const auto test = [&](RootMove& move, int least) {
        const std::uint64_t before = prover.nodes();
        prover.count_node();
        if (prover.stopped()) return false;
        if (least <= -tower || least >= tower || least == -tower + 1) {
            const int margin = ceil_div(least, tower);
            // The opponent must be kept from gaining more than the difference.
            const int gain = -prover.margin_gain(move.next, -(margin - move.margin) + 1);
            if (!prover.stopped()) {
                const int found = move.margin + gain;
                if (found >= margin)
                    move.score.lower = std::max(move.score.lower, found == 0 ? -tower + 1 : tower * found);
                else
                    move.score.upper = std::min(move.score.upper, found == 0 ? tower - 1 : tower * found);
            }
        } else {
            const int gain = -prover.fives_gain(move.next, -move.margin, -(least - move.fives) + 1);
            if (!prover.stopped()) {
                const int found = gain >= beyond ? tower : gain <= -beyond ? -tower : move.fives + gain;
                if (found >= least)
                    move.score.lower = std::max(move.score.lower, found);
                else
                    move.score.upper = std::min(move.score.upper, found);
            }
        }
        move.nodes += prover.nodes() - before;
        return move.score.lower >= least;
    };

    std::size_t done = 0;
    const auto lines = std::min(moves.size(), static_cast<std::size_t>(options_.lines));
    for (; done < lines && !prover.stopped(); ++done) {
        int guess = moves[0].margin;
        for (;;) {
            Bounds best{-tower * most_margin, -tower * most_margin};
            for (std::size_t i = done; i < moves.size(); ++i) {
                best.lower = std::max(best.lower, moves[i].score.lower);
                best.upper = std::max(best.upper, moves[i].score.upper);
            }
            if (best.lower == best.upper) break;
            if (options_.outcome_only && outcome_of(best.lower) == outcome_of(best.upper)) break;
            int least = tower * guess;
            if (best.lower > -tower && best.upper < tower)
                least = best.lower >= 0 ? best.lower + 1 : best.upper <= 0 ? best.upper : 1;
            else {
                const int low = best.lower <= -tower  ? best.lower / tower
                                : best.lower >= tower ? best.lower / tower
                                                      : 0;
                const int high = best.upper / tower;
                if (guess <= low) guess = low + 1;
                if (guess > high) guess = high;
                if (options_.outcome_only) guess = best.upper >= tower ? 1 : 0;
                least = guess == 0 ? -tower + 1 : tower * guess;
            }
            std::size_t i = done;
            for (; i < moves.size(); ++i) {
                if (moves[i].score.upper < least) continue;
                if (moves[i].score.lower >= least || test(moves[i], least)) {
                    std::rotate(moves.begin() + static_cast<std::ptrdiff_t>(done),
                                moves.begin() + static_cast<std::ptrdiff_t>(i),
                                moves.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                    break;
                }
                if (prover.stopped()) break;
            }
            if (prover.stopped()) break;
        }
        if (prover.stopped()) break;
        const auto best =
            std::max_element(moves.begin() + static_cast<std::ptrdiff_t>(done), moves.end(),
                             [](const RootMove& a, const RootMove& b) { return a.score.lower < b.score.lower; });
        std::rotate(moves.begin() + static_cast<std::ptrdiff_t>(done), best, best + 1);
    }

    Report report;
    for (const RootMove& move : moves) {
        MoveReport<Avalam::Move> found;
        found.move = move.move;
        found.value = (move.score.lower + move.score.upper) / 2.0;
        found.is_exact = move.score.lower == move.score.upper;
        found.visits = move.nodes;
        found.lower = outcome_of(move.score.lower);
        found.upper = outcome_of(move.score.upper);
        found.line = {move.move};
        report.moves.push_back(found);
    }
    report.value = report.moves[0].value;
    report.proven = done > 0;
    report.nodes = prover.nodes();
    report.depth = 0;
    return report;
}

}  // namespace joute
