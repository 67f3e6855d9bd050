#pragma once

// The positions at which games of self-play begin: one, or several that are drawn at random.

#include <optional>
#include <vector>

#include "../history.hpp"
#include "../input_frame.hpp"

namespace joute {

// The most start positions: a record stores the number of its start in 16 bits.
constexpr std::size_t most_starts = 1 << 16;

template <Game S>
const S& first_of(const std::vector<S>& starts) {
    if (starts.empty()) throw JouteError("self-play needs a position to start from");
    return starts[0];
}

template <NetworkGame S>
void check_starts(const InputFrame<S>& frame, const std::vector<InPlay<S>>& starts) {
    if (starts.size() > most_starts)
        throw JouteError("self-play starts from at most " + std::to_string(most_starts) + " positions");
    for (const S& start : starts) {
        if (!frame.holds(start))
            throw JouteError(
                "the network's input has no room for a start position, or the rules of that position differ");
        if (start.is_terminal() || is_chance(start)) throw JouteError("a game cannot start where nobody is to move");
    }
}

// The number of a game's start in its record; none if all games start from the same position.
template <class S>
std::optional<std::uint16_t> recorded_start(const std::vector<S>& starts, std::uint16_t start) {
    return starts.size() > 1 ? std::optional(start) : std::nullopt;
}

}  // namespace joute
