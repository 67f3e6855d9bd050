#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "../search/network/batch.hpp"
#include "../search/network/gumbel.hpp"

namespace joute {

struct SelfPlayOptions {
    enum class Kind { gumbel, puct };
    static constexpr std::array<std::string_view, 2> kind_names{"gumbel", "puct"};

    int games = 8192;  // played side by side; each has one position in every batch
    int threads = 1;
    std::uint64_t seed = 0;

    Kind search = Kind::gumbel;
    int simulations = 32;
    GumbelRule gumbel;
    PuctRule puct;
    // PUCT explores by noise on the root's priors and by drawing moves in proportion to their visits.
    double noise_share = 0.25;
    double noise_alpha = 1.0;
    double temperature = 1.0;
    int temperature_plies = 30;
    bool reuse = true;        // what was searched below the move played
    bool symmetries = false;  // the network sees each leaf through a random one
    int generator = 0;

    // Playout cap (Wu 2019): only this share of the moves is searched in full and becomes a target.
    double full_share = 1.0;
    int fast_simulations = 8;
    // Games that begin after up to so many random moves show the network what good play avoids.
    double random_share = 0;
    int random_plies = 0;
    // From this ply on the game's exact solver says what a position is worth; negative for never.
    int exact_from = -1;
    int max_plies = 0;  // then a game counts as stopped; 0 for never

    // Complains of what cannot be played or searched with.
    template <Playable S>
    void check() const {
        if (games < 1 || threads < 1) throw JouteError("a batch needs a position and a thread at least");
        if (simulations < 1 || fast_simulations < 1) throw JouteError("a search needs a simulation at least");
        check_generator<S>(generator);
    }
};

}  // namespace joute
