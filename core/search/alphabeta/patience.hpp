#pragma once

// How long alpha-beta searches on the clock of a game: less than its time if the move is certain, more if the move is
// in doubt (Limits::decided, Limits::seconds_in_doubt).

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../limits.hpp"

namespace joute {

class Patience {
public:
    Patience(const Limits& limits, Watchdog& watchdog) : limits_(limits), watchdog_(watchdog) {}

    // To call after each finished depth with the value of the best move, whether it is another move than at the depth
    // before, and its share of all nodes. Returns false if no deeper search should begin.
    //
    // A move is in doubt if it has just changed, or if the value has fallen by twice its usual change from depth to
    // depth. It is certain if it has not changed for some depths, the more so if nearly all nodes are below it: then
    // all other moves were refuted quickly.
    bool goes_on(double value, bool has_changed, double share_of_nodes) {
        if (!limits_.decided && !(limits_.seconds_in_doubt > 0)) return true;
        const double change = is_first_ ? 0 : std::abs(value - last_value_);
        const bool in_doubt = !is_first_ && (has_changed || (value < last_value_ && change > 2 * usual_change_));
        unchanged_depths_ = has_changed ? 0 : unchanged_depths_ + 1;
        usual_change_ = (usual_change_ + change) / 2;
        last_value_ = value;
        is_first_ = false;
        watchdog_.allow(limits_.seconds + (in_doubt ? limits_.seconds_in_doubt : 0));
        if (!limits_.decided || in_doubt) return true;
        const double share = unchanged_depths_ < settled_depths ? 1
                             : share_of_nodes < most_of_nodes   ? of_settled
                                                                : of_certain;
        return watchdog_.seconds() < share * limits_.seconds;
    }

private:
    // Not tuned. A depth that begins after half of the time is seldom finished.
    static constexpr int settled_depths = 4;
    static constexpr double of_settled = 0.6, of_certain = 0.35, most_of_nodes = 0.8;

    const Limits& limits_;
    Watchdog& watchdog_;
    double last_value_ = 0, usual_change_ = 0;
    int unchanged_depths_ = 0;
    bool is_first_ = true;
};

}  // namespace joute
