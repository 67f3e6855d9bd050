// The engine of Vampires vs Werewolves as a program that answers positions, for matches against the engine of an older
// commit: this file is compiled with the headers of that commit (tools/vampires_matches.py). It reads lines from
// standard input:
//
//     turn NODES SECONDS POSITION   search, 0 for no limit; it writes TURN NODES DEPTH
//     forget                        begin a new game; it writes nothing

#include <iostream>

#include "games/vampires/evaluate.hpp"
#include "self_play.hpp"

using namespace joute;

namespace {

struct Engine : FitPlayer<Vampires> {
    // As src/joute/games/vampires/agents/engine.py sets them.
    static AlphaBetaOptions options() {
        AlphaBetaOptions options = usual_options();
        options.few_outcomes = 3;
        options.quiescence = 2;
        options.generator = 2;
        static_assert(Vampires::generators[2] == "contact");
        return options;
    }
};

}  // namespace

int main() {
    static_assert(vampires_evaluations[1].roles.engine || vampires_evaluations[1].roles.by_default);
    AlphaBeta<Vampires> search(Engine::options(), &vampires_evaluations[1], nullptr);
    for (std::string command; std::cin >> command;) {
        if (command == "forget") {
            search.forget();
            continue;
        }
        Limits limits;
        std::string position;
        if (command != "turn" || !(std::cin >> limits.nodes >> limits.seconds >> position)) return 2;
        if (limits.nodes == 0) limits.nodes = Limits{}.nodes;
        if (limits.seconds == 0) limits.seconds = Limits{}.seconds;
        const Vampires state = Vampires::from_text(VampiresRules::find(""), position);
        const auto found = search.run(state, limits, {}, {});
        std::cout << Vampires::move_text(found.moves[0].move) << ' ' << found.nodes << ' ' << found.depth << std::endl;
    }
}
