#include "quoridor_race.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

namespace joute {

using namespace quoridor_board;

QuoridorRace::QuoridorRace(const Ways& ways) {
    std::array<Cells, cells> steps;
    for (int cell = 0; cell < cells; ++cell) steps[cell] = ways.around(bit(cell));

    struct Position {
        std::uint8_t white, black, to_move;
    };
    // Decided positions, the soonest first.
    std::vector<Position> decided;
    decided.reserve(plies_.size());
    // Moves that the player to move still has against losing; 0 while they are not counted.
    std::array<std::uint8_t, 2 * cells * cells> left{};

    const auto decide = [&](Position at, int plies) {
        plies_[index(at.white, at.black, at.to_move)] = static_cast<std::int16_t>(plies);
        decided.push_back(at);
    };
    // The end: who is to move sees the other on the goal. -1 stands for no ply at all, and is taken off at the end.
    for (int on_goal = 0; on_goal < side; ++on_goal)
        for (int other = 0; other < cells; ++other) {
            const auto white = static_cast<std::uint8_t>(cells - side + on_goal),
                       black = static_cast<std::uint8_t>(on_goal);
            const auto there = static_cast<std::uint8_t>(other);
            if (other >= side && other != white) decide({white, there, 1}, -1);
            if (other < cells - side && other != black) decide({there, black, 0}, -1);
        }
    for (std::size_t next = 0; next < decided.size(); ++next) {
        const Position at = decided[next];
        const int plies = plies_[index(at.white, at.black, at.to_move)];
        // Who moved here, from where: one step away, or over the other pawn.
        const int mover = 1 - at.to_move, to = mover == 0 ? at.white : at.black,
                  other = mover == 0 ? at.black : at.white;
        Cells origins = steps[to] & ~bit(other);
        if (steps[other] >> to & 1)
            for (Cells beside = steps[other] & ~bit(to) & ~origins; beside; beside &= beside - 1)
                if (ways.pawn_moves(lowest(beside), other) >> to & 1) origins |= beside & -beside;
        // Pawns on their goals move no more.
        origins &= ~row(mover == 0 ? side - 1 : 0);
        for (; origins; origins &= origins - 1) {
            const auto from = static_cast<std::uint8_t>(lowest(origins));
            const auto still = static_cast<std::uint8_t>(other);
            const Position before = mover == 0 ? Position{from, still, 0} : Position{still, from, 1};
            const std::size_t slot = index(before.white, before.black, before.to_move);
            if (plies_[slot]) continue;
            if (plies < 0) {
                decide(before, 1 - plies);
            } else {
                if (!left[slot]) left[slot] = static_cast<std::uint8_t>(count(ways.pawn_moves(from, other)));
                if (--left[slot] == 0) decide(before, -1 - plies);
            }
        }
    }
    for (auto& plies : plies_) plies = static_cast<std::int16_t>(plies - (plies > 0) + (plies < 0));
}

std::optional<KnownEnd> quoridor_race_end(const Quoridor& state) {
    const QuoridorRules& rules = *state.rules();
    if (state.walls_left(0) + state.walls_left(1) > 0 || rules.null_move) return std::nullopt;
    // A search meets few boards and each of them often, so the last ones are kept.
    struct Solved {
        Walls walls{.horizontal = ~std::uint64_t{0}, .vertical = ~std::uint64_t{0}};  // no board
        QuoridorRace race;
    };
    constexpr std::size_t kept = 256;
    thread_local const auto boards = std::make_unique<std::array<Solved, kept>>();
    const auto& [h, v] = state.walls();
    Solved& board = (*boards)[mix64(h ^ mix64(v)) % kept];
    if (board.walls != state.walls()) {
        board.race = QuoridorRace(state.ways());
        board.walls = state.walls();
    }
    const int plies = board.race.plies(state.pawn(0), state.pawn(1), state.to_move());
    const bool is_late =
        rules.variant == QuoridorRules::Variant::standard && state.ply() + std::abs(plies) > QuoridorRules::ply_limit;
    if (plies == 0 || is_late) return KnownEnd{.outcome = 0, .plies = 0};
    const bool white_wins = (plies > 0) == (state.to_move() == 0);
    return KnownEnd{.outcome = white_wins ? 1 : -1, .plies = std::abs(plies)};
}

}  // namespace joute
