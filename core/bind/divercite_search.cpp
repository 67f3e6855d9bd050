#include <nanobind/stl/unique_ptr.h>

#include "../evaluate/divercite.hpp"
#include "bind_search.hpp"

namespace joute {

void bind_divercite_search(nb::module_&, GameBinder<Divercite>& game) {
    game.evaluations(divercite_evaluations);
    bind_searches<Divercite>(game.state_class(), divercite_evaluations);
}

}  // namespace joute
