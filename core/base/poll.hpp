#pragma once

#include <functional>

namespace joute {

// A callback that long loops call regularly. It may throw to end the work: this is how Ctrl-C in Python reaches the
// core, which does not depend on Python.
using Poll = std::function<void()>;

}  // namespace joute
