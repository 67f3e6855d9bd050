#include "../games/avalam.hpp"
#include "bind_network.hpp"

namespace joute {

void bind_avalam_network(GameBinder<InPlay<Avalam>>& game) { bind_network<Avalam>(game.state_class()); }

}  // namespace joute
