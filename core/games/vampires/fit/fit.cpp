// Self-play for the network of the evaluation of Vampires vs Werewolves (core/games/vampires/weights.hpp), and matches.
// core/games/vampires/fit/fit.sh produces the network from scratch, with core/games/vampires/fit/fit.py.
//
//     fit_vampires play GAMES.bin COUNT THREADS SEED PLAYER         play games of a player against itself
//
//     fit_vampires features POSITIONS.bin GAMES.bin...              the positions of games, as features
//
//     fit_vampires match COUNT THREADS SEED ONE OTHER [MAPS.txt]    play pairs of games, species swapped
//
//     fit_vampires game SEED PAIR FIRST ONE OTHER [MAPS.txt]        play one game of pair PAIR, FIRST 0: ONE begins
//
//     fit_vampires shape                                            print the shape of the network
//
// players.hpp tells how players are named. Without MAPS.txt, every game or pair has a map of its own (maps.hpp). A game
// of self-play begins with 0 to 3 random plies, and later one ply in 30 is random. In one game of four, one side has
// the turns of `report`, so that the network also sees players who hardly split. At one searched position in three, a
// random turn is tried, and the position after it is searched too: a search meets many such positions, good play few.
// Every searched position is stored as features, with the value of the search and the outcome of the game.

#include <chrono>
#include <fstream>

#include "maps.hpp"
#include "players.hpp"
#include "record.hpp"

using namespace joute;

namespace {

constexpr int contact_generator = 2;
static_assert(Vampires::generators[1] == "report" && Vampires::generators[contact_generator] == "contact");

using FitClock = std::chrono::steady_clock;

struct Position {
    VampiresFeatures::List features;
    float outcome;  // of the game, for the mover; NaN if the position is not of the game
    float value;    // of the search, for the mover
};

Vampires start(const std::string& map) { return Vampires::from_text(VampiresRules::find(""), map); }

// A player, and the same player with the turns of `report`.
struct TwoStyles {
    explicit TwoStyles(const std::string& name) : usual(name), report(name + ",generator=1") {}
    VampiresFitPlayer usual, report;
};

// Plays a turn with random outcomes.
FitTurn play_turn(Vampires& state, const VampiresTurn& turn, Random& random) {
    FitTurn played{.turn = turn, .outcomes = {}};
    state.play(turn);
    while (state.is_chance()) {
        played.outcomes.push_back(pick_outcome(state, random.uniform()));
        state.resolve(played.outcomes.back());
    }
    return played;
}

// Tries a random turn of the engine's, and searches the position after it.
void try_side(const Vampires& state, VampiresFitPlayer& player, Random& random, FitPly& ply) {
    MoveList<Vampires> turns;
    state.generate(turns, contact_generator);
    Vampires after = state;
    ply.side = play_turn(after, turns[random.below(static_cast<std::uint32_t>(turns.size()))], random);
    if (!after.is_terminal()) ply.side_value = player.think(after).value;
}

std::vector<std::uint8_t> play_game(TwoStyles& styles, std::uint64_t seed) {
    Random random(seed);
    FitGame game{.map = fit_map_text(FitMaps(random).draw()), .plies = {}};
    Vampires state = start(game.map);
    auto random_plies = random.below(4);
    const auto reporter = random.below(8);  // the player who has the turns of `report`, if 0 or 1
    styles.usual.forget();
    styles.report.forget();
    while (!state.is_terminal()) {
        FitPly& ply = game.plies.emplace_back();
        VampiresTurn turn;
        if (random_plies > 0 || random.below(30) == 0) {
            if (random_plies > 0) --random_plies;
            turn = state.random_move(random);
        } else {
            const bool reports = static_cast<std::uint32_t>(state.to_move()) == reporter;
            const auto found = (reports ? styles.report : styles.usual).think(state);
            ply.value = found.value;
            turn = found.moves[0].move;
            if (random.below(3) == 0) try_side(state, styles.usual, random, ply);
        }
        ply.played = play_turn(state, turn, random);
    }
    std::vector<std::uint8_t> bytes;
    game.write(bytes);
    return bytes;
}

void play_games(const Words& words) {
    const auto count = static_cast<int>(words.number(2)), threads = static_cast<int>(words.number(3));
    std::vector<std::vector<std::uint8_t>> games(static_cast<std::size_t>(count));
    share(count, threads, [&] {
        return [&, styles = std::make_shared<TwoStyles>(words[5])](int game) {
            games[static_cast<std::size_t>(game)] = play_game(*styles, game_seed(words.number(4), game));
        };
    });
    std::FILE* file = open_file(words[1], "wb");
    for (const auto& game : games) std::fwrite(game.data(), 1, game.size(), file);
    std::fclose(file);
    std::fprintf(stderr, "%d games\n", count);
}

std::vector<Position> positions_of(const FitGame& game) {
    Vampires state = start(game.map);
    std::vector<Position> kept;
    std::vector<Player> movers;
    const auto keep = [&](const Vampires& position, double value, float outcome) {
        VampiresFeatures::list(position, kept.emplace_back().features);
        kept.back().value = static_cast<float>(value);
        kept.back().outcome = outcome;
        movers.push_back(position.to_move());
    };
    for (const FitPly& ply : game.plies) {
        if (ply.value) keep(state, *ply.value, 0);
        if (ply.side_value) {
            Vampires after = state;
            ply.side.play(after);
            keep(after, *ply.side_value, std::numeric_limits<float>::quiet_NaN());
        }
        ply.played.play(state);
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (kept[i].outcome == 0) kept[i].outcome = static_cast<float>(state.result().outcome_for(movers[i]));
    return kept;
}

void write_features(const std::string& path, const std::vector<std::string>& files) {
    std::FILE* out = open_file(path, "wb");
    std::size_t games = 0, positions = 0;
    for (const std::string& file : files) {
        const auto bytes = read_positions<std::uint8_t>(file);
        for (const std::uint8_t *at = bytes.data(), *end = at + bytes.size(); at < end; ++games) {
            const auto kept = positions_of(FitGame::read(at));
            positions += std::fwrite(kept.data(), sizeof(Position), kept.size(), out);
        }
    }
    std::fclose(out);
    std::fprintf(stderr, "%zu games, %zu positions\n", games, positions);
}

// The maps of a match: those of a file in turn, or random ones.
class MatchMaps {
public:
    explicit MatchMaps(const std::string& path) {
        if (path.empty()) return;
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);)
            if (!line.empty() && line[0] != '#') lines_.push_back(line);
        if (lines_.empty()) std::exit((std::fprintf(stderr, "%s holds no maps\n", path.c_str()), 1));
    }
    std::string of(int pair, Random& random) const {
        return lines_.empty() ? fit_map_text(FitMaps(random).draw())
                              : lines_[static_cast<std::size_t>(pair) % lines_.size()];
    }

private:
    std::vector<std::string> lines_;
};

// What one player of a match did.
struct Effort {
    std::uint64_t moves = 0, nodes = 0, depth = 0;
    double seconds = 0, slowest = 0;
    void add(const Effort& other) {
        moves += other.moves;
        nodes += other.nodes;
        depth += other.depth;
        seconds += other.seconds;
        slowest = std::max(slowest, other.slowest);
    }
    void print(const std::string& name) const {
        const auto all = static_cast<double>(moves);
        std::printf("    %s: %.0f nodes, %.2f ms and depth %.1f a move\n", name.c_str(),
                    static_cast<double>(nodes) / all, 1000 * seconds / all, static_cast<double>(depth) / all);
    }
};

struct Score {
    double sum = 0, squares = 0;
    std::array<int, 3> outcomes{};  // lost, drawn, won
    std::array<Effort, 2> efforts;

    void add(const Score& pair) {
        sum += pair.sum;
        squares += pair.sum * pair.sum;
        for (std::size_t i = 0; i < 3; ++i) outcomes[i] += pair.outcomes[i];
        for (std::size_t i = 0; i < 2; ++i) efforts[i].add(pair.efforts[i]);
    }
};

// A game from a map. Player `first` begins, 0 or 1. Ends if a turn is illegal.
struct MatchGame {
    std::array<Effort, 2> efforts;
    std::optional<int> illegal_by;  // the player
    int outcome = 0;                // for player 0; an illegal turn loses
    std::vector<std::string> turns;
    std::string end;

    MatchGame(std::array<VampiresFitPlayer, 2>& players, const std::string& map, int first, std::uint64_t seed) {
        Vampires state = start(map);
        Random chance(seed);
        for (VampiresFitPlayer& player : players) player.forget();
        while (!state.is_terminal() && !illegal_by) {
            const int who = state.to_move() == 0 ? first : 1 - first;
            const auto began = FitClock::now();
            const auto found = players[static_cast<std::size_t>(who)].think(state);
            const double seconds = std::chrono::duration<double>(FitClock::now() - began).count();
            efforts[static_cast<std::size_t>(who)].add(
                {1, found.nodes, static_cast<std::uint64_t>(found.depth), seconds, seconds});
            const VampiresTurn& turn = found.moves[0].move;
            turns.push_back(Vampires::move_text(turn));
            if (!state.is_legal(turn)) {
                illegal_by = who;
                break;
            }
            state.play(turn);
            settle_chance(state, chance);
        }
        end = state.text();
        outcome = illegal_by ? (*illegal_by == 0 ? -1 : 1) : state.result().outcome_for(first);
    }
};

// Chance draws the same numbers in both games of a pair.
Score play_pair(std::array<VampiresFitPlayer, 2>& players, const std::string& map, std::uint64_t seed) {
    Score score;
    for (const int first : {0, 1}) {
        const MatchGame game(players, map, first, seed);
        for (std::size_t i = 0; i < 2; ++i) score.efforts[i].add(game.efforts[i]);
        ++score.outcomes[static_cast<std::size_t>(game.outcome + 1)];
        score.sum += (game.outcome + 1) / 4.0;
    }
    return score;
}

// Plays one game of a pair and prints it as a line of JSON (tools/vampires_matches.py).
void play_one(const Words& words) {
    const std::uint64_t seed = words.number(1);
    const auto pair = static_cast<int>(words.number(2)), first = static_cast<int>(words.number(3));
    Random random(game_seed(seed, pair));
    const std::string map = MatchMaps(words[6]).of(pair, random);
    std::array<VampiresFitPlayer, 2> players{VampiresFitPlayer(words[4]), VampiresFitPlayer(words[5])};
    const MatchGame game(players, map, first, game_seed(~seed, pair));
    std::printf("{\"pair\": %d, \"first\": %d, \"outcome\": %d, \"illegal_by\": %s, ", pair, first, game.outcome,
                game.illegal_by ? std::to_string(*game.illegal_by).c_str() : "null");
    for (const auto& [name, of] : {std::pair(
                                       "moves", +[](const Effort& e) { return static_cast<double>(e.moves); }),
                                   std::pair(
                                       "nodes", +[](const Effort& e) { return static_cast<double>(e.nodes); }),
                                   std::pair(
                                       "depth", +[](const Effort& e) { return static_cast<double>(e.depth); }),
                                   std::pair(
                                       "seconds", +[](const Effort& e) { return e.seconds; }),
                                   std::pair("slowest", +[](const Effort& e) { return e.slowest; })})
        std::printf("\"%s\": [%.9g, %.9g], ", name, of(game.efforts[0]), of(game.efforts[1]));
    std::printf("\"map\": \"%s\", \"end\": \"%s\", \"turns\": \"", map.c_str(), game.end.c_str());
    for (const std::string& turn : game.turns)
        std::printf("%s%s", turn.c_str(), &turn == &game.turns.back() ? "" : " ");
    std::printf("\"}\n");
}

void play_match(const Words& words) {
    const auto pairs = static_cast<int>(words.number(1)), threads = static_cast<int>(words.number(2));
    const std::uint64_t seed = words.number(3);
    const MatchMaps maps(words[6]);
    std::mutex counting;
    Score score;
    share(pairs, threads, [&] {
        using Players = std::array<VampiresFitPlayer, 2>;
        std::shared_ptr<Players> players(new Players{VampiresFitPlayer(words[4]), VampiresFitPlayer(words[5])});
        return [&, players](int pair) {
            Random random(game_seed(seed, pair));
            const Score found = play_pair(*players, maps.of(pair, random), game_seed(~seed, pair));
            const std::lock_guard lock(counting);
            score.add(found);
        };
    });
    const double mean = score.sum / pairs, error = std::sqrt((score.squares / pairs - mean * mean) / pairs);
    std::printf("%s against %s: %.1f%% +- %.1f (%d won, %d drawn, %d lost)\n", words[4].c_str(), words[5].c_str(),
                100 * mean, 196 * error, score.outcomes[2], score.outcomes[1], score.outcomes[0]);
    for (std::size_t i = 0; i < 2; ++i) score.efforts[i].print(words[4 + i]);
}

void print_shape() {
    std::printf("%zu %zu %zu\n", VampiresFeatures::count, VampiresWeights::hidden, VampiresWeights::second);
}

}  // namespace

int main(int count, char** values) {
    const Words words(count, values);
    if (words.are("shape", 0, 0)) return print_shape(), 0;
    if (words.are("play", 5, 5)) return play_games(words), 0;
    if (words.are("features", 2, 1000)) return write_features(words[1], words.from(2)), 0;
    if (words.are("match", 5, 6)) return play_match(words), 0;
    if (words.are("game", 5, 6)) return play_one(words), 0;
    std::fputs("fit_vampires play, features, match, game or shape: see the head of core/games/vampires/fit/fit.cpp\n",
               stderr);
    return 2;
}
