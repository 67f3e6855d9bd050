#include <nanobind/stl/unique_ptr.h>

#include "../evaluate/avalam.hpp"
#include "bind_search.hpp"

namespace joute {

void bind_avalam_search(GameBinder<Avalam>& game) {
    game.evaluations(avalam_evaluations);
    bind_searches<Avalam>(game.state_class(), avalam_evaluations);
}

}  // namespace joute
