#include "connect4.hpp"

#include <bit>
#include <cstring>
#include <unordered_set>

#include "../../base/quote.hpp"

namespace joute {

static_assert(NetworkGame<Connect4>);

const Connect4Rules* Connect4Rules::find(std::string_view text) {
    static constexpr Connect4Rules rules;
    parse_options(text, [](std::string_view key, std::string_view) {
        throw TextError("connect4 has no rules option " + quoted(key));
    });
    return &rules;
}

Result Connect4::result() const {
    if (!won_) return {.decided_by = "full board"};
    const int outcome = to_move() == 1 ? 1 : -1;
    // The margin is the published score of the position: the discs the winner still has in hand, plus one for the
    // winning disc. `score` is the same, so a faster win ranks above a slower one.
    const int discs_played_by_winner = (ply_ + 1) / 2;
    const int margin = outcome * (Rules::rows * Rules::columns / 2 + 1 - discs_played_by_winner);
    return {.outcome = outcome, .score = margin, .margin = margin, .decided_by = "four in a row"};
}

Result Connect4::result_if_stopped() const { return is_terminal() ? result() : Result{.decided_by = "stopped"}; }

std::uint64_t Connect4::recompute_key() const {
    // For each column: the bits of the mover's discs plus the bits of all discs.
    std::uint64_t sum = 0;
    for (int column = 0; column < Rules::columns; ++column)
        for (int row = 0; row < Rules::rows; ++row) {
            const int owner = disc_at(column, row);
            if (owner < 0) continue;
            sum += (bottom_of(column) << row) * (owner == to_move() ? 2 : 1);
        }
    return mix64(sum ^ Rules::id());
}

std::string Connect4::text() const { return order_of(discs_).value(); }

std::optional<std::string> Connect4::order_of(const std::array<std::uint64_t, 2>& placed) {
    const int plies = std::popcount(placed[0] | placed[1]);
    const int ahead = std::popcount(placed[0]) - std::popcount(placed[1]);
    if (ahead < 0 || ahead > 1) return std::nullopt;
    // Takes discs back one by one. A branch fails if the position before the last move already has a four, or if no
    // disc of the right colour is on top of a column. `dead` stores failed branches by their column heights (the discs
    // are given), so the search visits each of the at most 7^7 height vectors once.
    std::string moves(static_cast<std::size_t>(plies), '?');
    std::unordered_set<std::uint64_t> dead;
    const auto take_back = [&](const auto& self, std::array<std::uint64_t, 2> discs, int ply) -> bool {
        if (ply == 0) return true;
        const std::uint64_t all = discs[0] | discs[1];
        if (dead.contains(all)) return false;
        const int last = (ply - 1) & 1;
        for (int column = 0; column < Rules::columns; ++column) {
            const std::uint64_t top = std::bit_floor(all & cells_of(column));
            if (!(discs[last] & top)) continue;
            auto before = discs;
            before[last] ^= top;
            if (has_four(before[0]) || has_four(before[1])) continue;
            moves[static_cast<std::size_t>(ply) - 1] = static_cast<char>('1' + column);
            if (self(self, before, ply - 1)) return true;
        }
        dead.insert(all);
        return false;
    };
    return take_back(take_back, placed, plies) ? std::optional(moves) : std::nullopt;
}

Connect4 Connect4::from_text(const Rules* rules, std::string_view text) {
    Connect4 state(rules);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto complain = [&](const std::string& why) {
            // A single byte of a multi-byte character would make the message invalid UTF-8.
            const bool is_ascii = static_cast<unsigned char>(text[i]) < 128;
            return TextError(quoted(text) + " is not a connect4 position: move " + std::to_string(i + 1) +
                             (is_ascii ? std::string(", '") + text[i] + "', " : " ") + why);
        };
        if (text[i] < '1' || text[i] > '7') throw complain("is not a column from 1 to 7");
        const Move move{static_cast<std::uint8_t>(text[i] - '1')};
        if (state.is_terminal()) throw complain("comes after the game is over");
        if (!state.is_legal(move)) throw complain("goes into a full column");
        state.play(move);
    }
    return state;
}

Connect4::Move Connect4::parse_move(std::string_view text) const {
    if (text.size() != 1 || text[0] < '1' || text[0] > '7')
        throw TextError(quoted(text) + " is not a connect4 move; moves are the columns 1 to 7");
    return {static_cast<std::uint8_t>(text[0] - '1')};
}

std::string Connect4::diagram() const {
    std::string lines;
    for (int row = Rules::rows - 1; row >= 0; --row) {
        for (int column = 0; column < Rules::columns; ++column) {
            if (column > 0) lines += ' ';
            lines += ".XO"[disc_at(column, row) + 1];
        }
        lines += '\n';
    }
    return lines + "1 2 3 4 5 6 7";
}

namespace {

// The discs with each column in a byte of its own: column c moves up by c bits, in three steps.
constexpr std::uint64_t bytes_of_columns(std::uint64_t discs) {
    static_assert(Connect4::column_bits == 7);
    const auto moved_up = [&discs](std::uint64_t columns, int bits) {
        discs = (discs & ~columns) | (discs & columns) << bits;
    };
    constexpr std::uint64_t column = 0x7f;
    moved_up(column << 28 | column << 35 | column << 42, 4);  // columns 4 to 6
    moved_up(column << 14 | column << 21 | column << 46, 2);  // 2, 3 and 6, which now begins at bit 46
    moved_up(column << 7 | column << 23 | column << 39, 1);   // 1, 3 and 5
    return discs;
}

}  // namespace

void Connect4::encode(std::span<std::uint8_t> input) const {
    static_assert(std::endian::native == std::endian::little, "byte c of a number is its c-th lowest");
    constexpr std::uint64_t one_row = 0x0101010101010101;
    std::uint8_t* next = input.data();
    const std::uint8_t* const end = next + input.size();
    for (const Player player : {to_move(), opponent(to_move())}) {
        const std::uint64_t columns = bytes_of_columns(discs_[player]);
        for (int row = Rules::rows - 1; row >= 0; --row, next += Rules::columns) {
            const std::uint64_t cells = columns >> row & one_row;
            // One byte too many is written at once with the others; the next row overwrites it.
            if (end - next >= static_cast<std::ptrdiff_t>(sizeof cells))
                std::memcpy(next, &cells, sizeof cells);
            else
                std::memcpy(next, &cells, Rules::columns);
        }
    }
}

Connect4 Connect4::transformed(int g) const {
    Connect4 state = *this;
    if (g == 1)
        for (auto& discs : state.discs_) discs = mirrored(discs);
    return state;
}

int Connect4::disc_at(int column, int row) const {
    const std::uint64_t cell = bottom_of(column) << row;
    if (discs_[0] & cell) return 0;
    return discs_[1] & cell ? 1 : -1;
}

}  // namespace joute
