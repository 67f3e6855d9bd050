#include <nanobind/stl/unique_ptr.h>

#include "bind/bind_search.hpp"
#include "boxes.hpp"
#include "dice.hpp"
#include "tictactoe.hpp"

NB_MODULE(joute_toys, module) {
    using namespace joute;
    module.doc() =
        "Toy games that prove the game concept: chance states, two moves in a row, one that tests can solve.";
    nb::module_::import_("joute._core");  // it binds the types that the games share
    bind_searches<Dice>(bind_game<Dice>(module, "Dice").state_class());
    auto boxes = bind_game<Boxes>(module, "Boxes");
    boxes.evaluations(boxes_evaluations);
    bind_searches<Boxes>(boxes.state_class(), boxes_evaluations);
    bind_searches<TicTacToe>(bind_game<TicTacToe>(module, "TicTacToe").state_class());
}
