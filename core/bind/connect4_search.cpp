#include <nanobind/stl/unique_ptr.h>

#include "../evaluate/connect4.hpp"
#include "bind_search.hpp"

namespace joute {

void bind_connect4_search(GameBinder<Connect4>& game) {
    game.evaluations(connect4_evaluations);
    bind_searches<Connect4>(game.state_class(), connect4_evaluations);
}

}  // namespace joute
