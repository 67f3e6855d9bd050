#include <nanobind/stl/unique_ptr.h>

#include "../evaluate/quoridor.hpp"
#include "bind_search.hpp"

namespace joute {

void bind_quoridor_search(GameBinder<Played<Quoridor>>& game) {
    game.evaluations(quoridor_evaluations);
    bind_searches<Quoridor>(game.state_class(), quoridor_evaluations);
}

}  // namespace joute
