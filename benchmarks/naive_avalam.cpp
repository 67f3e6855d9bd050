// Random games of Avalam as one writes them first: the board an array of signed heights, and every ply a list of all
// legal moves. benchmarks/avalam.py compiles it like the core and compares speed and statistics.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "naive.hpp"

namespace {

constexpr int size = 9;
const char* const start[size] = {
    "  +-     ",  //
    " +-+-    ",  //
    " -+-+-+  ",  //
    " +-+-+-+-",  //
    "+-+- -+-+",  //
    "-+-+-+-+ ",  //
    "  +-+-+- ",  //
    "    -+-+ ",  //
    "     -+  ",
};

struct Move {
    int row, column, to_row, to_column;
};

struct Board {
    int towers[size][size];

    Board() {
        for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column)
                towers[row][column] = (start[row][column] == '+') - (start[row][column] == '-');
    }

    void list_moves(std::vector<Move>& moves) const {
        moves.clear();
        for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column) {
                if (towers[row][column] == 0) continue;
                for (int to_row = row - 1; to_row <= row + 1; ++to_row)
                    for (int to_column = column - 1; to_column <= column + 1; ++to_column) {
                        if (to_row < 0 || to_row >= size || to_column < 0 || to_column >= size) continue;
                        if (to_row == row && to_column == column) continue;
                        const int height = std::abs(towers[row][column]), below = std::abs(towers[to_row][to_column]);
                        if (below > 0 && height + below <= 5) moves.push_back({row, column, to_row, to_column});
                    }
            }
    }

    void play(const Move& move) {
        int& from = towers[move.row][move.column];
        int& to = towers[move.to_row][move.to_column];
        const int height = std::abs(from) + std::abs(to);
        to = from > 0 ? height : -height;
        from = 0;
    }
};

}  // namespace

// Plays so many games; counts plies, games that the first player won, and draws.
extern "C" void naive_playouts(std::int64_t games, std::uint64_t seed, std::int64_t counts[3]) {
    Generator generator{seed * 2 + 1};
    std::vector<Move> moves;
    for (std::int64_t game = 0; game < games; ++game) {
        Board board;
        for (;;) {
            board.list_moves(moves);
            if (moves.empty()) break;
            board.play(moves[generator.below(moves.size())]);
            ++counts[0];
        }
        int margin = 0, fives = 0;
        for (const auto& row : board.towers)
            for (const int tower : row) {
                margin += (tower > 0) - (tower < 0);
                fives += (tower == 5) - (tower == -5);
            }
        const int score = margin ? margin : fives;
        counts[1] += score > 0;
        counts[2] += score == 0;
    }
}
