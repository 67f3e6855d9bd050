#include "race.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace joute {

using namespace quoridor_board;

namespace {

// The cells one step away from a cell.
struct Steps {
    std::array<std::uint8_t, 4> to;
    int count = 0;

    const std::uint8_t* begin() const { return to.data(); }
    const std::uint8_t* end() const { return to.data() + count; }
    bool has(int cell) const { return std::find(begin(), end(), cell) != end(); }
};

}  // namespace

QuoridorRace::QuoridorRace(const Ways& ways) {
    std::array<Steps, cells> steps;
    for (int cell = 0; cell < cells; ++cell) {
        Steps& from_cell = steps[static_cast<std::size_t>(cell)];
        for (Cells rest = ways.around(bit(cell)); rest; rest &= rest - 1)
            from_cell.to[static_cast<std::size_t>(from_cell.count++)] = static_cast<std::uint8_t>(lowest(rest));
    }
    const auto steps_from = [&](int cell) -> const Steps& { return steps[static_cast<std::size_t>(cell)]; };
    const auto is_on_goal = [](int player, int cell) { return player == 0 ? cell >= cells - side : cell < side; };

    struct Position {
        std::uint8_t white, black, to_move;
    };
    // Decided positions, in order of plies. Plies are counted from 1 during the construction, because 0 means
    // undecided.
    std::vector<Position> decided;
    decided.reserve(plies_.size());
    const auto decide = [&](Position at, int plies) {
        plies_[index(at.white, at.black, at.to_move)] = static_cast<std::int16_t>(plies);
        decided.push_back(at);
    };
    // Final positions: the opponent of the player to move is on the goal, and the player to move is not.
    for (int on_goal = 0; on_goal < side; ++on_goal)
        for (int other = 0; other < cells; ++other) {
            const auto there = static_cast<std::uint8_t>(other);
            const auto white = static_cast<std::uint8_t>(cells - side + on_goal);
            const auto black = static_cast<std::uint8_t>(on_goal);
            if (!is_on_goal(1, other) && other != white) decide({white, there, 1}, -1);
            if (!is_on_goal(0, other) && other != black) decide({there, black, 0}, -1);
        }

    // The number of moves of the player to move that do not lose yet; 0 before they are counted.
    std::array<std::uint8_t, 2 * cells * cells> left{};
    for (std::size_t next = 0; next < decided.size(); ++next) {
        const Position at = decided[next];
        const int plies = plies_[index(at.white, at.black, at.to_move)];
        const int mover = 1 - at.to_move, to = mover == 0 ? at.white : at.black;
        const int other = mover == 0 ? at.black : at.white;
        const auto came_from = [&](std::uint8_t from) {
            if (from == other || is_on_goal(mover, from)) return;  // the game is over once a pawn is on its goal
            const auto still = static_cast<std::uint8_t>(other);
            const Position before = mover == 0 ? Position{from, still, 0} : Position{still, from, 1};
            const std::size_t slot = index(before.white, before.black, before.to_move);
            if (plies_[slot]) return;
            if (plies < 0) return decide(before, 1 - plies);
            if (!left[slot])
                left[slot] = static_cast<std::uint8_t>(steps_from(from).has(other)
                                                           ? quoridor_board::count(ways.pawn_moves(from, other))
                                                           : steps_from(from).count);
            if (--left[slot] == 0) decide(before, -1 - plies);
        };
        for (const std::uint8_t from : steps_from(to)) came_from(from);
        if (steps_from(to).has(other))
            for (const std::uint8_t from : steps_from(other))
                if (from != to && ways.pawn_moves(from, other) >> to & 1) came_from(from);
    }
    for (auto& plies : plies_) plies = static_cast<std::int16_t>(plies - (plies > 0) + (plies < 0));
}

std::optional<KnownEnd> quoridor_race_end(const Quoridor& state) {
    const QuoridorRules& rules = *state.rules();
    if (state.walls_left(0) + state.walls_left(1) > 0 || rules.null_move) return std::nullopt;
    // A search meets few boards, each of them often, so the last ones are cached.
    struct Solved {
        Walls walls{.horizontal = ~std::uint64_t{0}, .vertical = ~std::uint64_t{0}};  // matches no board
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
