#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace joute {

// A team of threads that runs one job after another while the caller does something else.
class ThreadTeam {
public:
    explicit ThreadTeam(int threads) {
        try {
            for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
        } catch (...) {  // no more threads: stop those already running
            end();
            throw;
        }
    }
    ~ThreadTeam() { end(); }
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    int size() const { return static_cast<int>(threads_.size()); }

    // Every thread runs `job(thread number)`. The caller must have waited for the previous job.
    void start(std::function<void(int)> job) {
        {
            const std::lock_guard lock(mutex_);
            job_ = std::move(job);
            busy_ = size();
            ++generation_;
        }
        changed_.notify_all();
    }

    // Waits until all threads have finished; rethrows an exception of a thread.
    void wait() {
        std::unique_lock lock(mutex_);
        finished_.wait(lock, [&] { return busy_ == 0; });
        if (const auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    }

private:
    void end() {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
    }

    void work(int number) {
        for (std::uint64_t seen = 0;; ++seen) {
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return is_over_ || generation_ != seen; });
                if (is_over_) return;
            }
            std::exception_ptr failure;
            try {
                job_(number);
            } catch (...) {
                failure = std::current_exception();
            }
            const std::lock_guard lock(mutex_);
            if (failure) failure_ = failure;
            if (--busy_ == 0) finished_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_, finished_;
    std::function<void(int)> job_;
    std::exception_ptr failure_;
    int busy_ = 0;
    std::uint64_t generation_ = 0;
    bool is_over_ = false;
    std::vector<std::jthread> threads_;  // last, so that they end before the members they use
};

}  // namespace joute
