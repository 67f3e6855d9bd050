#include <nanobind/stl/unique_ptr.h>

#include "../evaluate/connect4.hpp"
#include "../search/connect4_endings.hpp"
#include "bind_options.hpp"
#include "bind_search.hpp"

namespace joute {

void bind_connect4_search(nb::module_& module, GameBinder<Connect4>& game) {
    using O = Connect4EndingsOptions;
    OptionsBinder<O>(module, "Connect4EndingsOptions").field("memory_mb", &O::memory_mb).field("lines", &O::lines);
    game.evaluations(connect4_evaluations);
    bind_searches<Connect4>(game.state_class(), connect4_evaluations).add<Connect4Endings, O>("Connect4EndingsOptions");
}

}  // namespace joute
