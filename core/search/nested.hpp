#pragma once

// Nested Monte Carlo Search (Cazenave, "Nested Monte-Carlo Search", IJCAI 2009) for two players, after
// Cazenave, Saffidine, Schofield and Thielscher, "Nested Monte Carlo Search for Two-Player Games",
// AAAI 2016.
//
// A level-0 game is a random playout. In a level-n game the player to move plays a level-(n-1) game after every legal
// move, and then plays the move whose game ended best. At the root the search plays level-(n-1) games from every move,
// round after round, and takes their means.
//
//   * `discount`: the value of a game is outcome * discount^plies, so that short wins and long losses are preferred.
//     This is the paper's first remedy against the many moves that tie at win or loss.
//   * `cut_on_win`: a player stops at the first move whose game was won. The games are faster and worse:
//     `joute mistakes connect4 nested:iterations=3000` finds 13.3% mistakes, 20.2% with cuts, 28.8%
//     without discount, and 12.1% at level 1.
//
// The one-player version keeps and follows the best game so far. The two-player version does not: half of the moves of
// that game are the opponent's, who need not repeat them.

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "../options.hpp"
#include "search.hpp"

namespace joute {

struct NestedOptions {
    int level;        // 1..4; 1 is flat Monte Carlo
    double discount;  // above 0 and at most 1; 1: no discount
    bool cut_on_win;
    std::uint64_t seed;
    int max_plies;  // from the root; a longer game stops and is scored by result_if_stopped()

    static constexpr auto fields() {
        using O = NestedOptions;
        return std::tuple{
            Option<&O::level>{"level"}, Option<&O::discount>{"discount"},   Option<&O::cut_on_win>{"cut_on_win"},
            Option<&O::seed>{"seed"},   Option<&O::max_plies>{"max_plies"},
        };
    }
};

// Runs until a limit, but finishes the first round, with one game from each move, since half a round compares nothing.
// Only the limit on seconds, the stop flag and the poll cut the first round short. Values are shares of wins,
// (1 + mean worth) / 2; 0.5 for an untried move.
template <Playable S>
class Nested : public Search<S> {
public:
    using typename Search<S>::Move;
    using typename Search<S>::SearchResult;
    using typename Search<S>::Watch;

    explicit Nested(const NestedOptions& options) : options_(options) {
        if (options.level < 1 || options.level > 4) throw std::invalid_argument("nested: level must be 1 to 4");
        if (!(options.discount > 0) || options.discount > 1)
            throw std::invalid_argument("nested: discount must be above 0 and at most 1");
        if (options.max_plies < 1) throw std::invalid_argument("nested: max_plies must be at least 1");
        double power = 1;
        for (int ply = 0; ply <= options.max_plies; ++ply, power *= options.discount) powers_.push_back(power);
    }

    // Nothing is kept from one position to the next.
    void forget() override {}

    SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        Watchdog watchdog(limits, poll);
        begin(root, watchdog);
        double told_at = 0;
        while (!stopped_) {
            play_round(root);
            limits_ = limits;
            stopped_ = stopped_ || nodes_ >= limits.nodes || playouts_ >= limits.iterations;
            if (!watch || watchdog.seconds() < told_at + 0.1) continue;
            watch(result());
            told_at = watchdog.seconds();
        }
        return result();
    }

private:
    struct Ending {
        int outcome;  // for the first player
        int plies;    // from the root
    };
    using Moves = MoveList<S>;

    void begin(const S& root, Watchdog& watchdog) {
        limits_ = {};  // no limits in the first round
        watchdog_ = &watchdog;
        random_ = Random(options_.seed);
        nodes_ = playouts_ = 0;
        depth_ = 0;
        stopped_ = false;
        root_moves_.clear();
        root.generate(root_moves_, 0);
        tried_.assign(root_moves_.size(), {});
    }

    void play_round(const S& root) {
        for (std::size_t i = 0; i < root_moves_.size(); ++i) {
            S state = root;
            const std::uint64_t before = playouts_;
            const auto ending = follow(state, root_moves_[i], options_.level - 1, 0);
            if (!ending) return;
            // A game that ends before level 0 counts as a playout; otherwise a limit on iterations might never be
            // reached.
            if (playouts_ == before) count_playout();
            ++tried_[i].visits;
            tried_[i].worth += worth(*ending, root.to_move());
            depth_ = std::max(depth_, ending->plies);
            if (stopped_) return;
        }
    }

    // Plays a move, then a game of the given level. `plies` counts from the root. Returns none if stopped.
    std::optional<Ending> follow(S& state, Move move, int level, int plies) {
        if (!enter(state, move)) return std::nullopt;
        return level == 0 ? random_game(state, plies + 1) : nested_game(state, level, plies + 1);
    }

    std::optional<Ending> nested_game(S& state, int level, int plies) {
        for (; plies < options_.max_plies && !state.is_terminal(); ++plies) {
            const auto move = best_move(state, level, plies);
            if (!move || !enter(state, *move)) return std::nullopt;
        }
        return ending(state, plies);
    }

    // The move whose game ended best for the player to move. Moves are tried in random order, so that neither ties nor
    // cuts favour those generated first.
    std::optional<Move> best_move(const S& state, int level, int plies) {
        const Player mover = state.to_move();
        Moves moves;
        state.generate(moves, 0);
        if (moves.size() == 1) return moves[0];
        Move best = moves[0];
        double best_worth = -2;
        for (std::size_t left = moves.size(); left > 0; --left) {
            std::swap(moves[random_.below(static_cast<std::uint32_t>(left))], moves[left - 1]);
            S next = state;
            const auto ending = follow(next, moves[left - 1], level - 1, plies);
            if (!ending) return std::nullopt;
            const double its_worth = worth(*ending, mover);
            if (its_worth > best_worth) {
                best = moves[left - 1];
                best_worth = its_worth;
            }
            if (options_.cut_on_win && its_worth > 0) break;
        }
        return best;
    }

    std::optional<Ending> random_game(S& state, int plies) {
        for (; plies < options_.max_plies && !state.is_terminal(); ++plies)
            if (!enter(state, state.random_move(random_))) return std::nullopt;
        count_playout();
        return ending(state, plies);
    }

    void count_playout() {
        if (++playouts_ >= limits_.iterations) stopped_ = true;
    }

    static Ending ending(const S& state, int plies) {
        return {(state.is_terminal() ? state.result() : state.result_if_stopped()).outcome, plies};
    }

    // Plays a move and settles random events. Returns false and leaves the state unchanged if a limit is reached.
    bool enter(S& state, Move move) {
        if (stopped_ || nodes_ >= limits_.nodes || watchdog_->must_stop()) {
            stopped_ = true;
            return false;
        }
        state.play(move);
        ++nodes_;
        settle_chance(state, random_);
        return true;
    }

    double worth(const Ending& ending, Player player) const {
        const double power = powers_[static_cast<std::size_t>(ending.plies)];
        return (player == 0 ? ending.outcome : -ending.outcome) * power;
    }

    SearchResult result() const {
        SearchResult result;
        for (std::size_t i = 0; i < root_moves_.size(); ++i) {
            const Tried& tried = tried_[i];
            const double mean = tried.visits ? tried.worth / static_cast<double>(tried.visits) : 0;
            result.moves.push_back(
                {.move = root_moves_[i], .value = (1 + mean) / 2, .visits = tried.visits, .line = {root_moves_[i]}});
        }
        std::stable_sort(result.moves.begin(), result.moves.end(), [](const auto& a, const auto& b) {
            // Untried moves come last.
            if ((a.visits > 0) != (b.visits > 0)) return a.visits > 0;
            return a.value > b.value;
        });
        result.value = result.moves[0].value;
        result.depth = depth_;
        result.nodes = nodes_;
        result.iterations = playouts_;
        return result;
    }

    struct Tried {
        std::uint64_t visits = 0;
        double worth = 0;  // sum over the games, for the root player
    };

    NestedOptions options_;
    std::vector<double> powers_;  // discount^plies

    Moves root_moves_;
    std::vector<Tried> tried_;
    Limits limits_;
    Watchdog* watchdog_ = nullptr;
    Random random_;
    std::uint64_t nodes_ = 0, playouts_ = 0;
    int depth_ = 0;
    bool stopped_ = false;
};

}  // namespace joute
