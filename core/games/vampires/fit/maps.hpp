#pragma once

// The random maps of the self-play. They have the distributions of the map generators in
// src/joute/games/vampires/generators.py, with other random numbers: official maps, and those of twilight and of the
// paper's tournaments (langorou).

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "games/vampires/vampires.hpp"

namespace joute {

class FitMaps {
public:
    explicit FitMaps(Random& random) : random_(random) {}

    // Of twelve maps, six are official ones of 10x10, three official ones of 4x4 to 16x18, and three are twilight's,
    // of 6x6 to 14x14 or, two of the three, of the sizes and numbers of the paper's tournaments. A start group can
    // convert a house.
    VampiresBoard draw() {
        for (;;) {
            const VampiresBoard board = draw_any();
            const int monsters = board.cells.front().count();
            for (const VampiresCell cell : board.cells)
                if (cell.kind() == VampiresKind::humans && cell.count() <= monsters) return board;
        }
    }

private:
    int between(int least, int most) {
        return least + static_cast<int>(random_.below(static_cast<std::uint32_t>(most - least + 1)));
    }

    VampiresBoard draw_any() {
        const int kind = between(0, 11);
        if (kind < 6) return draw_official(10, 10);
        if (kind < 9) {
            const int rows = between(4, 16);
            return draw_official(rows, between(4, 18));
        }
        if (kind < 10) {
            const int rows = between(6, 14), columns = between(6, 14), homes = between(1, 15);
            return draw_twilight(rows, columns, homes, between(5, 19));
        }
        const int rows = between(10, 16), columns = between(10, 16), houses = between(2, 30);
        return draw_twilight(rows, columns, houses / 2, between(4, 40));
    }

    // Point-symmetric; one side of each pair is in the left half. The number of pairs is random, up to 0.15 a cell.
    VampiresBoard draw_official(int rows, int columns) {
        std::vector<VampiresPlace> free;
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns / 2; ++x) free.push_back(vampires_place(x, y));
        const int most = std::min(static_cast<int>(free.size()) - 1, std::max(1, (15 * rows * columns + 50) / 100));
        VampiresBoard board{.rows = rows, .columns = columns, .cells = {}};
        const auto add_pair = [&](VampiresKind left, VampiresKind right, int count) {
            const auto at = free.begin() + between(0, static_cast<int>(free.size()) - 1);
            const int x = place_x(*at), y = place_y(*at);
            free.erase(at);
            board.cells.push_back(VampiresCell::of(left, vampires_place(x, y), count));
            board.cells.push_back(VampiresCell::of(right, vampires_place(columns - 1 - x, rows - 1 - y), count));
        };
        for (int homes = between(1, most); homes > 0; --homes)
            add_pair(VampiresKind::humans, VampiresKind::humans, between(1, 19));
        add_pair(VampiresKind::werewolves, VampiresKind::vampires, between(2, 19));
        return sorted(board);
    }

    // Symmetric about the middle row, or on squares also the centre or the main diagonal.
    VampiresBoard draw_twilight(int rows, int columns, int homes, int monsters) {
        const int symmetry = rows == columns ? between(0, 2) : 0;
        const auto image = [&](VampiresPlace place) {
            const int x = place_x(place), y = place_y(place);
            return symmetry == 2 ? vampires_place(y, x)
                                 : vampires_place(symmetry == 1 ? columns - 1 - x : x, rows - 1 - y);
        };
        const auto anywhere = [&] {
            const int x = between(0, columns - 1);
            return vampires_place(x, between(0, rows - 1));
        };
        VampiresBoard board{.rows = rows, .columns = columns, .cells = {}};
        VampiresPlace werewolves = anywhere();
        while (image(werewolves) == werewolves) werewolves = anywhere();
        board.cells.push_back(VampiresCell::of(VampiresKind::werewolves, werewolves, monsters));
        board.cells.push_back(VampiresCell::of(VampiresKind::vampires, image(werewolves), monsters));
        const auto is_free = [&](VampiresPlace place) {
            return std::none_of(board.cells.begin(), board.cells.end(),
                                [&](VampiresCell cell) { return cell.place() == place; });
        };
        for (; homes > 0; --homes) {
            const VampiresPlace home = anywhere();
            const int humans = between(5, 4 + monsters);
            for (const VampiresPlace place : {home, image(home)})
                if (is_free(place)) board.cells.push_back(VampiresCell::of(VampiresKind::humans, place, humans));
        }
        return sorted(board);
    }

    static VampiresBoard sorted(VampiresBoard board) {
        std::sort(board.cells.begin(), board.cells.end());
        return board;
    }

    Random& random_;
};

// The text of a map.
inline std::string fit_map_text(const VampiresBoard& board) {
    return vampires_text(board.rows, board.columns, board.cells.data(), board.cells.data() + board.cells.size(),
                         VampiresKind::vampires, 0);
}

}  // namespace joute
