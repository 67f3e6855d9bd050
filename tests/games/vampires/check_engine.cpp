// Runs the search of the engine of Vampires vs Werewolves under the address and undefined-behaviour sanitizers (make
// sanitize): with any contempt, pruning does not change the values, and all of them stay in [-1, 1].

#include <cmath>
#include <cstdio>
#include <string>

#include "checks.hpp"
#include "games/vampires/engine.hpp"
#include "games/vampires/evaluate.hpp"
#include "plain_options.hpp"
#include "search/alphabeta/alphabeta.hpp"

using namespace joute;

namespace {

int searches = 0;

// A board of 3x4 with two groups of each species at most and three houses.
std::string any_position(Random& random) {
    std::string cells;
    const std::string species = random.below(2) == 0 ? "vwhhh" : "vwvwh";
    std::uint32_t taken = 0;
    for (const char kind : species) {
        std::uint32_t place;
        do place = random.below(12);
        while (taken >> place & 1);
        taken |= 1u << place;
        cells += (cells.empty() ? "" : "+") + std::to_string(1 + random.below(12)) + kind + std::to_string(place % 4) +
                 "." + std::to_string(place / 4);
    }
    return "3x4/" + cells + (random.below(3) == 0 ? "/" + std::to_string(195 + random.below(5)) : "");
}

SearchResult<VampiresTurn> search(const Vampires& state, const AlphaBetaOptions& options, double contempt, int depth) {
    VampiresEngine engine({options, contempt});
    const auto result = engine.run(state, {.depth = depth}, {}, {});
    ++searches;
    check(!result.moves.empty() && state.is_legal(result.moves[0].move), "a turn is legal in " + state.text());
    check(std::abs(result.value) <= 1, "a value from -1 to 1 in " + state.text());
    return result;
}

void check_values() {
    Random random(1);
    int random_battles = 0;
    std::uint64_t plain_nodes = 0, pruned_nodes = 0;
    const auto few = with(plain_alphabeta, &AlphaBetaOptions::few_outcomes, 1, &AlphaBetaOptions::memory_mb, 1);
    const auto slow =
        with(few, &AlphaBetaOptions::pruning, false, &AlphaBetaOptions::table, AlphaBetaOptions::TableUse::off);
    for (int i = 0; i < 60; ++i) {
        const auto state = Vampires::from_text(VampiresRules::find(""), any_position(random));
        const double contempt = (static_cast<int>(random.below(11)) - 5) / 10.0;
        const auto expected = search(state, slow, contempt, 2);
        plain_nodes += expected.nodes;
        for (const auto chance : {AlphaBetaOptions::ChancePruning::star1, AlphaBetaOptions::ChancePruning::star2}) {
            const auto found = search(state, with(few, &AlphaBetaOptions::chance, chance), contempt, 2);
            check(std::abs(found.value - expected.value) < 1e-9,
                  "the value of the full width, contempt " + std::to_string(contempt) + ", in " + state.text());
            if (chance == AlphaBetaOptions::ChancePruning::star1) pruned_nodes += found.nodes;
        }
        MoveList<Vampires> turns;
        state.generate(turns, 0);
        for (const VampiresTurn& turn : turns) {
            Vampires after = state;
            after.play(turn);
            random_battles += after.is_chance();
        }
    }
    check(random_battles > 50, "enough battles");
    check(pruned_nodes < plain_nodes, "pruning saves nodes");
}

// Without contempt, the search is plain alpha-beta with the engine's evaluation.
void check_none() {
    Random random(2);
    const auto options = with(plain_alphabeta, &AlphaBetaOptions::few_outcomes, 3, &AlphaBetaOptions::memory_mb, 1,
                              &AlphaBetaOptions::generator, 2, &AlphaBetaOptions::quiescence, 2);
    for (int i = 0; i < 30; ++i) {
        const auto state = Vampires::from_text(VampiresRules::find(""), any_position(random));
        AlphaBeta<Vampires> plain(options, in_role(vampires_evaluations, &EvaluationRoles::engine), nullptr);
        const auto expected = plain.run(state, {.depth = 3}, {}, {});
        const auto found = search(state, options, 0, 3);
        check(found.value == expected.value && found.nodes == expected.nodes &&
                  found.moves[0].move == expected.moves[0].move,
              "contempt 0 is plain alpha-beta in " + state.text());
    }
}

}  // namespace

int main() {
    check_values();
    check_none();
    std::printf("engine of vampires: %d searches\n", searches);
}
