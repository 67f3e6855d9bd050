#include "bind/bind_search.hpp"
#include "bind/stamp.hpp"
#include "boxes.hpp"
#include "dice.hpp"
#include "pile.hpp"
#include "tictactoe.hpp"

namespace joute {

void bind_toy_networks(nb::class_<InPlay<Boxes>>& boxes, nb::class_<InPlay<Dice>>& dice,
                       nb::class_<InPlay<TicTacToe>>& tictactoe);

}  // namespace joute

NB_MODULE(joute_toys, module) {
    using namespace joute;
    module.doc() =
        "Toy games that prove the game concept: chance states, two moves in a row, one that tests can solve, one half "
        "bound.";
    check_plugin(module);
    auto boxes = bind_game<Boxes>(module, "Boxes");
    auto dice = bind_game<Dice>(module, "Dice");
    bind_game<Pile>(module, "Pile");
    auto tictactoe = bind_game<TicTacToe>(module, "TicTacToe");
    boxes.evaluations(boxes_evaluations);
    bind_searches<Boxes>(boxes.state_class(), boxes_evaluations);
    bind_searches<Dice>(dice.state_class());
    bind_searches<TicTacToe>(tictactoe.state_class());
    bind_toy_networks(boxes.state_class(), dice.state_class(), tictactoe.state_class());
}
