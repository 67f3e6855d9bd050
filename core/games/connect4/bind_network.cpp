#include "../../bind/bind_network.hpp"

#include "solver.hpp"

namespace joute {

void bind_connect4_network(GameBinder<Connect4>& game) {
    bind_network<Connect4>(game.state_class(), [] {
        // Late positions need little memory, and every thread has a solver of its own.
        auto solver =
            std::make_shared<Connect4Solver>(Connect4Solver::Options{.memory_mb = 8, .threads = 1, .book = {}});
        return Truth<Connect4>([solver](const Connect4& state) {
            const int for_mover = solver->outcome(state);
            return state.to_move() == 0 ? for_mover : -for_mover;
        });
    });
}

}  // namespace joute
