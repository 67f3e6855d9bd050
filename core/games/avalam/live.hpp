#pragma once

// The position as Avalam's solver sees it: only the towers that can still merge ("live" towers).
//
// A tower without a partner is frozen for good, and so is a tower of height five: both count at the end and change
// nothing until then. The rest is a handful of towers, from the view of the side to move, in islands that no move
// connects.
//
// A cell has bit 8 * row - 5 * column + 16. This is one of three such maps that fit in 64 bits and never put two cells
// at the distance of neighbours unless they are neighbours. So a few shifts give the neighbours of a whole set of
// cells, and a translated island has the same bits, shifted.

#include <array>
#include <bit>
#include <cstdint>

#include "avalam.hpp"

namespace joute::avalam_live {

using Cells = std::uint64_t;

inline constexpr int row_step = 8, column_step = 5, origin = 16;

constexpr int bit_of(int cell) {
    return row_step * AvalamRules::row_of(cell) - column_step * AvalamRules::column_of(cell) + origin;
}

// The result includes bits that are no cells; mask it with the towers.
constexpr Cells neighbours(Cells cells) {
    constexpr int one_diagonal = row_step - column_step, other_diagonal = row_step + column_step;
    const Cells left = cells << column_step, right = cells >> column_step;
    // A step of one row equals a diagonal step after a sideways step.
    return left | right | (cells | left) << one_diagonal | (cells | right) >> one_diagonal | cells << other_diagonal |
           cells >> other_diagonal;
}

constexpr bool neighbours_are_those_of_the_board() {
    Cells all = 0;
    for (int cell = 0; cell < AvalamRules::cells; ++cell) all |= Cells{1} << bit_of(cell);
    for (int cell = 0; cell < AvalamRules::cells; ++cell) {
        Cells expected = 0;
        for (int other = 0; other < AvalamRules::cells; ++other)
            if (Avalam::neighbours(cell) >> other & 1) expected |= Cells{1} << bit_of(other);
        if ((neighbours(Cells{1} << bit_of(cell)) & all) != expected) return false;
    }
    return true;
}
static_assert(neighbours_are_those_of_the_board());

// A bijection that mixes the bits (degski's 64-bit mixer).
constexpr std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    return x ^ x >> 32;
}

struct Position {
    std::array<Cells, 4> of_height{};  // of_height[h - 1]: towers of height h
    Cells own = 0;                     // the mover's towers

    Cells all() const { return of_height[0] | of_height[1] | of_height[2] | of_height[3]; }
    Cells others() const { return all() & ~own; }
    int height_at(Cells cell) const {
        return of_height[0] & cell ? 1 : of_height[1] & cell ? 2 : of_height[2] & cell ? 3 : 4;
    }

    // Calls see(from, to) for every move.
    template <class See>
    void each_move(See see) const {
        Cells low_enough = all();  // towers low enough to merge with one of the current height
        for (int h = 1; h <= 4; ++h) {
            for (Cells rest = of_height[static_cast<std::size_t>(h - 1)]; rest; rest &= rest - 1) {
                const Cells from = rest & -rest;
                for (Cells targets = neighbours(from) & low_enough; targets; targets &= targets - 1)
                    see(from, targets & -targets);
            }
            low_enough &= ~of_height[static_cast<std::size_t>(4 - h)];
        }
    }

    // Plays a move, which either side may make. Returns 1 if it makes a five of `own`, -1 if a five of the other side,
    // else 0.
    int play(Cells from, Cells to) {
        const int carried = height_at(from), below = height_at(to), sum = carried + below;
        const bool is_own = own & from;
        of_height[static_cast<std::size_t>(carried - 1)] &= ~from;
        of_height[static_cast<std::size_t>(below - 1)] &= ~to;
        if (sum < AvalamRules::max_height) of_height[static_cast<std::size_t>(sum - 1)] |= to;
        own = (own & ~(from | to)) | (is_own ? to : 0);
        drop_frozen();
        return sum < AvalamRules::max_height ? 0 : is_own ? 1 : -1;
    }
    void drop_frozen() {
        const Cells one = of_height[0], two = one | of_height[1], three = two | of_height[2],
                    four = three | of_height[3];
        of_height[0] &= neighbours(four);
        of_height[1] &= neighbours(three);
        of_height[2] &= neighbours(two);
        of_height[3] &= neighbours(one);
        own &= all();
    }
    void swap_sides() { own = others(); }

    // The island of a cell: all cells that moves connect with it.
    Cells island_around(Cells cell) const {
        const Cells one = of_height[0], two = one | of_height[1], three = two | of_height[2],
                    four = three | of_height[3];
        for (Cells island = cell;;) {
            const Cells grown = island | (neighbours(island & of_height[0]) & four) |
                                (neighbours(island & of_height[1]) & three) |
                                (neighbours(island & of_height[2]) & two) | (neighbours(island & of_height[3]) & one);
            if (grown == island) return island;
            island = grown;
        }
    }
    Position within(Cells cells) const {
        Position part = *this;
        for (Cells& towers : part.of_height) towers &= cells;
        part.own &= cells;
        return part;
    }
    // Calls see(island) for each island.
    template <class See>
    void each_island(See see) const {
        for (Cells rest = all(); rest;) {
            const Cells cells = island_around(rest & -rest);
            rest &= ~cells;
            see(within(cells));
        }
    }
    // A hash of the island that does not depend on its place on the board; never 0.
    std::uint64_t shape() const {
        const int shift = std::countr_zero(all());
        std::uint64_t key = mixed((own >> shift) + 1);
        for (const Cells cells : of_height) {
            key = (key ^ cells >> shift) * 0xd6e8feb86659fd93;
            key ^= key >> 32;
        }
        key = mixed(key);
        return key ? key : 1;
    }
};

// The live towers of a position; empty if the game is over.
inline Position live_towers(const Avalam& state) {
    Position position;
    for (int cell = 0; cell < AvalamRules::cells; ++cell) {
        const int height = state.height(cell);
        if (height == 0 || height == AvalamRules::max_height) continue;
        position.of_height[static_cast<std::size_t>(height - 1)] |= Cells{1} << bit_of(cell);
        if (state.towers_of(state.to_move()) >> cell & 1) position.own |= Cells{1} << bit_of(cell);
    }
    position.drop_frozen();
    return position;
}

}  // namespace joute::avalam_live
