// Runs the paper's player of Vampires vs Werewolves under the address and undefined-behaviour sanitizers (make
// sanitize): random options on random maps and on crowded boards, whole games, and searches that are stopped anywhere.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "checks.hpp"
#include "games/vampires/langorou/langorou.hpp"

using namespace joute;

namespace {

int searches = 0;

LangorouOptions any_options(Random& random) {
    const auto coin = [&] { return random.below(2) == 1; };
    using O = LangorouOptions;
    O options{.weights = {.counts = 1, .battles = 0.02, .neutral_battles = 0.03, .groups = 0, .pairs_twice = true},
              .cum_score = 0.0001,
              .cum_alpha = 0.001,
              .win_score = 1e10,
              .lose_over_win_ratio = 0.8,
              .win_threshold = 0.8,
              .max_groups = 2,
              .chance = O::Chance::rounded,
              .bins = 5,
              .windows = O::Windows::shared,
              .scale = O::Scale::raw,
              .softness = 5,
              .quiescence = O::Quiescence::none,
              .merge = O::Merge::adjacent,
              .wrap = true,
              .splits = O::Splits::half,
              .ply_limit = O::PlyLimit::unaware,
              .table = O::Table::yes,
              .lines = 1};
    options.chance = any_of<O::Chance>(random, 2);
    options.scale = any_of<O::Scale>(random, 2);
    if (options.scale == O::Scale::bounded) options.windows = any_of<O::Windows>(random, 3);
    options.quiescence = any_of<O::Quiescence>(random, 2);
    options.merge = any_of<O::Merge>(random, 2);
    options.splits = any_of<O::Splits>(random, 2);
    options.ply_limit = any_of<O::PlyLimit>(random, 2);
    options.weights.pairs_twice = coin();
    options.wrap = coin();
    options.table = any_of<O::Table>(random, 3);
    options.bins = 2 + static_cast<int>(random.below(6));
    options.win_threshold = coin() ? 1 : 0.5;
    options.max_groups = static_cast<int>(random.below(6));
    options.lines = coin() ? 1 : 3;
    return options;
}

// Cells of any kind and any count, at least one of each species.
std::string any_position(Random& random, int side, std::uint32_t occupied, std::uint32_t most) {
    std::string cells;
    std::uint32_t placed = 0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const auto left = static_cast<std::uint32_t>(side * side - (y * side + x));
            if (random.below(left) >= occupied - placed) continue;
            const char species = placed < 2 ? "vw"[placed] : "vwh"[random.below(3)];
            cells += (cells.empty() ? "" : "+") + std::to_string(1 + random.below(most)) + species + std::to_string(x) +
                     "." + std::to_string(y);
            ++placed;
        }
    const std::string size = std::to_string(side);
    const std::string ply = random.below(3) == 0 ? "/" + std::to_string(195 + random.below(5)) : "";
    return size + "x" + size + "/" + cells + ply;
}

VampiresTurn search(const Vampires& state, Langorou& langorou, const Limits& limits) {
    const auto result = langorou.run(state, limits, {}, {});
    ++searches;
    check(!result.moves.empty() && state.is_legal(result.moves[0].move), "a turn is legal in " + state.text());
    check(result.moves[0].line[0] == result.moves[0].move, "a line begins with its turn");
    Vampires after = state;
    for (const VampiresTurn& turn : result.moves[0].line) {
        check(!after.is_chance() && after.is_legal(turn), "a line is legal in " + state.text());
        after.play(turn);
    }
    return result.moves[0].move;
}

void check_positions() {
    Random random(1);
    for (int i = 0; i < 60; ++i) {
        const int side = 2 + static_cast<int>(random.below(15));
        const auto cells = static_cast<std::uint32_t>(side * side);
        const std::uint32_t occupied = 2 + random.below(std::min(cells, 255u) - 1);
        const std::uint32_t most = random.below(2) == 0 ? 12 : 255;
        const VampiresRules* rules = VampiresRules::find(random.below(2) == 0 ? "" : "rules=text-strict");
        const auto state = Vampires::from_text(rules, any_position(random, side, occupied, most));
        if (state.is_terminal()) continue;
        Langorou langorou(any_options(random));
        search(state, langorou, {.seconds = 0.05, .nodes = 1 + random.below(1500)});
    }
}

void check_games() {
    Random random(2);
    for (const char* map : {"arena", "hamlet", "bait", "fork", "village"})
        for (int game = 0; game < 2; ++game) {
            Vampires state(VampiresRules::find("plies=30,map=" + std::string(map)));
            Langorou players[] = {Langorou(any_options(random)), Langorou(any_options(random))};
            while (!state.is_terminal()) {
                state.play(search(state, players[state.to_move()], {.nodes = 300}));
                while (state.is_chance()) {
                    OutcomeList<Vampires> outcomes;
                    state.outcomes(outcomes);
                    state.resolve(static_cast<int>(random.below(static_cast<std::uint32_t>(outcomes.size()))));
                }
            }
        }
}

// Values that are not pruned by an error do not depend on what prunes them.
void check_values() {
    Random random(3);
    for (int i = 0; i < 40; ++i) {
        const auto state = Vampires::from_text(VampiresRules::find(""), any_position(random, 3, 4, 9));
        if (state.is_terminal()) continue;
        LangorouOptions options = any_options(random);
        options.scale = LangorouOptions::Scale::bounded;
        double values[4];
        for (int j = 0; j < 4; ++j) {
            options.windows = j % 2 == 0 ? LangorouOptions::Windows::star1 : LangorouOptions::Windows::star2;
            options.table = j < 2 ? LangorouOptions::Table::yes : LangorouOptions::Table::no;
            values[j] = Langorou(options).run(state, {.depth = 3}, {}, {}).value;
            ++searches;
            check(std::abs(values[j] - values[0]) < 1e-9, "one value, however it is pruned, in " + state.text());
        }
    }
}

}  // namespace

int main() {
    check_positions();
    check_games();
    check_values();
    std::printf("langorou: %d searches\n", searches);
}
