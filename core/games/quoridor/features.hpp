#pragma once

// The input features of the network of Quoridor's evaluation: the board from the mover's side, mirrored so that a
// position and its mirror image give the same features.

#include <algorithm>

#include "../../base/fixed_list.hpp"
#include "paths.hpp"

namespace joute {

struct QuoridorFeatures {
    // All features are binary. One-hot groups: the cell of each pawn, walls in hand, steps to the goal, lead in steps
    // (separate by who still has walls), number of steps that all shortest paths share, number of walls that sever all
    // shortest paths, and longest detour. In addition, one feature for each wall on the board.
    static constexpr int most_steps = 31, most_lead = 8, most_counted = 15;
    static constexpr int own_pawn = 0, other_pawn = own_pawn + quoridor_board::cells,
                         horizontal = other_pawn + quoridor_board::cells,
                         vertical = horizontal + quoridor_board::anchors, own_hand = vertical + quoridor_board::anchors,
                         other_hand = own_hand + QuoridorRules::walls_each + 1,
                         own_steps = other_hand + QuoridorRules::walls_each + 1,
                         other_steps = own_steps + most_steps + 1, lead = other_steps + most_steps + 1,
                         own_narrow = lead + 4 * (2 * most_lead + 1), other_narrow = own_narrow + most_counted + 1,
                         own_severing = other_narrow + most_counted + 1,
                         other_severing = own_severing + most_counted + 1,
                         own_detour = other_severing + most_counted + 1, other_detour = own_detour + most_counted + 1,
                         count = other_detour + most_counted + 1;
    // Two pawns, twenty walls, and eleven other features.
    static constexpr std::size_t most = 33;
    using List = FixedList<std::int16_t, most>;

    static void list(const Quoridor& state, List& features) {
        thread_local const auto memory = std::make_unique<QuoridorPathMemory>();
        QuoridorPathMemory& paths = *memory;
        const auto add = [&](int feature) { features.push_back(static_cast<std::int16_t>(feature)); };
        const Player own = state.to_move(), other = opponent(own);
        // Black's view is flipped vertically, so that the mover's goal is always at the top.
        const bool mirrors = is_seen_mirrored(state);
        const auto cell_seen = [&](int cell) {
            constexpr int side = quoridor_board::side;
            if (mirrors) cell = quoridor_board::mirrored_cell(cell);
            return own == 0 ? cell : (side - 1 - cell / side) * side + cell % side;
        };
        const int turn = (own == 0 ? 0 : quoridor_board::anchors - quoridor_board::anchors_a_side) ^
                         (mirrors ? quoridor_board::anchors_a_side - 1 : 0);
        add(own_pawn + cell_seen(state.pawn(own)));
        add(other_pawn + cell_seen(state.pawn(other)));
        for (std::uint64_t rest = state.walls().horizontal; rest; rest &= rest - 1)
            add(horizontal + (std::countr_zero(rest) ^ turn));
        for (std::uint64_t rest = state.walls().vertical; rest; rest &= rest - 1)
            add(vertical + (std::countr_zero(rest) ^ turn));
        const int own_left = state.walls_left(own), other_left = state.walls_left(other);
        add(own_hand + own_left);
        add(other_hand + other_left);
        const QuoridorPaths of_own = paths.of(state, own), of_other = paths.of(state, other);
        const auto add_count = [&](int group, int number) { add(group + std::min(number, most_counted)); };
        add(own_steps + std::min<int>(of_own.length, most_steps));
        add_count(own_narrow, of_own.narrow);
        add_count(own_severing, of_own.severing);
        add_count(own_detour, of_own.detour);
        add(other_steps + std::min<int>(of_other.length, most_steps));
        add_count(other_narrow, of_other.narrow);
        add_count(other_severing, of_other.severing);
        add_count(other_detour, of_other.detour);
        const int by = of_other.length - of_own.length;
        add(lead + 4 * (std::clamp(by, -most_lead, most_lead) + most_lead) + 2 * (own_left > 0) + (other_left > 0));
    }

private:
    // Puts the mover's pawn on the left half; if it is in the middle column, the other pawn; if both are, the walls
    // decide.
    static bool is_seen_mirrored(const Quoridor& state) {
        constexpr int middle = quoridor_board::side / 2;
        for (const Player player : {state.to_move(), opponent(state.to_move())}) {
            const int column = state.pawn(player) % quoridor_board::side;
            if (column != middle) return column > middle;
        }
        const auto [h, v] = state.walls();
        const std::uint64_t h_mirrored = quoridor_board::mirrored(h);
        return h_mirrored != h ? h_mirrored < h : quoridor_board::mirrored(v) < v;
    }
};

}  // namespace joute
