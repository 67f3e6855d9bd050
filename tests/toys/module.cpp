#include "bind/bind_game.hpp"
#include "boxes.hpp"
#include "dice.hpp"

NB_MODULE(joute_toys, module) {
    using namespace joute;
    module.doc() = "Toy games that prove the game concept: chance states, and two moves in a row.";
    nb::module_::import_("joute._core");  // it binds the types that the games share
    bind_game<Dice>(module, "Dice");
    bind_game<Boxes>(module, "Boxes").evaluations(boxes_evaluations);
}
