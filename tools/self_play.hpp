#pragma once

// The self-play of the tools that fit evaluations: their command line, their player, their games and their files.
//
// Same arguments, same games: each game has its own seed, so threads only share the work.

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "game.hpp"
#include "search/alphabeta/alphabeta.hpp"

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

// The words after a tool's name.
class Words {
public:
    Words(int count, char** values) : words_(values + 1, values + count) {}
    // Whether they are this command and so many words more.
    bool are(std::string_view command, std::size_t least, std::size_t most) const {
        return !words_.empty() && words_[0] == command && words_.size() > least && words_.size() <= most + 1;
    }
    std::string operator[](std::size_t i) const { return i < words_.size() ? words_[i] : ""; }
    std::uint64_t number(std::size_t i) const { return std::strtoull((*this)[i].c_str(), nullptr, 10); }
    std::vector<std::string> from(std::size_t i) const {
        return {words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end()};
    }

private:
    std::vector<std::string> words_;
};

// COUNT THREADS NODES SEED, as all tools are told them.
struct Work {
    Work(const Words& words, std::size_t first)
        : count(static_cast<int>(words.number(first))),
          threads(static_cast<int>(words.number(first + 1))),
          nodes(words.number(first + 2)),
          seed(words.number(first + 3)) {}
    int count, threads;
    std::uint64_t nodes, seed;  // nodes a move
};

// Alpha-beta as self-play uses it; a game's player sets what differs, and its evaluation.
template <Playable S>
class FitPlayer {
public:
    SearchResult<typename S::Move> think(const S& state, std::uint64_t nodes) {
        return search_->run(state, {.nodes = nodes}, {}, {});
    }
    void forget() { search_->forget(); }

protected:
    // Alpha-beta as the engines play it, with little memory; a tool adds what its game's engine has besides.
    static AlphaBetaOptions usual_options() {
        return {.table = AlphaBetaOptions::TableUse::full,
                .memory_mb = 16,
                .table_depth = 1,
                .accept_deeper = true,
                .bare_table = false,
                .symmetries = false,
                .pruning = true,
                .pvs = true,
                .killers = true,
                .history = true,
                .hints = 0,
                .deepening = true,
                .aspiration = false,
                .aspiration_window = 1,
                .order_by_evaluation = false,
                .order_by_value = false,
                .quiescence = 0,
                .extend = 0,
                .reductions = 0,
                .reduce_root = false,
                .late_moves = 0,
                .null_depth = 0,
                .plain_root = false,
                .ends = AlphaBetaOptions::Ends::outcome,
                .win_value = 0,
                .chance = AlphaBetaOptions::ChancePruning::star1,
                .few_outcomes = 0,
                .generator = 0,
                .wide_depth = 0,
                .lines = 1,
                .threads = 1};
    }
    // `evaluation` and `params` outlive the player.
    void search_by(const AlphaBetaOptions& options, const Evaluation<S>& evaluation, const void* params) {
        search_ = std::make_unique<AlphaBeta<S>>(options, &evaluation, params);
    }

private:
    std::unique_ptr<AlphaBeta<S>> search_;
};

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

// Does `play GAMES.bin COUNT THREADS NODES SEED [WEIGHTS.bin]`: plays games and writes what play_game(player, nodes,
// seed) keeps of each, in the order of the games. False if the words are another command. `first` is the place of
// GAMES.bin.
template <class Player, class PlayGame>
bool do_play(const Words& words, const PlayGame& play_game, std::size_t first = 1) {
    if (!words.are("play", first + 4, first + 5)) return false;
    const Work work(words, first + 1);
    using Positions = decltype(play_game(std::declval<Player&>(), work.nodes, work.seed));
    std::vector<Positions> kept(static_cast<std::size_t>(work.count));
    share(work.count, work.threads, [&] {
        return [&, player = std::make_shared<Player>(words[first + 5])](int game) {
            kept[static_cast<std::size_t>(game)] = play_game(*player, work.nodes, game_seed(work.seed, game));
        };
    });
    std::FILE* file = open_file(words[first], "wb");
    std::size_t positions = 0;
    for (const auto& game : kept)
        positions += std::fwrite(game.data(), sizeof(typename Positions::value_type), game.size(), file);
    std::fclose(file);
    std::fprintf(stderr, "%d games, %zu positions\n", work.count, positions);
    return true;
}

// How often a game leaves the search's moves.
struct Straying {
    std::uint32_t opening;  // random plies at the beginning, at most
    std::uint32_t one_in;   // plies after that, one is random
};

// One game. Returns the positions since its last random move, as keep(state, result) makes them, with the game's
// margin and outcome for the first player.
template <class S, class Player, class Keep>
auto play_to_the_end(S state, Player& player, std::uint64_t nodes, Random random, Straying straying, const Keep& keep) {
    for (auto plies = random.below(straying.opening + 1); plies > 0; --plies) state.play(state.random_move(random));
    player.forget();
    std::vector<decltype(keep(state, player.think(state, nodes)))> kept;
    while (!state.is_terminal()) {
        if (random.below(straying.one_in) == 0) {
            kept.clear();
            state.play(state.random_move(random));
            continue;
        }
        const auto result = player.think(state, nodes);
        kept.push_back(keep(state, result));
        state.play(result.moves[0].move);
    }
    const Result result = state.result();
    for (auto& position : kept) {
        position.margin = static_cast<std::int8_t>(result.margin);
        position.outcome = static_cast<std::int8_t>(result.outcome);
    }
    return kept;
}

// The positions of a file that play_games() wrote.
template <class Position>
std::vector<Position> read_positions(const std::string& path) {
    std::vector<Position> positions;
    std::FILE* file = open_file(path, "rb");
    for (Position position; std::fread(&position, sizeof position, 1, file) == 1;) positions.push_back(position);
    std::fclose(file);
    return positions;
}

// Does `match COUNT THREADS NODES SEED ONE.bin OTHER.bin`: pairs of games between players of two weights, colours
// swapped; `open(random)` gives the position they begin with. Chance draws the same numbers in both. False if the words
// are another command. `first` is the place of COUNT.
template <class Player, class Open>
bool do_match(const Words& words, const Open& open, std::size_t first = 1) {
    if (!words.are("match", first + 5, first + 5)) return false;
    const Work work(words, first);
    const std::array<std::string, 2> weights{words[first + 4], words[first + 5]};
    const int pairs = work.count;
    std::mutex counting;
    double sum = 0, squares = 0;
    share(pairs, work.threads, [&] {
        return [&, one = std::make_shared<Player>(weights[0]), other = std::make_shared<Player>(weights[1])](int pair) {
            Random random(game_seed(work.seed, pair));
            const auto opening = open(random);
            double score = 0;
            for (const int first : {0, 1}) {
                auto state = opening;
                Random chance(game_seed(~work.seed, pair));
                one->forget();
                other->forget();
                while (!state.is_terminal()) {
                    state.play((state.to_move() == first ? one : other)->think(state, work.nodes).moves[0].move);
                    settle_chance(state, chance);
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
                 weights[1].c_str(), 100 * mean, 196 * error, pairs, static_cast<unsigned long long>(work.nodes));
    return true;
}

}  // namespace joute
