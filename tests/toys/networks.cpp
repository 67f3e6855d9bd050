#include "bind/bind_network.hpp"
#include "boxes.hpp"
#include "dice.hpp"
#include "tictactoe.hpp"

namespace joute {

// In a file of its own, so that two processors can compile the toys.
void bind_toy_networks(nb::class_<InPlay<Boxes>>& boxes, nb::class_<InPlay<Dice>>& dice,
                       nb::class_<InPlay<TicTacToe>>& tictactoe) {
    bind_network<Boxes>(boxes);
    bind_network<Dice>(dice);
    bind_network<TicTacToe>(tictactoe);
}

}  // namespace joute
