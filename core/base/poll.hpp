#pragma once

#include <functional>

namespace joute {

// Long loops call this now and then. It may throw to end the work: the core knows nothing of Python,
// and this is how Ctrl-C reaches it.
using Poll = std::function<void()>;

}  // namespace joute
