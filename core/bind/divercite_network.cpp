#include "../games/divercite.hpp"
#include "bind_network.hpp"

namespace joute {

void bind_divercite_network(GameBinder<InPlay<Divercite>>& game) { bind_network<Divercite>(game.state_class()); }

}  // namespace joute
