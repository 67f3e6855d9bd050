#pragma once

// Many games that a learner outside the core plays: it receives arrays of observations and answers with actions.
//
// Everything random comes from the seed of a reset and the number of the game, so that a batch is the same with any
// number of threads.

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "../chooser.hpp"
#include "../history.hpp"
#include "thread_team.hpp"

namespace joute {

// One row a game. Arrays of truth values hold 0 or 1.
struct EnvironmentArrays {
    std::uint8_t* planes = nullptr;        // what the player to move sees
    std::uint8_t* mask = nullptr;          // the legal actions of that player
    std::int8_t* to_move = nullptr;        // that player
    float* rewards = nullptr;              // for the player who acted
    std::uint8_t* terminated = nullptr;    // whether the action ended the game
    std::uint8_t* truncated = nullptr;     // whether the game was cut off after the action
    std::uint8_t* final_planes = nullptr;  // the last observation of a game that ended, which its row begins anew
};

struct EnvironmentOptions {
    int games = 1;
    int threads = 1;
    int max_plies = 0;  // games are cut off after so many; 0 for never
};

template <ChoiceGame S>
class Environments {
public:
    // Games begin at positions drawn from `starts`. In each a player is to move, and one frame holds all of them.
    Environments(const EnvironmentOptions& options, std::vector<InPlay<S>> starts)
        : options_(options),
          starts_(std::move(starts)),
          frame_(InputFrame<S>::of(starts_.front())),
          games_(static_cast<std::size_t>(options.games), Game{starts_.front()}),
          randoms_(games_.size()),
          actors_(games_.size()),
          picks_(games_.size()) {
        if (options.threads > 1) team_ = std::make_unique<ThreadTeam>(options.threads - 1);
    }

    const EnvironmentOptions& options() const { return options_; }
    InputShape shape() const { return observation_shape<S>(frame_); }
    const InputFrame<S>& frame() const { return frame_; }
    std::size_t actions() const { return static_cast<std::size_t>(Chooser<S>::actions(frame_)); }
    const InPlay<S>& game(std::size_t i) const { return games_[i].state; }

    // Every game has a stream of random numbers of its own.
    void seed(std::uint64_t seed) {
        for (std::size_t i = 0; i < games_.size(); ++i) {
            randoms_[i] = Random(mix64(seed) + 2 * i);
            actors_[i] = Random(mix64(seed) + 2 * i + 1);
        }
    }

    // Begins the games anew whose row of `chosen` is set, or all if it is null, and writes the rows of all.
    void reset(const std::uint8_t* chosen, const EnvironmentArrays& arrays) {
        each([&](std::size_t i) {
            if (!chosen || chosen[i]) begin(i);
            write(i, arrays);
        });
    }

    // Plays an action in every game. If one is illegal, nothing is played, and the number of its game is returned;
    // else that of the games.
    std::size_t step(const std::int64_t* actions, const EnvironmentArrays& arrays) {
        std::atomic<std::size_t> wrong{games_.size()};
        each([&](std::size_t i) {
            picks_[i] = index_of(games_[i].chooser.legal(), actions[i]);
            if (picks_[i] < games_[i].chooser.legal().size()) return;
            std::size_t lowest = wrong;
            while (i < lowest && !wrong.compare_exchange_weak(lowest, i)) {
            }
        });
        if (wrong < games_.size()) return wrong;
        each([&](std::size_t i) {
            play(i, arrays);
            write(i, arrays);
        });
        return games_.size();
    }

    // Draws a legal action of every game, uniformly. These draws have streams of their own.
    void random_actions(std::int64_t* actions) {
        each([&](std::size_t i) {
            const auto legal = games_[i].chooser.legal();
            actions[i] = 0;
            if (!legal.empty()) actions[i] = legal[actors_[i].below(static_cast<std::uint32_t>(legal.size()))];
        });
    }

    // A legal action in the game's notation.
    std::string action_text(std::size_t i, std::int64_t action) const {
        const auto legal = games_[i].chooser.legal();
        const std::size_t index = index_of(legal, action);
        return index < legal.size() ? games_[i].chooser.text(games_[i].state, index) : "";
    }

private:
    struct Game {
        InPlay<S> state;
        Chooser<S> chooser{};
        int first_ply = 0;
    };

    // The index of an action among the legal ones, or their number. Without an early exit, which no processor could
    // predict.
    static std::size_t index_of(std::span<const std::uint32_t> legal, std::int64_t action) {
        std::size_t index = legal.size();
        for (std::size_t i = 0; i < legal.size(); ++i)
            index = static_cast<std::int64_t>(legal[i]) == action ? i : index;
        return index;
    }

    // Does `job` for every game, over the threads.
    template <class Job>
    void each(const Job& job) {
        const auto threads = static_cast<std::size_t>(std::max(1, options_.threads));
        const auto share = [&](std::size_t part) {
            for (std::size_t i = games_.size() * part / threads, end = games_.size() * (part + 1) / threads; i < end;
                 ++i)
                job(i);
        };
        if (!team_) return share(0);
        team_->start([&](int number) { share(static_cast<std::size_t>(number) + 1); });
        try {
            share(0);
        } catch (...) {
            team_->wait();
            throw;
        }
        team_->wait();
    }

    void begin(std::size_t i) {
        Game& game = games_[i];
        const auto starts = static_cast<std::uint32_t>(starts_.size());
        game.state = starts_[starts == 1 ? 0 : randoms_[i].below(starts)];
        game.first_ply = game.state.ply();
        game.chooser.begin(game.state, frame_);
    }

    void play(std::size_t i, const EnvironmentArrays& arrays) {
        Game& game = games_[i];
        arrays.rewards[i] = 0;
        arrays.terminated[i] = arrays.truncated[i] = 0;
        const Player mover = game.state.to_move();
        const auto move = game.chooser.take(game.state, frame_, picks_[i]);
        if (!move) return;
        game.state.play(*move);
        settle_chance(game.state, randoms_[i]);
        if (game.state.is_terminal()) {
            arrays.terminated[i] = 1;
            arrays.rewards[i] = static_cast<float>(game.state.result().outcome_for(mover));
        } else if (options_.max_plies > 0 && game.state.ply() - game.first_ply >= options_.max_plies) {
            arrays.truncated[i] = 1;
        } else {
            game.chooser.begin(game.state, frame_);
            return;
        }
        game.chooser.end();
        const auto size = static_cast<std::size_t>(shape().size());
        observe<S>(game.state, frame_, game.chooser, {arrays.final_planes + i * size, size});
        begin(i);
    }

    void write(std::size_t i, const EnvironmentArrays& arrays) {
        const Game& game = games_[i];
        const auto size = static_cast<std::size_t>(shape().size());
        observe<S>(game.state, frame_, game.chooser, {arrays.planes + i * size, size});
        std::uint8_t* const mask = arrays.mask + i * actions();
        std::fill_n(mask, actions(), std::uint8_t{0});
        for (const std::uint32_t action : game.chooser.legal()) mask[action] = 1;
        arrays.to_move[i] = static_cast<std::int8_t>(game.state.to_move());
    }

    EnvironmentOptions options_;
    std::vector<InPlay<S>> starts_;
    InputFrame<S> frame_;
    std::vector<Game> games_;
    // Beside the games, which are in the processor's cache as far as they are small.
    std::vector<Random> randoms_, actors_;  // for the games, and for random actions
    std::vector<std::size_t> picks_;        // the index of each action to play among the legal ones
    std::unique_ptr<ThreadTeam> team_;
};

}  // namespace joute
