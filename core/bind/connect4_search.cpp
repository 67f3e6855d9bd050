#include <nanobind/stl/unique_ptr.h>

#include "../evaluate/connect4.hpp"
#include "bind_search.hpp"

namespace joute {

void bind_connect4_search(nb::class_<Connect4>& state_class) {
    bind_searches<Connect4>(state_class, connect4_evaluations);
}

}  // namespace joute
