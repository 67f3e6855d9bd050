#include "race.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

namespace joute {

using namespace quoridor_board;

namespace {

// The moves of a pawn on a board on which the other pawn stands still, backwards.
class MovesBack {
public:
    MovesBack(const Ways& ways, int other) : ways_(&ways), other_(bit(other)) {
        for (Cells rest = ways.around(other_); rest; rest &= rest - 1) {
            const int from = lowest(rest);
            jumps_[static_cast<std::size_t>(count_++)] = {bit(from),
                                                          ways.pawn_moves(from, other) & ~ways.around(bit(from))};
        }
        can_move_ = to(whole_board & ~other_);
    }

    // The cells from which the pawn can move to one of these, which do not include the other pawn's.
    Cells to(Cells targets) const {
        Cells from = ways_->around(targets) & ~other_;
        for (int i = 0; i < count_; ++i)
            if (const Jump& jump = jumps_[static_cast<std::size_t>(i)]; jump.to & targets) from |= jump.from;
        return from;
    }
    // The cells from which every move leads to one of these.
    Cells only_to(Cells targets) const { return can_move_ & ~to(whole_board & ~targets & ~other_); }

private:
    struct Jump {
        Cells from, to;
    };
    const Ways* ways_;
    Cells other_, can_move_ = 0;
    std::array<Jump, 4> jumps_{};
    int count_ = 0;
};

}  // namespace

// Positions are decided ply by ply, from the end of the game on: a position is won if a move leads to one that is lost,
// and lost if all moves lead to positions that are won. All cells of the pawn that moves are treated at once, for each
// cell of the other pawn.
QuoridorRace::QuoridorRace(const Ways& ways) {
    // Sets of positions: by the player to move and the cell of one pawn, the cells of the other.
    using Sets = std::array<std::array<Cells, cells>, 2>;
    plies_.fill(undecided);
    Sets decided{};       // by the pawn that waits
    Sets won{}, fresh{};  // by the pawn that is to move; fresh ones were decided in the last ply
    std::vector<MovesBack> back;
    back.reserve(cells);
    for (int cell = 0; cell < cells; ++cell) back.emplace_back(ways, cell);
    for (const Player mover : {0, 1}) {
        const Cells own = Quoridor::goal(mover), other = Quoridor::goal(opponent(mover));
        for (int cell = 0; cell < cells; ++cell) {
            const auto at = static_cast<std::size_t>(cell);
            if (!(own >> cell & 1)) fresh[mover][at] = other & ~bit(cell);
            // Positions after the end of the game are not to be decided.
            decided[mover][at] = own | bit(cell) | (other >> cell & 1 ? whole_board : 0);
        }
    }
    bool goes_on = true;
    for (int plies = 1; goes_on && plies <= most_plies; ++plies) {
        const bool wins = plies % 2 == 1;
        goes_on = false;
        Sets next{};
        for (const Player waits : {0, 1})
            for (int cell = 0; cell < cells; ++cell) {
                const auto at = static_cast<std::size_t>(cell);
                if (!fresh[waits][at]) continue;
                // The pawn of `waits` is on `cell`, and the opponent has just moved.
                const Player mover = opponent(waits);
                Cells found = wins ? back[at].to(fresh[waits][at]) : back[at].only_to(won[waits][at]);
                found &= ~decided[mover][at];
                decided[mover][at] |= found;
                for (; found; found &= found - 1) {
                    const int from = lowest(found);
                    const int white = mover == 0 ? from : cell, black = mover == 0 ? cell : from;
                    plies_[index(white, black, mover)] = static_cast<std::uint8_t>(plies);
                    next[mover][static_cast<std::size_t>(from)] |= bit(cell);
                    goes_on = true;
                }
            }
        if (wins)
            for (const Player mover : {0, 1})
                for (std::size_t at = 0; at < cells; ++at) won[mover][at] |= next[mover][at];
        fresh = next;
    }
}

std::optional<KnownEnd> quoridor_race_end(const Quoridor& state) {
    const QuoridorRules& rules = *state.rules();
    if (state.walls_left(0) + state.walls_left(1) > 0 || rules.null_move) return std::nullopt;
    // A search meets some thousand boards, each of them often, so the last ones are kept: up to 27 MB a thread.
    struct Solved {
        Walls walls;
        QuoridorRace race;
    };
    constexpr std::size_t kept = 2048;
    thread_local std::vector<std::unique_ptr<const Solved>> boards(kept);
    const auto& [h, v] = state.walls();
    auto& board = boards[mix64(h ^ mix64(v)) % kept];
    if (!board || board->walls != state.walls()) board.reset(new Solved{state.walls(), QuoridorRace(state.ways())});
    const int plies = board->race.plies(state.pawn(0), state.pawn(1), state.to_move());
    const bool is_late =
        rules.variant == QuoridorRules::Variant::standard && state.ply() + std::abs(plies) > QuoridorRules::ply_limit;
    if (plies == 0 || is_late) return KnownEnd{.outcome = 0, .plies = 0};
    const bool white_wins = (plies > 0) == (state.to_move() == 0);
    return KnownEnd{.outcome = white_wins ? 1 : -1, .plies = std::abs(plies)};
}

}  // namespace joute
