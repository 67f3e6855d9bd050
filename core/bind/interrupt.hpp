#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "../base/poll.hpp"

namespace joute {

// Returns a Poll for work done without the GIL. About every 20 ms it takes the GIL for a moment and checks for signals,
// so that Ctrl-C ends the work with KeyboardInterrupt.
inline Poll interrupt_poll() {
    using Clock = std::chrono::steady_clock;
    return [next = Clock::now() + std::chrono::milliseconds(20)]() mutable {
        if (Clock::now() < next) return;
        {
            nanobind::gil_scoped_acquire gil;
            if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        }
        next = Clock::now() + std::chrono::milliseconds(20);
    };
}

}  // namespace joute
