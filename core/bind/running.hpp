#pragma once

// Refuses a second thread while a call is running that has released the GIL.

#include <atomic>
#include <stdexcept>

namespace joute {

struct Running {
    Running(std::atomic_flag& flag, const char* complaint) : flag_(flag) {
        if (flag_.test_and_set(std::memory_order_acquire)) throw std::runtime_error(complaint);
    }
    ~Running() { flag_.clear(std::memory_order_release); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    std::atomic_flag& flag_;
};

}  // namespace joute
