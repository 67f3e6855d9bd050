#include "../../bind/bind_search.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "../../bind/bind_options.hpp"
#include "evaluate.hpp"
#include "solver.hpp"

namespace joute {

void bind_divercite_search(nb::module_& module, GameBinder<Divercite>& game) {
    using O = DiverciteSolverOptions;
    OptionsBinder<O>(module, "DiverciteSolverOptions")
        .field("memory_mb", &O::memory_mb)
        .field("outcome_only", &O::outcome_only)
        .field("lines", &O::lines);
    game.evaluations(divercite_evaluations);
    bind_searches<Divercite>(game.state_class(), divercite_evaluations)
        .add<DiverciteSolver, O>("DiverciteSolverOptions");
}

}  // namespace joute
