// Fits the weights of Divercité's evaluation (core/games/divercite/weights.hpp) to self-play.
// core/games/divercite/fit/fit.sh makes the shipped ones, from nothing.
//
//     fit_divercite play GAMES.bin COUNT THREADS NODES SEED [WEIGHTS.bin]     games, by points alone without weights
//     fit_divercite fit WEIGHTS.bin GAMES.bin...                              the weights that foretell them best
//     fit_divercite match COUNT THREADS NODES SEED ONE.bin OTHER.bin          pairs of games, from random openings
//     fit_divercite print WEIGHTS.bin                                         the header
//
// A game begins with 0 to 10 random plies; then each move is alpha-beta's with NODES positions, for points, and one in
// 25 is random. The positions since the last random move are kept, with the value that the search found and the final
// margin, half a point more for the winner. The evaluation is fitted to four fifths of the one and a fifth of the other
// by stochastic gradient descent (Adagrad, eight passes, errors beyond ten points cut, weights drawn a little to 0).
// Same arguments, same games and weights: each game has its own seed, so threads only share the work.
//
// The games at the end of the last file, one position in twenty, are held out of the fit, and tell its error.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "games/divercite/evaluate.hpp"
#include "search/alphabeta/alphabeta.hpp"
#include "self_play.hpp"

using namespace joute;

namespace {

using Features = DiverciteFeatures;

const DiverciteRules* rules() { return DiverciteRules::find(""); }

// --- Files ---

struct Position {
    std::array<char, 62> text;    // as long as a position can be; filled up with zeros
    std::int8_t margin, outcome;  // of the game it came from, for White
    float value;                  // that the search found, for the player to move
};

DiverciteWeights read_weights(const std::string& path) {
    auto weights = std::make_unique<DiverciteWeights>();
    std::FILE* file = open_file(path, "rb");
    if (std::fread(weights.get(), sizeof *weights, 1, file) != 1)
        std::exit((std::fprintf(stderr, "%s holds no weights\n", path.c_str()), 1));
    std::fclose(file);
    return *weights;
}

std::vector<Position> read_positions(const std::string& path) {
    std::vector<Position> positions;
    std::FILE* file = open_file(path, "rb");
    for (Position position; std::fread(&position, sizeof position, 1, file) == 1;) positions.push_back(position);
    std::fclose(file);
    return positions;
}

// --- Play ---

// Alpha-beta with these weights, or by points alone.
class SelfPlayer {
public:
    explicit SelfPlayer(const std::string& path) : prospects_(path.empty() ? nullptr : load(path)) {
        AlphaBetaOptions options{.memory_mb = 16, .table_depth = 1, .accept_deeper = true};
        options.reductions = 1;
        options.ends = AlphaBetaOptions::Ends::points;
        const auto& evaluation = prospects_ ? divercite_evaluations.back() : divercite_evaluations.front();
        search_ = std::make_unique<AlphaBeta<Divercite>>(options, &evaluation, prospects_.get());
    }
    SearchReport<Divercite::Move> think(const Divercite& state, std::uint64_t nodes) {
        return search_->run(state, {.nodes = nodes}, {}, {});
    }
    void forget() { search_->forget(); }

private:
    static std::unique_ptr<DiverciteProspects> load(const std::string& path) {
        return std::make_unique<DiverciteProspects>(read_weights(path));
    }
    std::unique_ptr<DiverciteProspects> prospects_;
    std::unique_ptr<AlphaBeta<Divercite>> search_;
};

Divercite random_opening(Random& random) {
    Divercite state(rules());
    for (int ply = 0; ply < 4; ++ply) state.play(state.random_move(random));
    return state;
}

std::vector<Position> play_game(SelfPlayer& player, std::uint64_t nodes, std::uint64_t seed) {
    Random random(seed);
    Divercite state(rules());
    for (auto plies = random.below(11); plies > 0; --plies) state.play(state.random_move(random));
    player.forget();
    std::vector<Position> kept;
    while (!state.is_terminal()) {
        if (random.below(25) == 0) {
            kept.clear();
            state.play(state.random_move(random));
            continue;
        }
        const auto report = player.think(state, nodes);
        Position& position = kept.emplace_back();
        const std::string text = state.text();
        std::copy(text.begin(), text.end(), position.text.begin());
        position.value = static_cast<float>(report.value);
        state.play(report.moves[0].move);
    }
    const Result result = state.result();
    for (Position& position : kept) {
        position.margin = static_cast<std::int8_t>(result.margin);
        position.outcome = static_cast<std::int8_t>(result.outcome);
    }
    return kept;
}

void play(const std::string& path, int games, int threads, std::uint64_t nodes, std::uint64_t seed,
          const std::string& weights) {
    std::vector<std::vector<Position>> kept(static_cast<std::size_t>(games));
    share(games, threads, [&] {
        return [&, player = std::make_shared<SelfPlayer>(weights)](int game) {
            kept[static_cast<std::size_t>(game)] = play_game(*player, nodes, game_seed(seed, game));
        };
    });
    std::FILE* file = open_file(path, "wb");
    std::size_t positions = 0;
    for (const auto& game : kept) positions += std::fwrite(game.data(), sizeof(Position), game.size(), file);
    std::fclose(file);
    std::fprintf(stderr, "%d games, %zu positions\n", games, positions);
}

// --- Fit ---

// What the fit needs of a position.
struct Sample {
    std::vector<std::int16_t> features;
    std::int16_t phase;
    float target;  // beyond the points, for the mover
};

Sample sample_of(const Position& position) {
    const auto end = std::find(position.text.begin(), position.text.end(), '\0');
    const auto state = Divercite::from_text(rules(), std::string(position.text.begin(), end));
    Sample sample;
    const auto add = [&](int feature) { sample.features.push_back(static_cast<std::int16_t>(feature)); };
    Features::for_each(
        state,
        [&](int number) {
            for (const int feature : Features::of_city(Features::City(number))) add(feature);
        },
        add);
    sample.phase = static_cast<std::int16_t>(Features::phase_of(state));
    const Player mover = state.to_move();
    const double result = (mover == 0 ? 1 : -1) * (position.margin + 0.5 * position.outcome);
    constexpr double trust = 0.8;  // in the search
    sample.target = static_cast<float>(trust * position.value + (1 - trust) * result -
                                       (state.points(mover) - state.points(opponent(mover))));
    return sample;
}

class Fit {
public:
    Fit(std::vector<Sample> samples) : samples_(std::move(samples)), held_out_(samples_.size() / 20) {
        for (auto& row : squares_) row.fill(1e-3);
        Random random(5);
        for (std::size_t i = fitted() - 1; i > 0; --i) std::swap(samples_[i], samples_[random.next() % (i + 1)]);
    }

    void run() {
        double rate = 0.15;
        for (int pass = 0; pass < 8; ++pass, rate *= 0.7)
            for (std::size_t i = 0; i < fitted(); ++i) learn(samples_[i], rate);
        double squares = 0;
        for (std::size_t i = fitted(); i < samples_.size(); ++i) {
            const double error = foretold(samples_[i]) - samples_[i].target;
            squares += error * error;
        }
        std::fprintf(stderr, "%zu positions; error of those held out %.3f points\n", samples_.size(),
                     std::sqrt(squares / static_cast<double>(held_out_)));
    }

    DiverciteWeights weights() const {
        DiverciteWeights rounded;
        for (std::size_t phase = 0; phase < weights_.size(); ++phase)
            for (std::size_t i = 0; i < weights_[phase].size(); ++i)
                rounded.of_phase[phase][i] = static_cast<std::int16_t>(std::lround(100 * weights_[phase][i]));
        return rounded;
    }

private:
    using Row = std::array<double, Features::count>;

    std::size_t fitted() const { return samples_.size() - held_out_; }
    double foretold(const Sample& sample) const {
        const Row& weights = weights_[static_cast<std::size_t>(sample.phase)];
        double sum = 0;
        for (const auto feature : sample.features) sum += weights[static_cast<std::size_t>(feature)];
        return sum;
    }
    void learn(const Sample& sample, double rate) {
        Row& weights = weights_[static_cast<std::size_t>(sample.phase)];
        Row& squares = squares_[static_cast<std::size_t>(sample.phase)];
        const double error = std::clamp(sample.target - foretold(sample), -10.0, 10.0);
        for (const auto feature : sample.features) {
            const auto i = static_cast<std::size_t>(feature);
            squares[i] += error * error;
            weights[i] += rate * (error / std::sqrt(squares[i]) - 1e-4 * weights[i]);
        }
    }

    std::vector<Sample> samples_;
    std::size_t held_out_;
    std::array<Row, Features::phases> weights_{}, squares_;
};

void fit(const std::string& path, const std::vector<std::string>& files) {
    std::vector<Sample> samples;
    for (const auto& file : files)
        for (const Position& position : read_positions(file)) samples.push_back(sample_of(position));
    if (samples.size() < 20) std::exit((std::fputs("too few positions\n", stderr), 1));
    const auto fit = std::make_unique<Fit>(std::move(samples));
    fit->run();
    const DiverciteWeights weights = fit->weights();
    std::FILE* file = open_file(path, "wb");
    std::fwrite(&weights, sizeof weights, 1, file);
    std::fclose(file);
}

void print(const std::string& path) {
    std::printf(
        "#pragma once\n\n// What the features of a position are worth, in hundredths of a point, for every four "
        "plies.\n"
        "// Made by core/games/divercite/fit/fit.sh.\n\n#include \"divercite_prospects.hpp\"\n\nnamespace joute {\n\n"
        "// clang-format off\ninline constexpr DiverciteWeights divercite_weights{{{\n");
    for (const auto& phase : read_weights(path).of_phase) {
        std::printf("    {");
        for (std::size_t i = 0; i < phase.size(); ++i) std::printf("%s%d,", i % 24 ? "" : "\n        ", phase[i]);
        std::printf("\n    },\n");
    }
    std::printf("}}};\n// clang-format on\n\n}  // namespace joute\n");
}

}  // namespace

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    const auto number = [&](std::size_t i) { return std::strtoull(arguments[i].c_str(), nullptr, 10); };
    const std::string command = arguments.empty() ? "" : arguments[0];
    if (command == "play" && (arguments.size() == 6 || arguments.size() == 7))
        play(arguments[1], static_cast<int>(number(2)), static_cast<int>(number(3)), number(4), number(5),
             arguments.size() == 7 ? arguments[6] : "");
    else if (command == "fit" && arguments.size() >= 3)
        fit(arguments[1], {arguments.begin() + 2, arguments.end()});
    else if (command == "match" && arguments.size() == 7)
        match<SelfPlayer>(static_cast<int>(number(1)), static_cast<int>(number(2)), number(3), number(4),
                          {arguments[5], arguments[6]}, random_opening);
    else if (command == "print" && arguments.size() == 2)
        print(arguments[1]);
    else
        return std::fputs("fit_divercite play, fit, match or print: see the head of core/games/divercite/fit/fit.cpp\n",
                          stderr),
               2;
}
