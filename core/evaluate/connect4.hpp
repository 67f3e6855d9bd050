#pragma once

#include <array>

#include "../evaluation.hpp"
#include "../games/connect4.hpp"

namespace joute {

// Discs near the centre take part in more lines: each counts 3 in the middle column, 2 beside it,
// then 1, then 0; the opponent's count against.
inline double connect4_centre(const Connect4& state, const void*, const void*, Player for_player) {
    int value_for_first = 0;
    for (int column = 0; column < Connect4Rules::columns; ++column) {
        const int edge_distance = std::min(column, Connect4Rules::mirrored(column));
        for (int row = 0; row < state.height(column); ++row)
            value_for_first += state.disc_at(column, row) == 0 ? edge_distance : -edge_distance;
    }
    return for_player == 0 ? value_for_first : -value_for_first;
}

inline constexpr std::array connect4_evaluations{
    Evaluation<Connect4>{.name = "centre", .help = "discs near the middle column", .value = connect4_centre},
};

}  // namespace joute
