// Fits the weights of Divercité's evaluation (core/games/divercite/weights.hpp) to self-play.
// core/games/divercite/fit/fit.sh produces the shipped weights from scratch.
//
//     fit_divercite play GAMES.bin COUNT THREADS NODES SEED [WEIGHTS.bin]     play games; without weights, by points
//     fit_divercite fit WEIGHTS.bin GAMES.bin...                              fit the weights to the games
//     fit_divercite match COUNT THREADS NODES SEED ONE.bin OTHER.bin          play pairs of games from random openings
//     fit_divercite print WEIGHTS.bin                                         print the header
//
// A game begins with 0 to 10 random plies; then alpha-beta plays each move with NODES positions, maximizing points, and
// one move in 25 is random. The positions since the last random move are stored with the value of the search and the
// final margin, plus half a point for the winner. The target of the fit is four fifths of the search value plus one
// fifth of the final margin; the method is stochastic gradient descent (Adagrad, eight passes, errors clipped at ten
// points, weights regularized towards 0).
//
// The games at the end of the last file, one position in twenty, are held out of the fit and measure its error.

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
#include "self_play.hpp"

using namespace joute;

namespace {

using Features = DiverciteFeatures;

const DiverciteRules* rules() { return DiverciteRules::find(""); }

// --- Files ---

struct Position {
    std::array<char, 62> text;    // the longest possible position, padded with zeros
    std::int8_t margin, outcome;  // of its game, for White
    float value;                  // of the search, for the player to move
};

// --- Play ---

// Alpha-beta with the given weights, or by points alone.
class SelfPlayer : public FitPlayer<Divercite> {
public:
    explicit SelfPlayer(const std::string& path) : prospects_(path.empty() ? nullptr : load(path)) {
        AlphaBetaOptions options = usual_options();
        options.reductions = 1;
        options.ends = AlphaBetaOptions::Ends::points;
        const auto role = prospects_ ? &EvaluationRoles::engine : &EvaluationRoles::greedy;
        const auto& evaluation = *in_role(divercite_evaluations, role);
        search_by(options, evaluation, prospects_.get());
    }

private:
    static std::unique_ptr<DiverciteProspects> load(const std::string& path) {
        return std::make_unique<DiverciteProspects>(*read_weights<DiverciteWeights>(path));
    }
    std::unique_ptr<DiverciteProspects> prospects_;
};

Divercite random_opening(Random& random) {
    Divercite state(rules());
    for (int ply = 0; ply < 4; ++ply) state.play(state.random_move(random));
    return state;
}

std::vector<Position> play_game(SelfPlayer& player, std::uint64_t nodes, std::uint64_t seed) {
    const auto keep = [](const Divercite& state, const auto& result) {
        Position position{};
        const std::string text = state.text();
        std::copy(text.begin(), text.end(), position.text.begin());
        position.value = static_cast<float>(result.value);
        return position;
    };
    return play_to_the_end(Divercite(rules()), player, nodes, Random(seed), {.opening = 10, .one_in = 25}, keep);
}

// --- Fit ---

// A position as the fit uses it.
struct Sample {
    std::vector<std::int16_t> features;
    std::int16_t phase;
    float target;  // future points, for the mover: the value minus the current points
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
    constexpr double trust = 0.8;  // share of the search value in the target
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
        for (const Position& position : read_positions<Position>(file)) samples.push_back(sample_of(position));
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
        "#pragma once\n\n// The weights of the features of a position, in hundredths of a point, for every four "
        "plies.\n"
        "// Generated by core/games/divercite/fit/fit.sh.\n\n#include \"prospects.hpp\"\n\nnamespace joute {\n\n"
        "// clang-format off\ninline constexpr DiverciteWeights divercite_weights{{{\n");
    const auto weights = read_weights<DiverciteWeights>(path);
    for (const auto& phase : weights->of_phase) {
        std::printf("    {");
        for (std::size_t i = 0; i < phase.size(); ++i) std::printf("%s%d,", i % 24 ? "" : "\n        ", phase[i]);
        std::printf("\n    },\n");
    }
    std::printf("}}};\n// clang-format on\n\n}  // namespace joute\n");
}

}  // namespace

int main(int count, char** values) {
    const Words words(count, values);
    if (do_play<SelfPlayer>(words, play_game) || do_match<SelfPlayer>(words, random_opening)) return 0;
    if (words.are("fit", 2, 1000)) return fit(words[1], words.from(2)), 0;
    if (words.are("print", 1, 1)) return print(words[1]), 0;
    std::fputs("fit_divercite play, fit, match or print: see the head of core/games/divercite/fit/fit.cpp\n", stderr);
    return 2;
}
