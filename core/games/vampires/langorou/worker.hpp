#pragma once

// One search of one position by Langorou: root turns, recursion, battles, horizon.

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "../../../search/alphabeta/star.hpp"
#include "../../../search/limits.hpp"
#include "battles.hpp"
#include "table.hpp"
#include "turns.hpp"

namespace joute {

class LangorouWorker {
public:
    // The largest depth of a search, without quiescence.
    static constexpr int most_depth = 60;

    struct RootTurn {
        VampiresTurn turn;
        std::size_t index;  // in the generated list
        double value = -std::numeric_limits<double>::infinity();
        bool is_exact = false;
        std::uint64_t nodes = 0;
        std::vector<VampiresTurn> line;
    };

    LangorouWorker(const LangorouOptions& options, LangorouBattles& battles, LangorouHeuristic& heuristic,
                   const Vampires& root, const Limits& limits, Watchdog& watchdog)
        : options_(options),
          scale_(options),
          battles_(battles),
          heuristic_(heuristic),
          root_state_(root),
          turns_(root, options),
          node_limit_(limits.nodes),
          watchdog_(watchdog) {
        if (keeps_values()) values_.make_room();
        frame(0).board.set_up(root, options);
        turns_.list(frame(0).board, frame(0).turns);
        for (const VampiresTurn& turn : frame(0).turns)
            if (root.is_legal(turn)) root_.push_back({.turn = turn, .index = root_.size(), .line = {turn}});
    }

    // Searches the root to a depth; throws Stopped at a limit. Depth 1 ignores the node limit.
    void iterate(int depth) {
        limits_nodes_ = depth > 1;
        saw_horizon_ = false;
        // Restores the generated order after the best turn, as at all other positions.
        std::sort(root_.begin() + (has_table() && depth > 1 ? 1 : 0), root_.end(),
                  [](const RootTurn& a, const RootTurn& b) { return a.index < b.index; });
        for (std::ptrdiff_t first = 0; first < lines(); ++first) {
            const auto best =
                root_.begin() + static_cast<std::ptrdiff_t>(search_root(static_cast<std::size_t>(first), depth));
            std::rotate(root_.begin() + first, best, best + 1);
        }
        sort_by_value(lines());
    }
    // Orders the turns if not even depth 1 was completed.
    void sort_unfinished() { sort_by_value(0); }

    // The turns with an exact value first, best first; then the others, which have only a bound.
    const std::vector<RootTurn>& root() const { return root_; }
    // Whether the search reached the horizon, so that a deeper search would see more.
    bool saw_horizon() const { return saw_horizon_; }
    std::uint64_t nodes() const { return nodes_; }
    const LangorouTable& table() const { return table_; }

private:
    using Windows = LangorouOptions::Windows;
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr int most_captures = 4;  // plies of quiescence search

    // A position on the current line, after a turn or after a battle.
    struct Frame {
        LangorouBoard board;
        MoveList<Vampires> turns;
        LangorouArrivals arrivals;  // of the turn being searched
        std::vector<VampiresTurn> line;
        Expectation<VampiresBattle::max_outcomes> expectation;
    };

    Frame& frame(std::size_t level) {
        while (frames_.size() <= level) frames_.push_back(std::make_unique<Frame>());
        return *frames_[level];
    }

    void sort_by_value(std::ptrdiff_t first) {
        std::sort(root_.begin() + first, root_.end(), [](const RootTurn& a, const RootTurn& b) {
            return a.value != b.value ? a.value > b.value : a.index < b.index;
        });
    }
    std::ptrdiff_t lines() const { return std::min<std::ptrdiff_t>(std::ssize(root_), options_.lines); }
    bool is_own(const LangorouBoard& board) const { return board.mover() == LangorouSide::own; }
    // Whether the mover prefers `value` to `best`; both are for the root side. The paper's program takes the last of
    // equal values, even if it is only a bound.
    bool is_better(bool for_own, double best, double value) const {
        if (options_.windows == Windows::shared) return for_own ? value >= best : value <= best;
        return for_own ? value > best : value < best;
    }

    std::size_t search_root(std::size_t first, int depth) {
        double alpha = -infinity, best_value = -infinity;
        std::size_t best = first;
        for (std::size_t i = first; i < root_.size(); ++i) {
            RootTurn& found = root_[i];
            const std::uint64_t before = nodes_;
            const double value = after(0, found.turn, depth - 1, alpha, infinity);
            found.nodes += nodes_ - before;
            found.value = value;
            found.is_exact = value > alpha;
            found.line.assign(1, found.turn);
            if (!is_better(true, best_value, value)) continue;
            best_value = value;
            best = i;
            alpha = std::max(alpha, value);
            const auto& line = frame(1).line;
            found.line.insert(found.line.end(), line.begin(), line.end());
        }
        root_[best].is_exact = true;
        return best;
    }

    // The value, for the root side, of a frame's position in which a player is to move.
    double decide(std::size_t level, int depth, double alpha, double beta) {
        Frame& here = frame(level);
        here.line.clear();
        if (watchdog_.must_stop()) throw Stopped{};
        if (const auto end = end_value(here.board)) return *end;
        if (!keeps_values()) return search(level, depth, alpha, beta);
        const std::uint64_t key = value_key(here.board, depth);
        if (const auto known = values_.find(key, alpha, beta)) {
            saw_horizon_ = true;  // the search behind the value may have
            return *known;
        }
        const double value = search(level, depth, alpha, beta);
        values_.store(key, value, alpha, beta);
        return value;
    }

    // The value of an unfinished game, without the stored values of this position.
    double search(std::size_t level, int depth, double alpha, double beta) {
        Frame& here = frame(level);
        if (depth == 0) {
            saw_horizon_ = true;
            return horizon_value(level, most_captures, alpha, beta);
        }
        turns_.list(here.board, here.turns);
        if (has_table()) order(here);
        const bool for_own = is_own(here.board);
        double best = for_own ? -infinity : infinity;
        std::size_t best_turn = 0;
        for (std::size_t i = 0; i < here.turns.size(); ++i) {
            const double value = after(level, here.turns[i], depth - 1, alpha, beta);
            if (!is_better(for_own, best, value)) continue;
            best = value;
            best_turn = i;
            if (for_own ? best >= beta : best <= alpha) break;
            if (best > alpha && best < beta) lead(level, here.turns[i]);
            (for_own ? alpha : beta) = for_own ? std::max(alpha, best) : std::min(beta, best);
        }
        if (has_table()) table_.store(here.board.key(), here.turns[best_turn]);
        return best;
    }

    bool has_table() const { return options_.table != LangorouOptions::Table::no; }
    bool keeps_values() const { return options_.table == LangorouOptions::Table::values; }
    // The key of a position's value to a remaining depth. It leaves out the cumulative score, as the paper's cache did.
    // A search that knows the ply limit has values that also depend on the ply.
    std::uint64_t value_key(const LangorouBoard& board, int depth) const {
        const bool is_aware = options_.ply_limit == LangorouOptions::PlyLimit::aware;
        const int ply = is_aware ? board.plies() : 0;
        return mix64(board.key() + static_cast<std::uint64_t>((most_depth + 1) * ply + depth));
    }

    // Moves the best turn of the last iteration to the front.
    void order(Frame& here) {
        const auto code = table_.find(here.board.key());
        if (!code) return;
        for (VampiresTurn* turn = here.turns.begin(); turn != here.turns.end(); ++turn) {
            if (LangorouTable::code(*turn) != *code) continue;
            const VampiresTurn best = *turn;
            std::copy_backward(here.turns.begin(), turn, turn + 1);
            here.turns[0] = best;
            return;
        }
    }

    void lead(std::size_t level, const VampiresTurn& turn) {
        auto& line = frame(level).line;
        const auto& rest = frame(level + 1).line;
        line.assign(1, turn);
        line.insert(line.end(), rest.begin(), rest.end());
    }

    // The value of a turn in a frame's position.
    double after(std::size_t level, const VampiresTurn& turn, int depth, double alpha, double beta) {
        enter();
        Frame& here = frame(level);
        Frame& next = frame(level + 1);
        list_arrivals(turn, options_.merge, here.arrivals);
        next.board = here.board;
        next.board.depart(turn.orders());
        return arrive(level + 1, {here.arrivals.begin(), here.arrivals.size()}, depth, alpha, beta);
    }

    // The value of a frame's position after the remaining units have arrived.
    double arrive(std::size_t level, std::span<const LangorouArrival> arrivals, int depth, double alpha, double beta) {
        const auto rest = settle_certain(frame(level).board, arrivals);
        if (!rest.empty()) return expect(level, rest, depth, alpha, beta);
        frame(level).board.pass_on();
        return decide(level, depth, alpha, beta);
    }

    std::span<const LangorouOutcome> outcomes(const VampiresCell& defender, int attackers) {
        return battles_.outcomes(attackers, defender.count(), LangorouBoard::is_house(defender));
    }

    // Resolves arrivals up to the first random battle; returns that one and the rest.
    std::span<const LangorouArrival> settle_certain(LangorouBoard& board, std::span<const LangorouArrival> arrivals) {
        for (; !arrivals.empty(); arrivals = arrivals.subspan(1)) {
            const auto [place, count] = arrivals[0];
            const VampiresCell* defender = board.defender(place);
            if (!defender) {
                board.join(place, count);
                continue;
            }
            const auto possible = outcomes(*defender, count);
            if (possible.size() > 1) break;
            board.settle(place, possible[0].left);
        }
        return arrivals;
    }

    // The mean over the outcomes of the battle of the first arrival.
    double expect(std::size_t level, std::span<const LangorouArrival> arrivals, int depth, double alpha, double beta) {
        const LangorouBoard& board = frame(level).board;
        const auto [place, count] = arrivals[0];
        const auto possible = outcomes(*board.defender(place), count);
        const auto resolve = [&, place = place](std::size_t i) {
            frame(level + 1).board = board;
            frame(level + 1).board.settle(place, possible[i].left);
        };
        const auto value_of = [&](std::size_t i, double least, double most) {
            resolve(i);
            return arrive(level + 1, arrivals.subspan(1), depth, least, most);
        };
        double value = 0;
        if (options_.windows == Windows::shared) {
            for (std::size_t i = 0; i < possible.size(); ++i)
                value += possible[i].probability * value_of(i, alpha, beta);
        } else {
            FixedList<double, VampiresBattle::max_outcomes> probabilities;
            for (const LangorouOutcome& outcome : possible) probabilities.push_back(outcome.probability);
            value = expect_in_windows(level, probabilities, alpha, beta, value_of, [&](std::size_t i) {
                resolve(i);
                probe(level, i, arrivals.subspan(1), depth, alpha, beta);
            });
        }
        frame(level).line.clear();  // the line ends at a random battle
        return value;
    }

    // Star1, or Star2 if `look` may bound outcomes first.
    template <class ValueOf, class Look>
    double expect_in_windows(std::size_t level, const FixedList<double, VampiresBattle::max_outcomes>& probabilities,
                             double alpha, double beta, const ValueOf& value_of, const Look& look) {
        auto& expectation = frame(level).expectation;
        using Verdict = std::remove_reference_t<decltype(expectation)>::Verdict;
        expectation.start(probabilities, scale_.bound());
        for (std::size_t i = 0; options_.windows == Windows::star2 && i < probabilities.size(); ++i) {
            look(i);
            const auto verdict = expectation.verdict(alpha, beta);
            if (verdict != Verdict::undecided) return expectation.result(verdict, alpha, beta).value;
        }
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            if (!expectation.is_unknown(i)) continue;
            const auto window = expectation.window_of(i, alpha, beta);
            const auto verdict = expectation.learn(i, window, {value_of(i, window.alpha, window.beta), false});
            if (verdict != Verdict::undecided) return expectation.result(verdict, alpha, beta).value;
        }
        return expectation.result(Verdict::undecided, alpha, beta).value;
    }

    // Star2's probe of outcome i, whose position is in the next frame: one turn bounds the value for the side to move.
    void probe(std::size_t level, std::size_t i, std::span<const LangorouArrival> arrivals, int depth, double alpha,
               double beta) {
        auto& expectation = frame(level).expectation;
        Frame& next = frame(level + 1);
        if (!settle_certain(next.board, arrivals).empty()) return;
        next.board.pass_on();
        if (depth == 0 || end_value(next.board)) {
            expectation.know(i, {decide(level + 1, depth, -infinity, infinity), false});
            return;
        }
        turns_.list(next.board, next.turns);
        if (has_table()) order(next);
        const VampiresTurn turn = next.turns[0];
        const auto window = expectation.window_of(i, alpha, beta);
        const auto bounds = expectation.bounds_of(i);
        if (is_own(next.board))
            expectation.limit_below(i, {after(level + 1, turn, depth - 1, bounds.alpha, window.beta), false});
        else
            expectation.limit_above(i, {after(level + 1, turn, depth - 1, window.alpha, bounds.beta), false});
    }

    // The value of a position in which the game is over.
    std::optional<double> end_value(const LangorouBoard& board) const {
        const bool own_gone = board.is_extinct(LangorouSide::own), enemy_gone = board.is_extinct(LangorouSide::enemy);
        const bool is_aware = options_.ply_limit == LangorouOptions::PlyLimit::aware;
        const bool is_last = is_aware && root_state_.ply() + board.plies() >= root_state_.rules()->ply_limit();
        if (!own_gone && !enemy_gone && !is_last) return std::nullopt;
        int outcome = own_gone ? -1 : 1;
        if (is_aware && own_gone && enemy_gone) {
            outcome = outcome_of_both_extinct();
        } else if (!own_gone && !enemy_gone) {
            const int lead = board.units(LangorouSide::own) - board.units(LangorouSide::enemy);
            outcome = (lead > 0) - (lead < 0);
        }
        if (outcome == 0) return LangorouScale::draw;
        return outcome > 0 ? scale_.of_win(board.plies(), board.cumulative())
                           : scale_.of_loss(board.plies(), board.cumulative());
    }
    int outcome_of_both_extinct() const {
        if (root_state_.rules()->extinction_of_both_draws()) return 0;
        return root_state_.species(root_state_.to_move()) == VampiresKind::werewolves ? 1 : -1;
    }

    // The heuristic; with quiescence, the mover may first make its certain captures, then the opponent, and so on.
    double horizon_value(std::size_t level, int captures, double alpha, double beta) {
        const LangorouBoard& board = frame(level).board;
        if (const auto end = end_value(board)) return *end;
        const double value =
            scale_.of_value(heuristic_.value(board.groups(LangorouSide::own), board.groups(LangorouSide::enemy),
                                             board.houses(), board.houses_key(), board.lead()),
                            board.cumulative());
        if (options_.quiescence == LangorouOptions::Quiescence::none || captures == 0) return value;
        const bool for_own = is_own(board);
        if (for_own ? value >= beta : value <= alpha) return value;
        VampiresTurn turn;
        const auto sure = [&](int attackers, const VampiresCell& defender) {
            return VampiresBattle{attackers, defender.count(), LangorouBoard::is_house(defender), battles_.rules()}
                .is_won();
        };
        if (!turns_.take_all(board, sure, turn)) return value;
        enter();
        list_arrivals(turn, LangorouOptions::Merge::target, frame(level).arrivals);
        LangorouBoard& next = frame(level + 1).board;
        next = board;
        next.depart(turn.orders());
        settle_certain(next, {frame(level).arrivals.begin(), frame(level).arrivals.size()});
        next.pass_on();
        const double taken = horizon_value(level + 1, captures - 1, for_own ? std::max(alpha, value) : alpha,
                                           for_own ? beta : std::min(beta, value));
        return for_own ? std::max(value, taken) : std::min(value, taken);
    }

    void enter() {
        if (limits_nodes_ && nodes_ >= node_limit_) throw Stopped{};
        ++nodes_;
    }

    const LangorouOptions& options_;
    LangorouScale scale_;
    LangorouBattles& battles_;
    LangorouHeuristic& heuristic_;
    const Vampires& root_state_;
    LangorouTurns turns_;
    LangorouTable table_;
    LangorouValues values_;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::vector<RootTurn> root_;
    std::uint64_t node_limit_, nodes_ = 0;
    Watchdog& watchdog_;
    bool limits_nodes_ = false, saw_horizon_ = false;
};

}  // namespace joute
