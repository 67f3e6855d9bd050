#include "../../bind/bind_game.hpp"
#include "connect4.hpp"

namespace joute {

// In a file of its own: compiled together, they would cost perft a quarter of its speed.
void bind_connect4_search(nb::module_& module, GameBinder<Connect4>& game);
void bind_connect4_network(GameBinder<Connect4>& game);
void bind_connect4_solver(nb::module_& module);

void bind_connect4(nb::module_& module) {
    auto game = bind_game<Connect4>(module, "Connect4");
    game.state_class().def(
        "disc_at",
        [](const Connect4& state, int column, int row) {
            if (column < 0 || column >= Connect4Rules::columns || row < 0 || row >= Connect4Rules::rows)
                throw nb::index_error("columns are 0 to 6 and rows 0 to 5");
            return state.disc_at(column, row);
        },
        nb::arg("column"), nb::arg("row"), "The player whose disc lies there, -1 for none; row 0 is the bottom.");
    bind_connect4_search(module, game);
    bind_connect4_network(game);
    bind_connect4_solver(module);
}

}  // namespace joute
