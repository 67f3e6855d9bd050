#pragma once

// Quoridor in the program of INF8215 (Polytechnique Montréal, autumn 2021): the order of its moves and paths, and the
// moves that the course's paper considers (Balea & Lasnier, team PouletDansCage, 2021).

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "board.hpp"

namespace joute::quoridor_course {

using namespace quoridor_board;

struct Offset {
    int row, column;
};
// The program's order of pawn moves: steps, then jumps around the corner, then straight jumps.
inline constexpr std::array<Offset, 12> pawn_offsets{
    {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}, {2, 0}, {-2, 0}, {0, 2}, {0, -2}}};

// Calls `visit(cell, offset)` for each pawn move, in that order.
template <class Visit>
void visit_pawn_moves(const Ways& ways, int from, int other, const Visit& visit) {
    const Cells moves = ways.pawn_moves(from, other);
    for (const Offset offset : pawn_offsets) {
        const int r = from / side + offset.row, c = from % side + offset.column;
        if (r < 0 || r >= side || c < 0 || c >= side) continue;
        if (moves >> (side * r + c) & 1) visit(side * r + c, offset);
    }
}

// The steps to the goal if the other pawn stays in place and can be jumped over; -1 if it blocks the last gap.
inline int distance(const Ways& ways, int from, int other, Cells goal) {
    const Cells beside_other = ways.around(bit(other));
    Cells reached = bit(from);
    for (int steps = 0;; ++steps) {
        if (reached & goal) return steps;
        Cells more = reached | (ways.around(reached) & ~bit(other));
        for (Cells beside = beside_other & reached; beside; beside &= beside - 1)
            more |= ways.pawn_moves(lowest(beside), other);
        if (more == reached) return -1;
        reached = more;
    }
}

// The shortest path found by the program, without its first cell: breadth-first, moves in listed order.
inline std::optional<std::vector<int>> path(const Ways& ways, int from, int other, Cells goal) {
    std::vector<int> queue{from};
    std::array<int, cells> came_from{};
    Cells seen = bit(from);
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const int cell = queue[next];
        if (goal >> cell & 1) {
            std::vector<int> path;
            for (int at = cell; at != from; at = came_from[static_cast<std::size_t>(at)]) path.push_back(at);
            return std::vector<int>(path.rbegin(), path.rend());
        }
        visit_pawn_moves(ways, cell, other, [&](int target, Offset) {
            if (seen >> target & 1) return;
            seen |= bit(target);
            came_from[static_cast<std::size_t>(target)] = cell;
            queue.push_back(target);
        });
    }
    return std::nullopt;
}

// The moves a generator lists, in the program's order: pawn moves first, then for each anchor the horizontal and the
// vertical wall.
struct Listing {
    std::string_view name;
    // Lists only walls whose anchor is at most `radius` rows and columns from a pawn's cell; 0 for all. The paper uses
    // 2. An anchor is half a cell up and to the right of its cell, so radius 2 means offsets of -2 to 1.
    int radius = 0;
    // The same around the opponent's pawn, if it is larger: the paper began with that. `radius` 0 then means no walls
    // near the own pawn.
    int opponent_radius = radius;
    bool near_walls = false;  // also lists walls near another wall
    // Lists forward steps and walls near the opponent first: an idea of the paper, which it did not try.
    bool is_ordered = false;
};
inline constexpr std::array<Listing, 26> listings{{
    {"course"},
    {"near-pawns-1", 1},
    {"near-pawns-2", 2},
    {"near-pawns-3", 3},
    {"near-pawns-1+walls", 1, 1, true},
    {"near-pawns-2+walls", 2, 2, true},
    {"near-pawns-3+walls", 3, 3, true},
    {"course-ordered", 0, 0, false, true},
    {"near-pawns-1-ordered", 1, 1, false, true},
    {"near-pawns-2-ordered", 2, 2, false, true},
    {"near-pawns-3-ordered", 3, 3, false, true},
    {"near-pawns-1+walls-ordered", 1, 1, true, true},
    {"near-pawns-2+walls-ordered", 2, 2, true, true},
    {"near-pawns-3+walls-ordered", 3, 3, true, true},
    {"near-pawns-0-1", 0, 1},
    {"near-pawns-0-2", 0, 2},
    {"near-pawns-0-3", 0, 3},
    {"near-pawns-1-2", 1, 2},
    {"near-pawns-1-3", 1, 3},
    {"near-pawns-2-3", 2, 3},
    {"near-pawns-0-1-ordered", 0, 1, false, true},
    {"near-pawns-0-2-ordered", 0, 2, false, true},
    {"near-pawns-0-3-ordered", 0, 3, false, true},
    {"near-pawns-1-2-ordered", 1, 2, false, true},
    {"near-pawns-1-3-ordered", 1, 3, false, true},
    {"near-pawns-2-3-ordered", 2, 3, false, true},
}};
// The radius of "near the opponent" in the move ordering of listings without a radius, as in the paper.
inline constexpr int paper_radius = 2;

constexpr std::uint64_t anchors_near_cell(int cell, int radius) {
    std::uint64_t near = 0;
    for (int r = cell / side - radius; r < cell / side + radius; ++r)
        for (int c = cell % side - radius; c < cell % side + radius; ++c)
            if (r >= 0 && r < anchors_a_side && c >= 0 && c < anchors_a_side)
                near |= std::uint64_t{1} << (anchors_a_side * r + c);
    return near;
}

// The anchors at Manhattan distance at most 2 from an anchor of a wall; walls that touch are never farther apart.
constexpr std::uint64_t anchors_near_walls(const Walls& walls) {
    const auto spread = [](std::uint64_t a) { return a | rightward(a) | leftward(a) | upward(a) | downward(a); };
    return spread(spread(walls.horizontal | walls.vertical));
}

}  // namespace joute::quoridor_course
