#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "../options.hpp"
#include "../search/network/batch.hpp"
#include "../search/network/gumbel.hpp"

namespace joute {

struct SelfPlayOptions {
    enum class Kind { gumbel, puct };
    static constexpr std::array<std::string_view, 2> kind_names{"gumbel", "puct"};

    int games;  // played side by side; each has one position in every batch
    int threads;
    std::uint64_t seed;

    Kind search;
    int simulations;
    GumbelRule gumbel;
    PuctRule puct;
    // PUCT explores by noise on the root's priors and by drawing moves in proportion to their visits.
    double noise_share;
    double noise_alpha;
    double temperature;
    int temperature_plies;
    bool reuse;       // what was searched below the move played
    bool symmetries;  // the network sees each leaf through a random one
    int generator;

    // Playout cap (Wu 2019): only this share of the moves is searched in full and becomes a target.
    double full_share;
    int fast_simulations;
    // Games that begin after up to so many random moves show the network what good play avoids.
    double random_share;
    int random_plies;
    // From this ply on the game's exact solver says what a position is worth; negative for never.
    int exact_from;
    int max_plies;  // then a game counts as stopped; 0 for never

    // Complains of what cannot be played or searched with.
    template <Playable S>
    void check() const {
        if (games < 1 || threads < 1) throw JouteError("a batch needs a position and a thread at least");
        if (simulations < 1 || fast_simulations < 1) throw JouteError("a search needs a simulation at least");
        check_generator<S>(generator);
    }

    static constexpr auto fields() {
        using O = SelfPlayOptions;
        return std::tuple{
            Option<&O::games>{"games"},
            Option<&O::threads>{"threads"},
            Option<&O::seed>{"seed"},
            Option<&O::search>{"search", kind_names},
            Option<&O::simulations>{"simulations"},
            Option<&O::fast_simulations>{"fast_simulations"},
            Option<&O::full_share>{"full_share"},
            Option<&O::gumbel, &GumbelRule::considered>{"considered"},
            Option<&O::gumbel, &GumbelRule::c_visit>{"c_visit"},
            Option<&O::gumbel, &GumbelRule::c_scale>{"c_scale"},
            Option<&O::puct, &PuctRule::c>{"c_puct"},
            Option<&O::puct, &PuctRule::fpu_reduction>{"fpu_reduction"},
            Option<&O::noise_share>{"noise_share"},
            Option<&O::noise_alpha>{"noise_alpha"},
            Option<&O::temperature>{"temperature"},
            Option<&O::temperature_plies>{"temperature_plies"},
            Option<&O::symmetries>{"symmetries"},
            Option<&O::reuse>{"reuse"},
            Option<&O::random_share>{"random_share"},
            Option<&O::random_plies>{"random_plies"},
            Option<&O::exact_from>{"exact_from"},
            Option<&O::max_plies>{"max_plies"},
            Option<&O::generator>{"generator"},
        };
    }
};

}  // namespace joute
