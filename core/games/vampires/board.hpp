#pragma once

// The board of Vampires vs Werewolves: a grid of up to 255 x 255 with at most 255 occupied cells.
//
//     0.0  1.0  2.0      a cell is x.y: column, then row, from the top left corner
//     0.1  1.1  2.1
//
// Only occupied cells are stored, as numbers that sort by kind, then row by row:
//
//     kind   row  column  count      eight bits each
//
// Orders to units are stored likewise, sorted by source and then by target:
//
//     row  column  direction  count
//
// The text of a position is `ROWSxCOLUMNS/CELL+CELL+…/PLY`, a cell is COUNT SPECIES X.Y, e.g.
// `2x3/4v0.0+4w2.1+2h1.0/7`; ply 0 is left out. While battles are pending, the attackers come last, with an exclamation
// mark: `3v1.0!`.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../rules.hpp"

namespace joute {

// The network protocol counts cells in a byte, and so do the official server's maps.
constexpr std::size_t vampires_max_occupied = 255;
constexpr int vampires_max_side = 255;
constexpr int vampires_max_count = 255;

// Attackers are units of the player who moved last, in a battle that is not resolved yet.
enum class VampiresKind : std::uint8_t { vampires, werewolves, humans, attackers };
constexpr std::string_view vampires_letters = "vwh";

// A place is a row and a column in sixteen bits.
using VampiresPlace = std::uint16_t;
constexpr VampiresPlace vampires_place(int x, int y) { return static_cast<VampiresPlace>(y << 8 | x); }
constexpr int place_x(VampiresPlace place) { return place & 0xff; }
constexpr int place_y(VampiresPlace place) { return place >> 8; }
// The distance in king moves.
constexpr int vampires_distance(VampiresPlace a, VampiresPlace b) {
    const int dx = place_x(a) - place_x(b), dy = place_y(a) - place_y(b);
    return std::max(dx < 0 ? -dx : dx, dy < 0 ? -dy : dy);
}
std::string place_text(VampiresPlace place);

struct VampiresCell {
    std::uint32_t bits;

    static constexpr VampiresCell of(VampiresKind kind, VampiresPlace place, int count) {
        return {static_cast<std::uint32_t>(kind) << 24 | static_cast<std::uint32_t>(place) << 8 |
                static_cast<std::uint32_t>(count)};
    }
    constexpr VampiresKind kind() const { return static_cast<VampiresKind>(bits >> 24); }
    constexpr VampiresPlace place() const { return static_cast<VampiresPlace>(bits >> 8); }
    constexpr int count() const { return bits & 0xff; }
    constexpr auto operator<=>(const VampiresCell&) const = default;
};

// The eight neighbours, row by row.
constexpr int vampires_directions = 8;
constexpr std::array<int, vampires_directions> step_x{-1, 0, 1, -1, 1, -1, 0, 1}, step_y{-1, -1, -1, 0, 0, 1, 1, 1};
constexpr int vampires_direction(int dx, int dy) {
    const int index = (dy + 1) * 3 + dx + 1;
    return index < 4 ? index : index - 1;
}

// Symmetry g swaps columns and rows (g & 4), then mirrors left and right (g & 1), then top and bottom (g & 2). The
// place to which it maps a place; `columns` and `rows` are those of the resulting grid.
constexpr VampiresPlace vampires_turned(VampiresPlace place, int g, int columns, int rows) {
    const int x = g & 4 ? place_y(place) : place_x(place), y = g & 4 ? place_x(place) : place_y(place);
    return vampires_place(g & 1 ? columns - 1 - x : x, g & 2 ? rows - 1 - y : y);
}
constexpr int vampires_turned_direction(int direction, int g) {
    int dx = step_x[static_cast<std::size_t>(direction)], dy = step_y[static_cast<std::size_t>(direction)];
    if (g & 4) std::swap(dx, dy);
    return vampires_direction(g & 1 ? -dx : dx, g & 2 ? -dy : dy);
}

struct VampiresOrder {
    std::uint32_t bits;

    static constexpr VampiresOrder of(VampiresPlace source, int direction, int count) {
        return {static_cast<std::uint32_t>(source) << 16 | static_cast<std::uint32_t>(direction) << 8 |
                static_cast<std::uint32_t>(count)};
    }
    constexpr VampiresPlace source() const { return static_cast<VampiresPlace>(bits >> 16); }
    constexpr int direction() const { return bits >> 8 & 0xff; }
    constexpr int count() const { return bits & 0xff; }
    constexpr int target_x() const { return place_x(source()) + step_x[static_cast<std::size_t>(direction())]; }
    constexpr int target_y() const { return place_y(source()) + step_y[static_cast<std::size_t>(direction())]; }
    // The target of an order that stays on the grid.
    constexpr VampiresPlace target() const { return vampires_place(target_x(), target_y()); }
    // Whether two orders have the same source and direction.
    constexpr bool has_way_of(VampiresOrder other) const { return bits >> 8 == other.bits >> 8; }
    constexpr auto operator<=>(const VampiresOrder&) const = default;
};

// A parsed position, checked except for what depends on the rules; the cells are sorted.
struct VampiresBoard {
    int rows = 0, columns = 0, ply = 0;
    std::vector<VampiresCell> cells;
    // The species of the attackers, by its letter; vampires if nobody attacks.
    VampiresKind attacking = VampiresKind::vampires;

    static VampiresBoard parse(std::string_view text);  // throws TextError
};

// The text of a position with these cells, in their order.
std::string vampires_text(int rows, int columns, const VampiresCell* begin, const VampiresCell* end,
                          VampiresKind attacking, int ply);

}  // namespace joute
