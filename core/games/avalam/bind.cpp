#include "../../bind/bind_game.hpp"
#include "avalam.hpp"

namespace joute {

// In a file of its own: compiled together, they would cost perft its speed.
void bind_avalam_search(nb::module_& module, GameBinder<Avalam>& game);
void bind_avalam_network(GameBinder<Avalam>& game);

void bind_avalam(nb::module_& module) {
    auto game = bind_game<Avalam>(module, "Avalam");
    game.state_class().def(
        "tower_at",
        [](const Avalam& state, int row, int column) {
            if (row < 0 || row >= AvalamRules::rows || column < 0 || column >= AvalamRules::columns)
                throw nb::index_error("rows and columns are 0 to 8");
            return state.tower_at(row, column);
        },
        nb::arg("row"), nb::arg("column"),
        "The tower's height, negative for the second player; 0 where there is no tower or no cell. Row 0 is the top.");
    bind_avalam_search(module, game);
    bind_avalam_network(game);
}

}  // namespace joute
