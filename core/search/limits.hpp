#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "../base/poll.hpp"

namespace joute {

// The limits of a search, which stops at the first one it reaches.
struct Limits {
    double seconds = std::numeric_limits<double>::infinity();
    std::uint64_t nodes = std::numeric_limits<std::uint64_t>::max();       // positions reached by play()
    std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();  // simulations of a tree search
    int depth = std::numeric_limits<int>::max();                           // plies of a fixed-depth search
    // Of alpha-beta and of a search by a network: whether it ends early once its move is certain; and the seconds that
    // it may take beyond `seconds` if its move is in doubt.
    bool decided = false;
    double seconds_in_doubt = 0;
    const std::atomic<bool>* stop = nullptr;  // another thread sets it to end the search; must outlive the search
};

// Checks the clock and the stop flag at least every `most_steps` steps of a search, and calls the poll about every half
// millisecond, whatever the duration of a step. Only the calling thread uses it; helper threads read `stop`, which the
// watchdog sets.
class Watchdog {
public:
    Watchdog(const Limits& limits, const Poll& poll)
        : poll_(poll), asked_to_stop_(limits.stop), began_(Clock::now()), last_(began_) {
        has_deadline_ = limits.seconds < a_year;
        allow(limits.seconds);
    }
    // Stops helper threads on scope exit, including by exception.
    ~Watchdog() { stop.store(true, std::memory_order_relaxed); }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // Call after each step of the search. Returns true once the search must stop.
    bool must_stop() {
        if (--steps_to_look_ > 0) [[likely]]
            return stop.load(std::memory_order_relaxed);
        return look();
    }

    // Like must_stop(), but checks the clock now.
    bool look() {
        const auto now = Clock::now();
        // Adapt the number of steps between looks. Faster steps double it; slower steps, of which a few may take long,
        // reduce it at once. Steps may become a hundred times slower from one to the next, where an evaluation
        // solves the rest of the game (0.05 ms). So the number stays small; a look takes 25 ns.
        constexpr std::chrono::nanoseconds wanted = std::chrono::microseconds(500);
        const std::chrono::nanoseconds since_last = now - last_;
        if (since_last < wanted / 2)
            steps_between_looks_ = std::min(2 * steps_between_looks_, most_steps);
        else if (since_last > 2 * wanted)
            steps_between_looks_ = std::max(1, static_cast<int>(steps_between_looks_ * wanted / since_last));
        last_ = now;
        steps_to_look_ = steps_between_looks_;
        if (poll_ && now >= next_poll_) {
            next_poll_ = now + wanted;
            poll_();
        }
        const bool asked = asked_to_stop_ && asked_to_stop_->load(std::memory_order_relaxed);
        if (asked || (has_deadline_ && now >= deadline_)) stop.store(true, std::memory_order_relaxed);
        return stop.load(std::memory_order_relaxed);
    }

    static constexpr int most_steps = 16;  // between two looks at the clock

    // Moves the deadline, if there is one, to so many seconds after the beginning.
    void allow(double seconds) {
        if (!has_deadline_) return;
        const std::chrono::duration<double> allowed(seconds > 0 ? std::min(seconds, a_year) : 0);
        deadline_ = began_ + std::chrono::duration_cast<Clock::duration>(allowed);
    }

    // Whether the last call of must_stop() checked the clock.
    bool looked() const { return steps_to_look_ == steps_between_looks_; }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

    // On its own cache line: helper threads read it at every step, while the calling thread writes the counters below.
    alignas(64) std::atomic<bool> stop = false;

private:
    using Clock = std::chrono::steady_clock;
    // A limit of a year or more means no deadline, so that the clock cannot overflow.
    static constexpr double a_year = 365 * 86400.0;

    alignas(64) const Poll& poll_;
    const std::atomic<bool>* asked_to_stop_;
    Clock::time_point began_, last_, deadline_, next_poll_;
    bool has_deadline_;
    int steps_between_looks_ = 1;
    int steps_to_look_ = 1;
};

// Thrown when a limit ends a search.
struct Stopped {};

// Counts the nodes of a search, and throws Stopped once a limit is reached.
class Effort {
public:
    Effort(const Limits& limits, Watchdog& watchdog) : most_(limits.nodes), watchdog_(watchdog) {}
    void enter() {
        if (nodes_ == most_) throw Stopped{};
        ++nodes_;
        look();
    }
    void look() {
        if (watchdog_.must_stop()) throw Stopped{};
    }
    std::uint64_t nodes() const { return nodes_; }

private:
    std::uint64_t most_, nodes_ = 0;
    Watchdog& watchdog_;
};

}  // namespace joute
