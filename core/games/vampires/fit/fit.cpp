// Self-play for the network of the evaluation of Vampires vs Werewolves (core/games/vampires/weights.hpp).
// core/games/vampires/fit/fit.sh produces the network from scratch, with core/games/vampires/fit/fit.py.
//
//     fit_vampires play MAPS GAMES.bin COUNT THREADS NODES SEED [WEIGHTS.bin]    play games; without weights, by hand
//
//     fit_vampires match MAPS COUNT THREADS NODES SEED ONE.bin OTHER.bin         play pairs of games
//
//     fit_vampires shape                                                         print the shape of the network
//
// MAPS has one map per line. A game begins with 0 to 3 random plies, and later one ply in 30 is random. Alpha-beta
// plays all other plies with NODES positions. Every searched position is stored as features, with the value of the
// search and the outcome of the game.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "games/vampires/evaluate.hpp"
#include "self_play.hpp"

using namespace joute;

namespace {

struct Position {
    VampiresFeatures::List features;
    float outcome;  // of the game, for the mover
    float value;    // of the search, for the mover
};

// The hand-written evaluation of the first generation: units, the race for houses, and groups that could be destroyed.
double by_hand(const Vampires& state, const void*, const void*, Player for_player) {
    if (state.is_chance() || state.units(0) == 0 || state.units(1) == 0)
        return vampires_units(state, nullptr, nullptr, for_player);
    VampiresFeatures::List f;
    VampiresFeatures::list(state, f);
    const float logit =
        4 * f[0] + 2 * f[11] + 4 * f[13] + 3 * (f[18] - 0.7f * f[23]) + f[19] - f[24] + 0.5f * (f[20] - f[25]);
    const double value = 2.0f / (1.0f + exponential_f(-logit)) - 1.0f;
    return state.to_move() == for_player ? value : -value;
}

constexpr int contact_generator = 2;
static_assert(Vampires::generators[contact_generator] == "contact");

class SelfPlayer : public FitPlayer<Vampires> {
public:
    explicit SelfPlayer(const std::string& path)
        : evaluation_{.name = "fitted", .help = "", .value = vampires_network, .bound = 1} {
        AlphaBetaOptions options = usual_options();
        options.few_outcomes = 3;
        if (path.empty()) {
            evaluation_.value = by_hand;
        } else {
            weights_ = read_weights<VampiresWeights>(path);
            // The options of the engine (src/joute/games/vampires/agents/engine.py).
            options.generator = contact_generator;
            options.quiescence = 2;
        }
        search_by(options, evaluation_, weights_.get());
    }

private:
    Evaluation<Vampires> evaluation_;
    std::unique_ptr<VampiresWeights> weights_;
};

class Maps {
public:
    explicit Maps(const std::string& path) {
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) lines_.push_back(line);
        if (lines_.empty()) std::exit((std::fprintf(stderr, "%s holds no maps\n", path.c_str()), 1));
    }
    Vampires draw(Random& random) const {
        const std::size_t line = random.below(static_cast<std::uint32_t>(lines_.size()));
        return Vampires::from_text(VampiresRules::find(""), lines_[line]);
    }

private:
    std::vector<std::string> lines_;
};

std::vector<Position> play_game(const Maps& maps, SelfPlayer& player, std::uint64_t nodes, std::uint64_t seed) {
    Random random(seed);
    Vampires state = maps.draw(random);
    auto random_plies = random.below(4);
    player.forget();
    std::vector<Position> kept;
    std::vector<Player> movers;
    while (!state.is_terminal()) {
        if (random_plies > 0 || random.below(30) == 0) {
            if (random_plies > 0) --random_plies;
            state.play(state.random_move(random));
        } else {
            const auto result = player.think(state, nodes);
            Position& position = kept.emplace_back();
            VampiresFeatures::list(state, position.features);
            position.value = static_cast<float>(result.value);
            movers.push_back(state.to_move());
            state.play(result.moves[0].move);
        }
        settle_chance(state, random);
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
        kept[i].outcome = static_cast<float>(state.result().outcome_for(movers[i]));
    return kept;
}

void print_shape() {
    std::printf("%zu %zu %zu\n", VampiresFeatures::count, VampiresWeights::hidden, VampiresWeights::second);
}

}  // namespace

int main(int count, char** values) {
    const Words words(count, values);
    if (words.are("shape", 0, 0)) return print_shape(), 0;
    if (!words[1].empty()) {
        const Maps maps(words[1]);
        const auto play = [&](SelfPlayer& player, std::uint64_t nodes, std::uint64_t seed) {
            return play_game(maps, player, nodes, seed);
        };
        const auto open = [&](Random& random) { return maps.draw(random); };
        if (do_play<SelfPlayer>(words, play, 2) || do_match<SelfPlayer>(words, open, 2)) return 0;
    }
    std::fputs("fit_vampires play, match or shape: see the head of core/games/vampires/fit/fit.cpp\n", stderr);
    return 2;
}
