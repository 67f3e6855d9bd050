#pragma once

// Quoridor without walls in hand: the pawns run on a board that stays as it is. All 81 x 81 x 2 positions of such a
// board are solved together, backwards from the goals.

#include <array>
#include <cstdint>
#include <optional>

#include "../../evaluation.hpp"
#include "quoridor.hpp"

namespace joute {

class QuoridorRace {
public:
    QuoridorRace() = default;
    explicit QuoridorRace(const quoridor_board::Ways& ways);

    // Plies to the end under best play: positive where the player to move wins, the sooner the better; negative where
    // the other does; 0 where nobody can force a win.
    int plies(int white, int black, int to_move) const { return plies_[index(white, black, to_move)]; }

private:
    static constexpr int cells = quoridor_board::cells;
    static std::size_t index(int white, int black, int to_move) {
        return static_cast<std::size_t>((to_move * cells + white) * cells + black);
    }

    std::array<std::int16_t, 2 * cells * cells> plies_{};
};

// How a game ends once nobody has walls in hand. What an earlier part of the game has already repeated it does not
// know.
std::optional<KnownEnd> quoridor_race_end(const Quoridor& state);

}  // namespace joute
