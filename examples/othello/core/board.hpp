#pragma once

// Othello's board as bitboards, one bit per cell, row by row from the top left:
//
//        a  b  c … h
//    1   0  1  2 … 7
//    2   8  9 10 … 15
//    …
//    8  56 57 58 … 63

#include <array>
#include <cstdint>

namespace othello {

using Cells = std::uint64_t;

inline constexpr int side = 8;
inline constexpr int cell_count = side * side;

// A direction is a shift to higher bits and the same shift to lower bits. If it changes the column, lines must not wrap
// around the edge, so discs in columns a and h are never inside a line.
struct Direction {
    int shift;
    Cells middle;
};
inline constexpr Cells any_column = ~Cells{0};
inline constexpr Cells inner_columns = 0x7e7e7e7e7e7e7e7e;
inline constexpr std::array<Direction, 4> directions{
    {{1, inner_columns}, {7, inner_columns}, {8, any_column}, {9, inner_columns}}};

// The consecutive cells of `line` that begin next to `from`, in both directions of a shift: at most six cells lie
// between two ends.
struct Runs {
    Cells up, down;
};
inline Runs runs(Cells from, Cells line, int shift) {
    Cells up = line & from << shift, down = line & from >> shift;
    for (int step = 0; step < side - 3; ++step) {
        up |= line & up << shift;
        down |= line & down >> shift;
    }
    return {up, down};
}

// The empty cells where `own` may play: each is the end of a run of the opponent's discs that begins at an own disc.
inline Cells playable(Cells own, Cells theirs) {
    Cells found = 0;
    for (const auto [shift, middle] : directions) {
        const auto [up, down] = runs(own, theirs & middle, shift);
        found |= up << shift | down >> shift;
    }
    return found & ~(own | theirs);
}

// The opponent's discs that a disc on this cell flips.
inline Cells turned(Cells own, Cells theirs, Cells cell) {
    Cells found = 0;
    for (const auto [shift, middle] : directions) {
        const auto [up, down] = runs(cell, theirs & middle, shift);
        if (own & up << shift) found |= up;
        if (own & down >> shift) found |= down;
    }
    return found;
}

}  // namespace othello
