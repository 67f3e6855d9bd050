#pragma once

// The playout policy: the moves of a simulation after it leaves the tree.
//
// A playout samples the result of a position. Uniformly random moves need no knowledge of the game, but their results
// are noisy. A policy that plays a little better gives results closer to those of real games. The policies here learn
// from earlier simulations or look one move ahead:
//
//   uniform     any move with equal probability
//   mast        the move whose code has the best mean reward over all simulations; with probability epsilon any move
//               (Move-Average Sampling Technique, Finnsson & Björnsson 2008; epsilon-greedy form)
//   lgr         the last reply that won after the last two moves, or after the last one (Last Good Reply, Drake 2009;
//               LGR-2 of Baier & Drake 2010)
//   lgrf        the same, but a reply that loses is forgotten (LGRF-2 of Baier & Drake 2010)
//   evaluation  the move with the best evaluation one ply ahead; with probability epsilon any move
//
// `tactics` comes before each of them: it takes a win and prevents a loss (search/tactics.hpp). The option `generator`
// does not apply to playouts: they use `random_move` and the default generator.

#include <algorithm>
#include <array>
#include <vector>

#include "../../evaluation.hpp"
#include "../playouts.hpp"
#include "../tactics.hpp"

namespace joute {

inline constexpr std::array<std::string_view, 4> tactics_names{"none", "win", "block", "fork"};

enum class PlayoutMoves { uniform, mast, lgr, lgrf, evaluation };
inline constexpr std::array<std::string_view, 5> playout_names{"uniform", "mast", "lgr", "lgrf", "eval"};

struct PlayoutOptions {
    PlayoutMoves moves;
    Tactics tactics;
    double epsilon;
    int max_plies;  // a longer playout stops and counts as result_if_stopped()
};

// A move of a simulation, with its keys in the statistics tables.
template <class Move>
struct PlayedMove {
    std::uint32_t code;
    std::uint32_t amaf_slot;  // 0 without AMAF
    Player player;
    Move move;
};

template <Playable S>
class PlayoutPolicy {
public:
    using Move = typename S::Move;
    using Played = PlayedMove<Move>;

    PlayoutPolicy(const PlayoutOptions& options, const Evaluation<S>* evaluation, const void* params)
        : options_(options), evaluation_(evaluation), params_(params) {
        if (options.moves == PlayoutMoves::mast) averages_.resize(2 * slots);
        if (learns_replies()) {
            replies_to_one_.resize(2 * slots);
            replies_to_two_.resize(2 * pair_slots);
        }
        if constexpr (!HasTacticalMove<S>)
            if (options.tactics == Tactics::fork)
                throw JouteError(
                    "tactics=fork does not work in this game, which cannot detect forks; use tactics=block");
        if (options.moves == PlayoutMoves::evaluation && !evaluation)
            throw JouteError("playout=eval needs an evaluation, and this game has none");
    }

    // Whether learn() must be called with the moves of each simulation, those in the tree included.
    bool learns() const { return options_.moves == PlayoutMoves::mast || learns_replies(); }

    std::size_t memory_bytes() const {
        return averages_.size() * sizeof(Average) + (replies_to_one_.size() + replies_to_two_.size()) * sizeof(Reply);
    }

    // Plays the game to its end. With `Record`, calls `note(state, move)` before each move, which must append the move
    // to `played`. `played` begins with the moves in the tree.
    template <bool Record, class Note>
    Result play(S& state, Random& random, const std::vector<Played>& played, const Note& note) const {
        if constexpr (!Record)
            if (options_.moves == PlayoutMoves::uniform && options_.tactics == Tactics::none)
                return play_out(state, random, options_.max_plies);
        settle_chance(state, random);
        for (int ply = 0; ply < options_.max_plies; ++ply) {
            if (state.is_terminal()) return state.result();
            const Move move = choose(state, random, played);
            if constexpr (Record) note(state, move);
            state.play(move);
            settle_chance(state, random);
        }
        return state.is_terminal() ? state.result() : state.result_if_stopped();
    }

    // Learns from a simulation. `reward(player)` is 1 for a win, 0.5 for a draw, 0 for a loss.
    template <class Reward>
    void learn(const std::vector<Played>& played, const Reward& reward) {
        if (options_.moves == PlayoutMoves::mast)
            for (const Played& p : played) averages_[slot(p.player, p.code)].add(reward(p.player));
        if (learns_replies())
            for (std::size_t i = 1; i < played.size(); ++i) learn_reply(played, i, reward(played[i].player));
    }

    void forget() {
        std::ranges::fill(averages_, Average{});
        std::ranges::fill(replies_to_one_, Reply{});
        std::ranges::fill(replies_to_two_, Reply{});
    }

private:
    static constexpr std::size_t slots = code_slots<S>;
    static constexpr std::size_t pair_slots = std::min<std::size_t>(slots * slots, 1 << 16);

    struct Average {
        double sum = 0;
        std::uint32_t count = 0;
        void add(double reward) {
            sum += reward;
            ++count;
        }
        // An untried move has the highest mean, so that each move is tried.
        double mean() const { return count ? sum / count : 1; }
    };
    struct Reply {
        Move move{};
        std::uint32_t code = 0;
        bool known = false;
    };

    bool learns_replies() const { return options_.moves == PlayoutMoves::lgr || forgets_replies(); }
    bool forgets_replies() const { return options_.moves == PlayoutMoves::lgrf; }

    static std::size_t slot(Player player, std::uint32_t code) {
        return static_cast<std::size_t>(player) * slots + code_slot<S>(code);
    }
    static std::size_t pair_slot(Player player, std::uint32_t before, std::uint32_t last) {
        const std::size_t pair = code_slot<S>(before) * slots + code_slot<S>(last);
        return static_cast<std::size_t>(player) * pair_slots +
               (slots * slots == pair_slots ? pair : mix64(pair) % pair_slots);
    }

    Move choose(const S& state, Random& random, const std::vector<Played>& played) const {
        if (options_.tactics != Tactics::none)
            if (const auto move = tactical_move(state, options_.tactics, random)) return *move;
        switch (options_.moves) {
            case PlayoutMoves::uniform:
                return state.random_move(random);
            case PlayoutMoves::lgr:
            case PlayoutMoves::lgrf:
                return last_good_reply(state, random, played);
            case PlayoutMoves::mast:
                return best_or_any(state, random, [&](const Move& move) {
                    return averages_[slot(state.to_move(), state.code(move))].mean();
                });
            case PlayoutMoves::evaluation:
                return best_or_any(state, random, [&](const Move& move) {
                    S next = state;
                    next.play(move);
                    if (!is_chance(next) && next.is_terminal())
                        return 1e300 * next.result().outcome_for(state.to_move());
                    return evaluation_->of(next, params_, state.to_move());
                });
        }
        return state.random_move(random);
    }

    template <class Value>
    Move best_or_any(const S& state, Random& random, const Value& value) const {
        if (random.uniform() < options_.epsilon) return state.random_move(random);
        MoveList<S> moves;
        state.generate(moves, 0);
        // Break ties at random: the k-th move of equal value replaces the choice with probability 1/k.
        Move best = moves[0];
        double best_value = value(best);
        std::uint32_t ties = 1;
        for (std::size_t i = 1; i < moves.size(); ++i) {
            const double v = value(moves[i]);
            if (v > best_value) {
                best = moves[i];
                best_value = v;
                ties = 1;
            } else if (v == best_value && random.below(++ties) == 0) {
                best = moves[i];
            }
        }
        return best;
    }

    Move last_good_reply(const S& state, Random& random, const std::vector<Played>& played) const {
        const Player mover = state.to_move();
        const auto usable = [&](const Reply& reply) {
            return reply.known && state.is_legal(reply.move) && state.code(reply.move) == reply.code;
        };
        if (played.size() >= 2) {
            const Reply& reply = replies_to_two_[pair_slot(mover, played.end()[-2].code, played.end()[-1].code)];
            if (usable(reply)) return reply.move;
        }
        if (!played.empty()) {
            const Reply& reply = replies_to_one_[slot(mover, played.back().code)];
            if (usable(reply)) return reply.move;
        }
        return state.random_move(random);
    }

    void learn_reply(const std::vector<Played>& played, std::size_t i, double reward) {
        const Played& reply = played[i];
        const auto learn = [&](Reply& entry) {
            if (reward > 0.5)
                entry = {reply.move, reply.code, true};
            else if (reward < 0.5 && forgets_replies() && entry.known && entry.code == reply.code)
                entry.known = false;
        };
        learn(replies_to_one_[slot(reply.player, played[i - 1].code)]);
        if (i >= 2) learn(replies_to_two_[pair_slot(reply.player, played[i - 2].code, played[i - 1].code)]);
    }

    PlayoutOptions options_;
    const Evaluation<S>* evaluation_;
    const void* params_;
    std::vector<Average> averages_;
    std::vector<Reply> replies_to_one_, replies_to_two_;
};

}  // namespace joute
