#include "../../bind/bind_search.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "../../bind/bind_options.hpp"
#include "evaluate.hpp"
#include "solver.hpp"

namespace joute {

void bind_avalam_search(nb::module_& module, GameBinder<Avalam>& game) {
    using O = AvalamSolverOptions;
    OptionsBinder<O>(module, "AvalamSolverOptions")
        .field("memory_mb", &O::memory_mb)
        .field("outcome_only", &O::outcome_only)
        .field("tower", &O::tower)
        .field("lines", &O::lines);
    game.evaluations(avalam_evaluations);
    bind_searches<Avalam>(game.state_class(), avalam_evaluations).add<AvalamSolver, O>("AvalamSolverOptions");
}

}  // namespace joute
