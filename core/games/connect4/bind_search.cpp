#include "../../bind/bind_search.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "../../bind/bind_options.hpp"
#include "endings.hpp"
#include "evaluate.hpp"

namespace joute {

void bind_connect4_search(nb::module_& module, GameBinder<Connect4>& game) {
    using O = Connect4EndingsOptions;
    OptionsBinder<O>(module, "Connect4EndingsOptions").field("memory_mb", &O::memory_mb).field("lines", &O::lines);
    game.evaluations(connect4_evaluations);
    bind_searches<Connect4>(game.state_class(), connect4_evaluations).add<Connect4Endings, O>("Connect4EndingsOptions");
}

}  // namespace joute
