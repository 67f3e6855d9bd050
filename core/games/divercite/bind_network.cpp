#include "../../bind/bind_network.hpp"

#include "divercite.hpp"

namespace joute {

void bind_divercite_network(GameBinder<InPlay<Divercite>>& game) { bind_network<Divercite>(game.state_class()); }

}  // namespace joute
