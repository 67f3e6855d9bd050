#pragma once

// What the tools that fit evaluations to self-play have in common.

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "game.hpp"

namespace joute {

inline std::FILE* open_file(const std::string& path, const char* mode) {
    std::FILE* file = std::fopen(path.c_str(), mode);
    if (!file) std::exit((std::perror(path.c_str()), 1));
    return file;
}

// The weights that a file holds, as they lie in memory.
template <class Weights>
std::unique_ptr<Weights> read_weights(const std::string& path) {
    auto weights = std::make_unique<Weights>();
    std::FILE* file = open_file(path, "rb");
    if (std::fread(weights.get(), sizeof *weights, 1, file) != 1)
        std::exit((std::fprintf(stderr, "%s holds no weights\n", path.c_str()), 1));
    std::fclose(file);
    return weights;
}

// Calls work(i) for i from 0 to count - 1, each thread with a work of its own.
template <class MakeWork>
void share(int count, int threads, const MakeWork& make_work) {
    std::atomic<int> next = 0;
    std::vector<std::thread> workers;
    for (int thread = 0; thread < threads; ++thread)
        workers.emplace_back([&] {
            auto work = make_work();
            for (int i; (i = next++) < count;) work(i);
        });
    for (auto& worker : workers) worker.join();
}

// What a game's seed is, whichever thread plays it.
inline std::uint64_t game_seed(std::uint64_t seed, int game) {
    return mix64(seed * 1'000'000 + static_cast<std::uint64_t>(game));
}

// Lets chance decide what is pending, if anything.
template <class State>
void resolve_all(State& state, Random& random) {
    if constexpr (State::has_chance) {
        OutcomeList<State> probabilities;
        while (state.is_chance()) {
            probabilities.clear();
            state.outcomes(probabilities);
            double left = random.uniform();
            std::size_t outcome = 0;
            while (outcome + 1 < probabilities.size() && left >= probabilities[outcome])
                left -= probabilities[outcome++];
            state.resolve(static_cast<int>(outcome));
        }
    }
}

// Pairs of games between players of two weights, colours swapped; `open(random)` gives the position they begin with.
// Chance draws the same numbers in both.
template <class Player, class Open>
void match(int pairs, int threads, std::uint64_t nodes, std::uint64_t seed, const std::array<std::string, 2>& weights,
           const Open& open) {
    std::mutex counting;
    double sum = 0, squares = 0;
    share(pairs, threads, [&] {
        return [&, one = std::make_shared<Player>(weights[0]), other = std::make_shared<Player>(weights[1])](int pair) {
            Random random(game_seed(seed, pair));
            const auto opening = open(random);
            double score = 0;
            for (const int first : {0, 1}) {
                auto state = opening;
                Random chance(game_seed(~seed, pair));
                one->forget();
                other->forget();
                while (!state.is_terminal()) {
                    state.play((state.to_move() == first ? one : other)->think(state, nodes).moves[0].move);
                    resolve_all(state, chance);
                }
                score += (state.result().outcome_for(first) + 1) / 4.0;
            }
            const std::lock_guard lock(counting);
            sum += score;
            squares += score * score;
        };
    });
    const double mean = sum / pairs, error = std::sqrt((squares / pairs - mean * mean) / pairs);
    std::fprintf(stderr, "%s against %s: %.1f%% +- %.1f (%d pairs, %llu nodes a move)\n", weights[0].c_str(),
                 weights[1].c_str(), 100 * mean, 196 * error, pairs, static_cast<unsigned long long>(nodes));
}

}  // namespace joute
