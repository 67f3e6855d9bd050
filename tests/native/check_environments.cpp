// Batches of games for learners: random actions in all games, and choices of several actions, under the address and
// undefined-behaviour sanitizers (make sanitize).

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "dice.hpp"
#include "games/avalam/avalam.hpp"
#include "games/connect4/connect4.hpp"
#include "games/divercite/divercite.hpp"
#include "games/quoridor/quoridor.hpp"
#include "games/vampires/chooser.hpp"
#include "selfplay/environments.hpp"
#include "tictactoe.hpp"

using namespace joute;

namespace {

template <ChoiceGame S>
void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "environments of %s: %s does not hold\n", std::string(S::name).c_str(), what);
    std::exit(1);
}

template <ChoiceGame S>
void check_environments(int steps) {
    const EnvironmentOptions options{.games = 5, .threads = 2, .max_plies = 40};
    const auto games = static_cast<std::size_t>(options.games);
    Environments<S> environments(options, {InPlay<S>(S::Rules::find(""))});
    const auto size = static_cast<std::size_t>(environments.shape().size());
    std::vector<std::uint8_t> planes(games * size), mask(games * environments.actions()), terminated(games),
        truncated(games), final_planes(games * size);
    std::vector<std::int8_t> to_move(games);
    std::vector<float> rewards(games);
    const EnvironmentArrays arrays{planes.data(),     mask.data(),      to_move.data(),     rewards.data(),
                                   terminated.data(), truncated.data(), final_planes.data()};
    environments.seed(1);
    environments.reset(nullptr, arrays);
    std::vector<std::int64_t> actions(games);
    int ends = 0;
    for (int step = 0; step < steps; ++step) {
        environments.random_actions(actions.data());
        for (std::size_t i = 0; i < games; ++i) {
            check<S>(mask[i * environments.actions() + static_cast<std::size_t>(actions[i])] == 1, "a masked action");
            check<S>(!environments.action_text(i, actions[i]).empty(), "the text of an action");
        }
        check<S>(environments.step(actions.data(), arrays) == games, "a legal action");
        for (std::size_t i = 0; i < games; ++i) ends += terminated[i] + truncated[i];
    }
    check<S>(ends > 0, "the end of a game");
    environments.random_actions(actions.data());
    actions.back() = -1;
    check<S>(environments.step(actions.data(), arrays) == games - 1, "the refusal of an illegal action");
}

}  // namespace

int main() {
    check_environments<Connect4>(100);
    check_environments<Avalam>(100);
    check_environments<Divercite>(100);
    check_environments<Quoridor>(100);
    check_environments<Vampires>(200);
    check_environments<Boxes>(100);
    check_environments<Dice>(100);
    check_environments<TicTacToe>(100);
    std::puts("environments: ok");
}
