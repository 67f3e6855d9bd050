#include <nanobind/stl/unique_ptr.h>

#include "../evaluate/vampires.hpp"
#include "bind_search.hpp"

namespace joute {

void bind_vampires_search(GameBinder<Vampires>& game) {
    game.evaluations(vampires_evaluations);
    bind_searches<Vampires>(game.state_class(), vampires_evaluations);
}

}  // namespace joute
