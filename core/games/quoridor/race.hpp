#pragma once

// Quoridor without walls in hand: both pawns race on a fixed board. All 81 x 81 x 2 positions of a board are solved
// together by retrograde analysis from the goals.

#include <array>
#include <cstdint>
#include <optional>

#include "../../evaluation.hpp"
#include "quoridor.hpp"

namespace joute {

class QuoridorRace {
public:
    explicit QuoridorRace(const quoridor_board::Ways& ways);

    // Plies to the end under best play: positive if the player to move wins, negative if the opponent wins, 0 if nobody
    // can force a win. The winner takes the fastest win, the loser the slowest loss.
    int plies(int white, int black, int to_move) const {
        const int plies = plies_[index(white, black, to_move)];
        return plies == undecided ? 0 : plies % 2 ? plies : -plies;
    }

private:
    static constexpr int cells = quoridor_board::cells;
    static std::size_t index(int white, int black, int to_move) {
        return static_cast<std::size_t>((to_move * cells + white) * cells + black);
    }

    // The player to move wins after an odd number of plies and loses after an even one, so a byte tells both. A longer
    // win counts as none; none above 88 plies has been seen.
    static constexpr std::uint8_t undecided = 255;
    static constexpr int most_plies = undecided - 1;
    std::array<std::uint8_t, 2 * cells * cells> plies_;
};

// The end of a game in which nobody has walls in hand. It ignores repetitions of earlier positions of the game.
std::optional<KnownEnd> quoridor_race_end(const Quoridor& state);

}  // namespace joute
