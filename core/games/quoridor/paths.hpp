#pragma once

// Facts about a player's way to the goal, for the evaluation, and a memory of them.
//
// It depends on the walls and on one pawn alone, so a step of the other pawn changes nothing, and most positions of a
// search share it with others.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "../../base/random.hpp"
#include "quoridor.hpp"

namespace joute {

// A summary of a player's shortest paths. Counts are at most 255.
struct QuoridorPaths {
    std::uint8_t length;    // steps
    std::uint8_t narrow;    // steps that all shortest paths share
    std::uint8_t severing;  // walls that would lengthen the way
    std::uint8_t detour;    // steps that one of the walls lengthens it by, of those at the nearest such place
};

inline QuoridorPaths quoridor_paths(const Quoridor& state, Player player) {
    using namespace quoridor_board;
    const Walls free = free_places(state.walls()), touching = free & touching_places(state.walls());
    const int from = state.pawn(player);
    const Cells goal = Quoridor::goal(player);
    const Routes routes = shortest_routes(state.ways(), from, goal, touching);
    const int detour = longest_detour(state.ways(), from, goal, routes.length, routes.nearest);
    const auto small = [](int number) { return static_cast<std::uint8_t>(std::min(number, 255)); };
    return {small(routes.length), small(routes.narrow), small((routes.severing & free).count()), small(detour)};
}

// The paths of both players, from the memory of the thread if they are there.
class QuoridorPathMemory {
public:
    QuoridorPaths of(const Quoridor& state, Player player) {
        const auto [h, v] = state.walls();
        const auto who = static_cast<std::uint32_t>(state.pawn(player) << 1 | player);
        const std::uint64_t place = mix64(h ^ mix64(v ^ who * std::uint64_t{0x9e3779b97f4a7c15}));
        Entry& entry = entries_[place % entries_.size()];
        if (entry.horizontal != h || entry.vertical != v || entry.who != who)
            entry = {h, v, who, quoridor_paths(state, player)};
        return entry.paths;
    }

private:
    struct Entry {
        std::uint64_t horizontal = ~std::uint64_t{0}, vertical = ~std::uint64_t{0};  // match no board
        std::uint32_t who = 0;
        QuoridorPaths paths{};
    };
    std::array<Entry, 1 << 14> entries_;
};

}  // namespace joute
