#pragma once

// The players of the self-play and the matches, by their names:
//
//     hand                        alpha-beta with a hand-written evaluation, for the first generation
//     today                       the engine
//     WEIGHTS.bin                 the engine with other weights
//     langorou, corrected         the paper's player, with its errors and without
//     program=PATH                a program that answers positions (answer.cpp), such as the engine of an older commit
//
// Names are followed by limits and, for alpha-beta, options: `today,nodes=3000,contempt=0.1`, `langorou,seconds=0.02`.
// A name that no player has is a file.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "games/vampires/engine.hpp"
#include "games/vampires/evaluate.hpp"
#include "games/vampires/langorou/langorou.hpp"
#include "program.hpp"
#include "self_play.hpp"

namespace joute {

// The hand-written evaluation: units, the race for houses, and groups that could be destroyed.
inline double vampires_by_hand(const Vampires& state, const void*, const void*, Player for_player) {
    if (state.is_chance() || state.units(0) == 0 || state.units(1) == 0)
        return vampires_units(state, nullptr, nullptr, for_player);
    VampiresFeatures::List f;
    VampiresFeatures::list(state, f);
    const float logit =
        4 * f[0] + 2 * f[11] + 4 * f[13] + 3 * (f[18] - 0.7f * f[23]) + f[19] - f[24] + 0.5f * (f[20] - f[25]);
    const double value = 2.0f / (1.0f + exponential_f(-logit)) - 1.0f;
    return state.to_move() == for_player ? value : -value;
}

class VampiresFitPlayer : FitPlayer<Vampires> {
public:
    using Found = SearchResult<VampiresTurn>;

    explicit VampiresFitPlayer(const std::string& text)
        : evaluation_{.name = "fitted", .help = "", .value = vampires_network, .bound = 1} {
        const auto words = split(text);
        const std::string name = name_of(words[0]);
        if (name == "langorou" || name == "corrected" || name == "program") {
            for (std::size_t i = 1; i < words.size(); ++i)
                if (!set_limit(words[i])) refuse(words[i]);
            if (name == "program")
                search_ = std::make_unique<VampiresProgram>(words[0].substr(words[0].find('=') + 1));
            else
                search_ = std::make_unique<Langorou>(langorou_options(name == "corrected"));
            return;
        }
        VampiresEngineOptions options{usual_options(), 0};
        options.few_outcomes = 3;
        if (name == "hand") {
            evaluation_.value = vampires_by_hand;
        } else {
            if (name != "today") weights_ = read_weights<VampiresWeights>(words[0]);
            // The options of the engine (src/joute/games/vampires/agents/engine.py).
            options.generator = 2;
            static_assert(Vampires::generators[2] == "contact");
            options.quiescence = 2;
        }
        for (std::size_t i = 1; i < words.size(); ++i)
            if (!set_limit(words[i]) && !set_option(options, words[i])) refuse(words[i]);
        if (name == "today")
            search_ = std::make_unique<VampiresEngine>(options);
        else if (options.contempt == 0)
            search_ = std::make_unique<AlphaBeta<Vampires>>(options, &evaluation_, weights_.get());
        else
            std::exit((std::fprintf(stderr, "only today has contempt\n"), 2));
    }

    VampiresFitPlayer(const VampiresFitPlayer&) = delete;  // the search points to its evaluation
    VampiresFitPlayer& operator=(const VampiresFitPlayer&) = delete;

    Found think(const Vampires& state) { return search_->run(state, limits_, {}, {}); }
    void forget() { search_->forget(); }

private:
    static std::vector<std::string> split(const std::string& text) {
        std::vector<std::string> words(1);
        for (const char letter : text)
            if (letter == ',')
                words.emplace_back();
            else
                words.back() += letter;
        return words;
    }
    static std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }
    static double number_of(const std::string& word) {
        return std::strtod(word.c_str() + std::min(word.find('='), word.size() - 1) + 1, nullptr);
    }
    [[noreturn]] static void refuse(const std::string& word) {
        std::fprintf(stderr, "%s is no option of this player\n", word.c_str());
        std::exit(2);
    }

    bool set_limit(const std::string& word) {
        if (name_of(word) == "nodes")
            limits_.nodes = static_cast<std::uint64_t>(number_of(word));
        else if (name_of(word) == "seconds")
            limits_.seconds = number_of(word);
        else
            return false;
        return true;
    }
    // Sets a number, a switch (0 or 1) or a choice (by its place).
    static bool set_option(VampiresEngineOptions& options, const std::string& word) {
        bool found = false;
        const auto set = [&](const auto& option) {
            if (option.name != name_of(word)) return;
            auto& field = option.of(options);
            field = static_cast<std::remove_reference_t<decltype(field)>>(static_cast<int>(number_of(word)));
            if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(field)>>) field = number_of(word);
            found = true;
        };
        std::apply([&](const auto&... all) { (set(all), ...); }, VampiresEngineOptions::fields());
        return found;
    }
    // As src/joute/games/vampires/agents/langorou.py sets them.
    static LangorouOptions langorou_options(bool corrected) {
        using O = LangorouOptions;
        return {
            .weights = {.counts = 1, .battles = 0.02, .neutral_battles = 0.03, .groups = 0, .pairs_twice = !corrected},
            .cum_score = 0.0001,
            .cum_alpha = 0.001,
            .win_score = 1e10,
            .lose_over_win_ratio = 0.8,
            .win_threshold = 0.8,
            .max_groups = 2,
            .chance = corrected ? O::Chance::exact : O::Chance::rounded,
            .bins = 5,
            .windows = corrected ? O::Windows::star1 : O::Windows::shared,
            .scale = corrected ? O::Scale::bounded : O::Scale::raw,
            .softness = 5,
            .quiescence = corrected ? O::Quiescence::captures : O::Quiescence::none,
            .merge = corrected ? O::Merge::target : O::Merge::adjacent,
            .wrap = !corrected,
            .splits = corrected ? O::Splits::houses : O::Splits::half,
            .ply_limit = corrected ? O::PlyLimit::aware : O::PlyLimit::unaware,
            .table = O::Table::yes,
            .lines = 1};
    }

    Limits limits_;
    Evaluation<Vampires> evaluation_;
    std::unique_ptr<VampiresWeights> weights_;
    std::unique_ptr<Search<Vampires>> search_;
};

}  // namespace joute
