#include "../../bind/bind_search.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "evaluate.hpp"

namespace joute {

void bind_quoridor_search(GameBinder<Played<Quoridor>>& game) {
    game.evaluations(quoridor_evaluations);
    bind_searches<Quoridor>(game.state_class(), quoridor_evaluations);
}

}  // namespace joute
