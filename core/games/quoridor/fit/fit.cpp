// Self-play for the network of Quoridor's evaluation (core/games/quoridor/weights.hpp). core/games/quoridor/fit/fit.sh
// produces the network from scratch, with core/games/quoridor/fit/fit.py.
//
//     fit_quoridor play GAMES.bin COUNT THREADS NODES SEED [WEIGHTS.bin]    play games (no weights: by steps, walls)
//     fit_quoridor match COUNT THREADS NODES SEED ONE.bin OTHER.bin         play pairs of games from random openings
//     fit_quoridor shape                                                    print the shape of the network for fit.py
//
// A game begins with 0 to 12 random plies, and later one ply in 20 is random; half of the random plies are pawn steps.
// Alpha-beta plays all other plies with NODES positions. Every searched position is stored as features, with the value
// of the search and the outcome of the game. Once nobody has walls, the solved race gives the outcome. A game of 200
// plies is a draw.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "games/quoridor/evaluate.hpp"
#include "self_play.hpp"

using namespace joute;

namespace {

constexpr int longest_game = 200;

const QuoridorRules* rules() { return QuoridorRules::find(""); }

struct Position {
    std::array<std::int16_t, QuoridorFeatures::most> features;  // padded with QuoridorFeatures::count
    std::int16_t outcome;                                       // of the game, for the mover
    float value;                                                // of the search, a logit, for the mover
};

// The evaluation of the first generation: a logit, with 0.4 for a step and half of that for a wall.
double by_steps_and_walls(const Quoridor& state, const void*, const void*, Player for_player) {
    const Player other = opponent(for_player);
    return 0.4 * (state.distance(other) - state.distance(for_player)) +
           0.18 * (state.walls_left(for_player) - state.walls_left(other)) +
           (state.to_move() == for_player ? 0.2 : -0.2);
}

class SelfPlayer : public FitPlayer<Quoridor> {
public:
    explicit SelfPlayer(const std::string& path)
        : evaluation_(*in_role(quoridor_evaluations, &EvaluationRoles::engine)) {
        AlphaBetaOptions options = usual_options();
        options.symmetries = true;
        options.reductions = 1;
        options.generator = Quoridor::candidates;
        if (path.empty())
            evaluation_.value = by_steps_and_walls;
        else
            weights_ = read_weights<QuoridorWeights>(path);
        search_by(options, evaluation_, weights_.get());
    }

private:
    Evaluation<Quoridor> evaluation_;
    std::unique_ptr<QuoridorWeights> weights_;
};

void play_randomly(Quoridor& state, Random& random) {
    if (random.below(2)) return state.play(state.random_move(random));
    quoridor_board::Cells steps = state.pawn_moves();
    for (auto n = random.below(static_cast<std::uint32_t>(quoridor_board::count(steps))); n > 0; --n)
        steps &= steps - 1;
    state.play(Quoridor::step(quoridor_board::lowest(steps)));
}

Quoridor random_opening(Random& random) {
    Quoridor state(rules());
    for (int ply = 0; ply < 4; ++ply) play_randomly(state, random);
    return state;
}

std::vector<Position> play_game(SelfPlayer& player, std::uint64_t nodes, std::uint64_t seed) {
    Random random(seed);
    Quoridor state(rules());
    for (auto plies = random.below(13); plies > 0; --plies) play_randomly(state, random);
    player.forget();
    std::vector<Position> kept;
    std::vector<Player> movers;
    int outcome = 0;
    while (state.ply() < longest_game) {
        if (state.is_terminal()) {
            outcome = state.result().outcome;
            break;
        }
        if (const auto end = quoridor_race_end(state)) {
            outcome = end->outcome;
            break;
        }
        if (random.below(20) == 0) {
            play_randomly(state, random);
            continue;
        }
        const auto result = player.think(state, nodes);
        Position& position = kept.emplace_back();
        QuoridorFeatures::List features;
        QuoridorFeatures::list(state, features);
        position.features.fill(QuoridorFeatures::count);
        std::copy(features.begin(), features.end(), position.features.begin());
        position.value = static_cast<float>(std::clamp(result.value, -20.0, 20.0));
        movers.push_back(state.to_move());
        state.play(result.moves[0].move);
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
        kept[i].outcome = static_cast<std::int16_t>(movers[i] == 0 ? outcome : -outcome);
    return kept;
}

void print_shape() {
    std::printf("%d %zu %d %d %d\n", QuoridorFeatures::count, QuoridorFeatures::most, QuoridorWeights::first,
                QuoridorWeights::second, QuoridorWeights::one);
}

}  // namespace

int main(int count, char** values) {
    const Words words(count, values);
    if (do_play<SelfPlayer>(words, play_game) || do_match<SelfPlayer>(words, random_opening)) return 0;
    if (words.are("shape", 0, 0)) return print_shape(), 0;
    std::fputs("fit_quoridor play, match or shape: see the head of core/games/quoridor/fit/fit.cpp\n", stderr);
    return 2;
}
