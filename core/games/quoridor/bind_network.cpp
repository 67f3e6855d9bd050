#include "../../bind/bind_network.hpp"

#include "quoridor.hpp"

namespace joute {

void bind_quoridor_network(GameBinder<InPlay<Quoridor>>& game) { bind_network<Quoridor>(game.state_class()); }

}  // namespace joute
