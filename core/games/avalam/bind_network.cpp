#include "../../bind/bind_network.hpp"

#include "avalam.hpp"

namespace joute {

void bind_avalam_network(GameBinder<InPlay<Avalam>>& game) { bind_network<Avalam>(game.state_class()); }

}  // namespace joute
