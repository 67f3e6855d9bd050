#pragma once

namespace joute {

// The eight symmetries of a square board: maps a cell by g % 4 quarter turns, then a mirror if g >= 4.
inline constexpr int square_symmetries = 8;
constexpr int map_square(int cell, int side, int g) {
    int row = cell / side, column = cell % side;
    for (int turn = 0; turn < g % 4; ++turn) {
        const int turned_row = column;
        column = side - 1 - row;
        row = turned_row;
    }
    if (g >= 4) column = side - 1 - column;
    return row * side + column;
}

}  // namespace joute
