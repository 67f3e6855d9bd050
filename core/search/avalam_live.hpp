#pragma once

// Avalam as its solver sees it: the towers that can still merge, and nothing else.
//
// A tower without a partner is frozen for good, and so is one of height five: both count at the end and change
// nothing until then. What remains is a handful of towers, seen from the side to move.
//
// Cells lie at bit 8 * row - 5 * column + 16. Among all such maps this is one of three that fit 64 bits and never
// put two cells a neighbour's step apart that are no neighbours, so the neighbours of a whole set of cells are a
// few shifts.

#include <array>
#include <bit>
#include <cstdint>

#include "../games/avalam.hpp"

namespace joute::avalam_live {

using Cells = std::uint64_t;

inline constexpr int row_step = 8, column_step = 5, origin = 16;

constexpr int bit_of(int cell) {
    return row_step * AvalamRules::row_of(cell) - column_step * AvalamRules::column_of(cell) + origin;
}

inline constexpr auto cell_at_bit = [] {
    std::array<std::int8_t, 64> cells{};
    cells.fill(-1);
    for (int cell = 0; cell < AvalamRules::cells; ++cell)
        cells[static_cast<std::size_t>(bit_of(cell))] = static_cast<std::int8_t>(cell);
    return cells;
}();

// With bits of no cell among them, which a mask of towers takes away.
constexpr Cells neighbours(Cells cells) {
    constexpr int one_diagonal = row_step - column_step, other_diagonal = row_step + column_step;
    const Cells left = cells << column_step, right = cells >> column_step;
    // The step of a row is that of a diagonal after one sideways.
    return left | right | (cells | left) << one_diagonal | (cells | right) >> one_diagonal | cells << other_diagonal |
           cells >> other_diagonal;
}

struct Position {
    // By height; [0] is height 1.
    std::array<Cells, 4> height{};
    Cells own = 0;  // the mover's

    Cells all() const { return height[0] | height[1] | height[2] | height[3]; }
    Cells other() const { return all() & ~own; }

    // What may merge with a tower of that height, 1 to 4.
    Cells low_enough(int h) const {
        Cells cells = height[0];
        if (h < 4) cells |= height[1];
        if (h < 3) cells |= height[2];
        if (h < 2) cells |= height[3];
        return cells;
    }
    int height_at(Cells bit) const { return height[0] & bit ? 1 : height[1] & bit ? 2 : height[2] & bit ? 3 : 4; }

    // Drops the towers that cannot merge any more.
    void drop_frozen() {
        const Cells one = height[0], two = one | height[1], three = two | height[2], four = three | height[3];
        height[0] &= neighbours(four);
        height[1] &= neighbours(three);
        height[2] &= neighbours(two);
        height[3] &= neighbours(one);
        own &= all();
    }
    // The position seen by the other side.
    void swap_sides() { own = other(); }
};

}  // namespace joute::avalam_live
