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

    int games;  // played in parallel; each has one position in every batch
    int threads;
    std::uint64_t seed;

    Kind search;
    int simulations;
    GumbelRule gumbel;
    PuctRule puct;
    // Exploration in PUCT: noise on the root's priors, and moves drawn in proportion to their visits.
    double noise_share;
    double noise_alpha;
    double temperature;
    int temperature_plies;
    bool reuse;           // keep the subtree below the move played
    bool symmetries;      // transform each leaf by a random one for the network
    bool scrambled;       // read the policy of a transformed leaf as if it were not transformed, an error of a paper
    bool greedy_targets;  // from `temperature_plies` on, the policy target is the move played (puct)
    int generator;
    int few_outcomes;   // merge similar outcomes of a random event in the search; 0 for all outcomes
    FrameChoice frame;  // of the network

    // Playout cap randomization (Wu 2019): only this share of the moves is searched in full and becomes a target.
    double full_share;
    int fast_simulations;
    // This share of the games begins with up to `random_plies` random moves, so that the network also sees positions
    // that good play avoids.
    double random_share;
    int random_plies;
    // From this ply on, the exact solver of the game gives the value of a position; negative for never.
    int exact_from;
    int max_plies;  // a game is stopped at this ply; 0 for never
    // The first game of each slot begins with up to this many plies drawn from the policy without search, which are no
    // targets. Otherwise games of equal length would all end at the same time.
    int stagger;
    double repetition_penalty;  // in the search alone; see NetworkTree::set_repetition_penalty

    // Throws JouteError for options that cannot work.
    template <Playable S>
    void check() const {
        if (games < 1 || threads < 1) throw JouteError("games and threads must be at least 1");
        if (simulations < 1 || fast_simulations < 1)
            throw JouteError("simulations and fast_simulations must be at least 1");
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
            Option<&O::stagger>{"stagger"},
            Option<&O::repetition_penalty>{"repetition_penalty"},
            Option<&O::scrambled>{"scrambled"},
            Option<&O::greedy_targets>{"greedy_targets"},
            Option<&O::generator>{"generator"},
            Option<&O::few_outcomes>{"few_outcomes"},
            Option<&O::frame, &FrameChoice::encoding>{"encoding"},
            Option<&O::frame, &FrameChoice::rows>{"frame_rows"},
            Option<&O::frame, &FrameChoice::columns>{"frame_columns"},
        };
    }
};

}  // namespace joute
