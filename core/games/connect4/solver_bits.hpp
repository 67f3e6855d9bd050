#pragma once

// Connect Four for the solver: bitboards in the layout of core/games/connect4/connect4.hpp, from the view of the player
// to move, and scores on the published scale.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "connect4.hpp"

namespace joute::connect4 {

using Bits = std::uint64_t;

constexpr int columns = Connect4Rules::columns;
constexpr int rows = Connect4Rules::rows;
constexpr int cells = rows * columns;
constexpr int column_bits = Connect4::column_bits;

constexpr Bits bottom_row = Connect4::bottom_row;
constexpr Bits board = Connect4::all_cells;
// The first, third and fifth row.
constexpr Bits odd_rows = bottom_row * 0b010101;

constexpr int column_of(Bits cell) { return std::countr_zero(cell) / column_bits; }

// A position: the mover's discs and all discs.
struct Position {
    Bits own;
    Bits occupied;
    int ply;

    explicit Position(const Connect4& state)
        : own(state.discs(state.to_move())), occupied(state.discs(0) | state.discs(1)), ply(state.ply()) {}
    Position(Bits own_discs, Bits all_discs, int plies) : own(own_discs), occupied(all_discs), ply(plies) {}

    Bits other() const { return own ^ occupied; }
    Bits playable() const { return (occupied + bottom_row) & board; }
    Position after(Bits cell) const { return {other(), occupied | cell, ply + 1}; }
};

constexpr Bits winning_cells(Bits discs, Bits occupied) { return Connect4::winning_cells(discs, occupied); }

// The published scale, from the mover's view: a win with the mover's last disc scores 1, plus 1 for each disc left in
// hand. After `ply` plies the mover has ply / 2 discs on the board, the opponent (ply + 1) / 2.
constexpr int score_of_win(int ply, int own_moves) { return cells / 2 + 1 - (ply / 2 + own_moves); }
constexpr int score_of_loss(int ply, int other_moves) { return -(cells / 2 + 1 - ((ply + 1) / 2 + other_moves)); }

// Unique to a position (see key() in core/games/connect4/connect4.hpp); 49 bits.
constexpr Bits exact_key(Bits own, Bits occupied) { return own + occupied; }

// The same key for a position and its mirror image.
constexpr Bits symmetric_key(Bits own, Bits occupied) {
    const Bits key = exact_key(own, occupied);
    return std::min(key, Connect4::mirrored(key));
}

// The moves after which the opponent cannot win at once. `threats` are the opponent's winning cells. If there are none,
// the opponent wins with the next move.
constexpr Bits safe_moves(Bits playable, Bits threats) {
    if (const Bits forced = playable & threats) {
        if (forced & (forced - 1)) return 0;
        playable = forced;
    }
    return playable & ~(threats >> 1);
}

}  // namespace joute::connect4
