// Random games of Divercité as one writes them first: the board an array of characters, and every ply a list of all
// legal moves. benchmarks/divercite.py compiles it like the core and compares speed and statistics.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "naive.hpp"

namespace {

constexpr int size = 9, colours = 4;

bool is_cell(int row, int column) {
    return row >= 0 && row < size && column >= 0 && column < size && std::abs(row - 4) + std::abs(column - 4) <= 4;
}

bool is_city(int row, int column) { return (row + column) % 2 == 1; }

struct Move {
    int colour, row, column;
};

struct Board {
    int colour[size][size], owner[size][size];
    int hand[2][2][colours];  // of a player: cities, resources

    Board() {
        for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column) colour[row][column] = owner[row][column] = -1;
        for (auto& player : hand)
            for (int c = 0; c < colours; ++c) {
                player[0][c] = 2;
                player[1][c] = 3;
            }
    }

    void list_moves(int player, std::vector<Move>& moves) const {
        moves.clear();
        for (int c = 0; c < colours; ++c)
            for (int row = 0; row < size; ++row)
                for (int column = 0; column < size; ++column)
                    if (is_cell(row, column) && colour[row][column] < 0 && hand[player][!is_city(row, column)][c] > 0)
                        moves.push_back({c, row, column});
    }

    void play(const Move& move, int player) {
        colour[move.row][move.column] = move.colour;
        owner[move.row][move.column] = player;
        --hand[player][!is_city(move.row, move.column)][move.colour];
    }

    int points(int row, int column) const {
        int around[colours] = {}, different = 0;
        const int steps[4][2] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
        for (const auto& step : steps) {
            const int c = colour[row + step[0]][column + step[1]];
            if (c >= 0 && around[c]++ == 0) ++different;
        }
        return different == colours ? 5 : around[colour[row][column]];
    }
};

}  // namespace

// Plays so many games; counts plies, games that the first player won, and games that were level.
extern "C" void naive_playouts(std::int64_t games, std::uint64_t seed, std::int64_t counts[3]) {
    Generator generator{seed * 2 + 1};
    std::vector<Move> moves;
    for (std::int64_t game = 0; game < games; ++game) {
        Board board;
        for (int ply = 0; ply < 40; ++ply) {
            board.list_moves(ply % 2, moves);
            board.play(moves[generator.below(moves.size())], ply % 2);
            ++counts[0];
        }
        int margin = 0;
        for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column)
                if (is_cell(row, column) && is_city(row, column))
                    margin += board.owner[row][column] == 0 ? board.points(row, column) : -board.points(row, column);
        counts[1] += margin > 0;
        counts[2] += margin == 0;
    }
}
