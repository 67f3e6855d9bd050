#pragma once

// Quoridor's board as sets of cells and of walls, and the paths on it.
//
// A cell has index 9 * row + column, with rows from the first player's side. A wall is named by its anchor, the
// crossing of four cells in its middle, with index 8 * row + column: a horizontal wall lies between rows r and r + 1
// along columns c and c + 1, a vertical wall between columns c and c + 1 along rows r and r + 1.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace joute::quoridor_board {

// One bit per cell.
__extension__ using Cells = unsigned __int128;

constexpr int side = 9, cells = side * side;
constexpr int anchors_a_side = side - 1, anchors = anchors_a_side * anchors_a_side;

constexpr Cells bit(int cell) { return Cells{1} << cell; }
constexpr Cells row(int r) { return Cells{0x1ff} << (side * r); }
constexpr Cells column(int c) {
    Cells cells = 0;
    for (int r = 0; r < side; ++r) cells |= bit(side * r + c);
    return cells;
}
constexpr Cells whole_board = bit(cells) - 1;

constexpr int lowest(Cells cells) {
    const auto low = static_cast<std::uint64_t>(cells);
    return low ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(cells >> 64));
}
constexpr int count(Cells cells) {
    return std::popcount(static_cast<std::uint64_t>(cells)) + std::popcount(static_cast<std::uint64_t>(cells >> 64));
}

// One bit per anchor, for each direction.
struct Walls {
    std::uint64_t horizontal = 0, vertical = 0;

    constexpr Walls operator|(const Walls& o) const { return {horizontal | o.horizontal, vertical | o.vertical}; }
    constexpr Walls operator&(const Walls& o) const { return {horizontal & o.horizontal, vertical & o.vertical}; }
    constexpr Walls operator~() const { return {~horizontal, ~vertical}; }
    constexpr bool any() const { return horizontal | vertical; }
    constexpr int count() const { return std::popcount(horizontal) + std::popcount(vertical); }
    constexpr bool operator==(const Walls&) const = default;
};

constexpr std::uint64_t first_column = 0x0101010101010101, last_column = first_column << 7;
constexpr std::uint64_t first_row = 0xff, last_row = first_row << 56;
// Shifts anchors to their neighbours; those that leave the board are dropped.
constexpr std::uint64_t rightward(std::uint64_t anchors) { return anchors << 1 & ~first_column; }
constexpr std::uint64_t leftward(std::uint64_t anchors) { return anchors >> 1 & ~last_column; }
constexpr std::uint64_t upward(std::uint64_t anchors) { return anchors << 8; }
constexpr std::uint64_t downward(std::uint64_t anchors) { return anchors >> 8; }

// The cell below and to the left of an anchor.
constexpr int cell_of_anchor(int anchor) { return anchor + anchor / anchors_a_side; }

// Swaps left and right.
constexpr std::uint64_t mirrored(std::uint64_t anchors) {
    // Reverses the bits of every byte.
    anchors = (anchors & 0x5555555555555555) << 1 | (anchors >> 1 & 0x5555555555555555);
    anchors = (anchors & 0x3333333333333333) << 2 | (anchors >> 2 & 0x3333333333333333);
    return (anchors & 0x0f0f0f0f0f0f0f0f) << 4 | (anchors >> 4 & 0x0f0f0f0f0f0f0f0f);
}
constexpr int mirrored_cell(int cell) { return cell / side * side + side - 1 - cell % side; }
constexpr int mirrored_anchor(int anchor) { return anchor ^ (anchors_a_side - 1); }

// The places where a wall neither crosses nor overlaps another.
constexpr Walls free_places(const Walls& walls) {
    const auto [h, v] = walls;
    return {~(h | v | rightward(h) | leftward(h)), ~(h | v | upward(v) | downward(v))};
}

// The places where a wall would connect two obstacles, each a wall or the edge of the board. A wall elsewhere cannot
// cut off a pawn: of the three crossings it covers, at most one is taken, so there is a path around it.
constexpr Walls joining_places(const Walls& walls) {
    const auto [h, v] = walls;
    const std::uint64_t taken = h | v | rightward(h) | leftward(h) | upward(v) | downward(v);
    const auto two_of = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) { return (a & b) | (c & (a | b)); };
    return {two_of(rightward(taken) | first_column, taken, leftward(taken) | last_column),
            two_of(upward(taken) | first_row, taken, downward(taken) | last_row)};
}

// The places where a wall would touch another.
constexpr Walls touching_places(const Walls& walls) {
    const auto [h, v] = walls;
    const std::uint64_t taken = h | v | rightward(h) | leftward(h) | upward(v) | downward(v);
    return {rightward(taken) | taken | leftward(taken), upward(taken) | taken | downward(taken)};
}

// The open passages between neighbouring cells.
struct Ways {
    Cells up = whole_board & ~row(side - 1);        // cells with an open passage to the cell above
    Cells right = whole_board & ~column(side - 1);  // cells with an open passage to the cell on the right

    constexpr void close_horizontal(int anchor) { up &= ~(Cells{3} << cell_of_anchor(anchor)); }
    constexpr void close_vertical(int anchor) { right &= ~((Cells{1} | Cells{1} << side) << cell_of_anchor(anchor)); }

    // All cells one step away from these.
    constexpr Cells around(Cells cells) const {
        return (cells & up) << side | (cells >> side & up) | (cells & right) << 1 | (cells >> 1 & right);
    }
    // The targets of a pawn, given the other pawn: one step; a straight jump over the other pawn; or a jump around the
    // corner if the straight jump is blocked.
    constexpr Cells pawn_moves(int from, int other) const {
        Cells steps = around(bit(from));
        if (!(steps >> other & 1)) [[likely]]
            return steps;
        steps ^= bit(other);
        const Cells beyond = around(bit(other)) & ~bit(from);
        const int straight = 2 * other - from;
        const bool jumps = straight >= 0 && straight < cells && beyond >> straight & 1;
        return steps | (jumps ? bit(straight) : beyond);
    }
    // Whether a path exists that enters none of the avoided cells.
    constexpr bool reaches(int from, Cells goal, Cells avoided = 0) const {
        for (Cells reached = bit(from);;) {
            if (reached & goal) return true;
            const Cells more = reached | (around(reached) & ~avoided);
            if (more == reached) return false;
            reached = more;
        }
    }
    // The number of steps from the nearest of these cells to the nearest goal cell, ignoring pawns; -1 if there is no
    // path.
    constexpr int distance(Cells from, Cells goal) const {
        for (int steps = 0;; ++steps) {
            if (from & goal) return steps;
            const Cells more = from | around(from);
            if (more == from) return -1;
            from = more;
        }
    }
    // The cells with a shorter path to a goal cell than this one, ignoring pawns.
    constexpr Cells nearer(int from, Cells goal) const {
        Cells reached = 0;
        for (Cells next = goal; !(next >> from & 1) && next != reached; next |= around(next)) reached = next;
        return reached;
    }
};

// The walls that would close the passage between two neighbouring cells.
constexpr Walls closing_walls(int a, int b) {
    const int low = a < b ? a : b, r = low / side, c = low % side;
    Walls walls;
    const auto add = [](std::uint64_t& word, int row, int column) {
        if (row >= 0 && row < anchors_a_side && column >= 0 && column < anchors_a_side)
            word |= std::uint64_t{1} << (anchors_a_side * row + column);
    };
    if (a / side != b / side) {
        add(walls.horizontal, r, c);
        add(walls.horizontal, r, c - 1);
    } else {
        add(walls.vertical, r, c);
        add(walls.vertical, r - 1, c);
    }
    return walls;
}
// [cell][0] for the passage to the cell above, [cell][1] to the cell on the right.
inline constexpr auto closing = [] {
    std::array<std::array<Walls, 2>, cells> table{};
    for (int cell = 0; cell < cells; ++cell) {
        if (cell / side + 1 < side) table[cell][0] = closing_walls(cell, cell + side);
        if (cell % side + 1 < side) table[cell][1] = closing_walls(cell, cell + 1);
    }
    return table;
}();
inline Walls closing_between(int a, int b) {
    const int low = a < b ? a : b;
    return closing[low][a + b == 2 * low + 1];
}

// A shortest path, and the walls that would close it.
struct Path {
    int length = -1;  // steps; -1 if there is no path
    Walls closing{};
};

inline Path shortest_path(const Ways& ways, int from, Cells goal) {
    std::array<Cells, cells> layers;
    Path path;
    Cells reached = layers[0] = bit(from);
    int steps = 0;
    while (!(reached & goal)) {
        const Cells more = reached | ways.around(reached);
        if (more == reached) return path;
        layers[++steps] = more & ~reached;
        reached = more;
    }
    path.length = steps;
    for (int cell = lowest(reached & goal); steps > 0; --steps) {
        const int before = lowest(ways.around(bit(cell)) & layers[steps - 1]);
        path.closing = path.closing | closing_between(before, cell);
        cell = before;
    }
    return path;
}

// A summary of all shortest paths.
struct Routes {
    int length = -1;   // steps; -1 if there is no path
    int narrow = 0;    // number of steps that all shortest paths share
    Walls closing{};   // walls that close at least one path; only with `with_closing`
    Walls severing{};  // walls that close all paths at one step
    Walls nearest{};   // severing walls within `places` at the step nearest to `from`
};

template <bool with_closing = false>
Routes shortest_routes(const Ways& ways, int from, Cells goal, const Walls& places = {}) {
    std::array<Cells, cells> layers;
    Routes routes;
    Cells reached = layers[0] = bit(from);
    int steps = 0;
    while (!(reached & goal)) {
        const Cells more = reached | ways.around(reached);
        if (more == reached) return routes;
        layers[++steps] = more & ~reached;
        reached = more;
    }
    routes.length = steps;
    Cells ahead = layers[steps] & goal;
    while (steps-- > 0) {
        const Cells here = layers[steps] & ways.around(ahead);
        // The passages between the two layers, indexed by the lower or left cell.
        const Cells up = ways.up & ((here & ahead >> side) | (ahead & here >> side));
        const Cells right = ways.right & ((here & ahead >> 1) | (ahead & here >> 1));
        if constexpr (with_closing) {
            for (Cells rest = up; rest; rest &= rest - 1) routes.closing = routes.closing | closing[lowest(rest)][0];
            for (Cells rest = right; rest; rest &= rest - 1) routes.closing = routes.closing | closing[lowest(rest)][1];
        }
        ahead = here;
        // One wall closes one passage, or two adjacent ones.
        const bool goes_up = up != 0;
        if (goes_up && right) continue;
        const Cells edges = goes_up ? up : right, others = edges & (edges - 1);
        const int first = lowest(edges);
        Walls severing = closing[first][!goes_up];
        if (others) {
            const int second = lowest(others);
            if (others & (others - 1) || second != first + (goes_up ? 1 : side)) continue;
            severing = severing & closing[second][!goes_up];
        } else {
            ++routes.narrow;
        }
        routes.severing = routes.severing | severing;
        if ((severing & places).any()) routes.nearest = severing & places;
    }
    return routes;
}

// The largest number of steps by which one of these walls lengthens the shortest path; walls that leave no path do not
// count.
inline int longest_detour(const Ways& ways, int from, Cells goal, int length, const Walls& walls) {
    int most = length;
    for (std::uint64_t rest = walls.horizontal; rest; rest &= rest - 1) {
        Ways closed = ways;
        closed.close_horizontal(std::countr_zero(rest));
        most = std::max(most, closed.distance(bit(from), goal));
    }
    for (std::uint64_t rest = walls.vertical; rest; rest &= rest - 1) {
        Ways closed = ways;
        closed.close_vertical(std::countr_zero(rest));
        most = std::max(most, closed.distance(bit(from), goal));
    }
    return most - length;
}

// A shortest path by the rules of the course's program: the other pawn stays in place and can be jumped over.
inline Path course_path(const Ways& ways, int from, int other, Cells goal) {
    std::array<Cells, cells> layers;
    Path path;
    Cells reached = layers[0] = bit(from);
    int steps = 0;
    while (!(reached & goal)) {
        Cells more = reached | (ways.around(reached) & ~bit(other));
        for (Cells beside = ways.around(bit(other)) & reached; beside; beside &= beside - 1)
            more |= ways.pawn_moves(lowest(beside), other);
        if (more == reached) return path;
        layers[++steps] = more & ~reached;
        reached = more;
    }
    path.length = steps;
    for (int cell = lowest(reached & goal); steps > 0; --steps)
        for (Cells before = layers[steps - 1]; before; before &= before - 1) {
            const int origin = lowest(before);
            if (!(ways.pawn_moves(origin, other) >> cell & 1)) continue;
            const bool is_step = ways.around(bit(origin)) >> cell & 1;
            path.closing = path.closing | (is_step ? closing_between(origin, cell)
                                                   : closing_between(origin, other) | closing_between(other, cell));
            cell = origin;
            break;
        }
    return path;
}

}  // namespace joute::quoridor_board
