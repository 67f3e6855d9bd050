#pragma once

// Connect Four: six rows, seven columns, four in a line win.
//
// A column is seven bits, its lowest cell the lowest bit; the seventh bit stays empty so that lines do not wrap into
// the next column (the layout of Tromp's Fhourstones):
//
//      6 13 20 27 34 41 48    always empty
//      5 12 19 26 33 40 47
//      4 11 18 25 32 39 46
//      3 10 17 24 31 38 45
//      2  9 16 23 30 37 44
//      1  8 15 22 29 36 43
//      0  7 14 21 28 35 42
//      ------------------
//      1  2  3  4  5  6  7    columns as players write them
//
// Moves are columns, `1` to `7`; a position is the sequence of columns that leads to it, `4455`.

#include <array>
#include <bit>
#include <optional>
#include <span>

#include "../../game.hpp"

namespace joute {

struct Connect4Rules {
    static constexpr int rows = 6;
    static constexpr int columns = 7;

    static const Connect4Rules* find(std::string_view text);
    static std::span<const RuleOption> options() { return {}; }
    std::string text() const { return ""; }
    static constexpr std::uint64_t id() { return rules_id("connect4", ""); }

    // Two planes: the mover's discs and the opponent's. Row 0 is the top row, as drawn.
    InputShape input_shape() const { return {2, rows, columns}; }
    int policy_size() const { return columns; }
    int symmetry_count() const { return 2; }  // identity, mirror
    int map_input(int index, int g) const {
        return g == 0 ? index : index - index % columns + mirrored(index % columns);
    }
    int map_policy(int index, int g) const { return g == 0 ? index : mirrored(index); }
    static constexpr int mirrored(int column) { return columns - 1 - column; }
};

class Connect4 {
public:
    using Rules = Connect4Rules;
    struct Move {
        std::uint8_t column;
        bool operator==(const Move&) const = default;
    };

    static constexpr std::string_view name = "connect4";
    static constexpr std::size_t max_moves = Rules::columns;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = false;
    static constexpr bool has_chance = false;
    using Offers = OfferList<offer::Codes, offer::MoveCode, offer::TacticalMove, offer::NoisyMoves, offer::PliesLeft,
                             offer::PlaysOn>;

    explicit Connect4(const Rules*) {}
    const Rules* rules() const { return Rules::find(""); }

    Player to_move() const { return ply_ & 1; }
    int ply() const { return ply_; }
    int reversible_plies() const { return 0; }

    bool is_terminal() const { return won_ || ply_ == Rules::rows * Rules::columns; }
    int plies_left() const { return is_terminal() ? 0 : Rules::rows * Rules::columns - ply_; }
    Result result() const;
    Result result_if_stopped() const;

    void generate(MoveList<Connect4>& moves, int /*generator*/ = 0) const {
        for (std::uint8_t column = 0; column < Rules::columns; ++column)
            if (has_room(column)) moves.push_back({column});
    }
    bool is_legal(Move move) const { return move.column < Rules::columns && !is_terminal() && has_room(move.column); }
    // Full columns are rare in random play, so rejection sampling is faster than listing the open columns.
    Move random_move(Random& random) const {
        for (;;) {
            const auto column = static_cast<std::uint8_t>(random.below(Rules::columns));
            if (has_room(column)) return {column};
        }
    }
    void play(Move move) {
        auto& own = discs_[to_move()];
        own |= (occupied() + bottom_of(move.column)) & cells_of(move.column);
        won_ = has_four(own);
        ++ply_;
    }
    // The cell where the disc lands, since a drop into the same column means different things at different heights.
    static constexpr std::size_t codes = Rules::rows * Rules::columns;
    std::uint32_t code(Move move) const {
        return static_cast<std::uint32_t>(move.column * Rules::rows + height(move.column));
    }
    std::uint32_t move_code(Move move) const { return move.column; }
    // The tactics of search/tactics.hpp, computed on bitboards.
    std::optional<Move> tactical_move(Tactics tactics, Random& random) const {
        const std::uint64_t own = discs_[to_move()], open = playable();
        if (const std::uint64_t wins = open & winning_cells(own, occupied())) return one_of(wins, random);
        if (tactics == Tactics::win) return std::nullopt;
        const std::uint64_t threats = winning_cells(discs_[opponent(to_move())], occupied());
        if (const std::uint64_t forced = open & threats) return one_of(forced, random);
        const std::uint64_t safe = open & ~(threats >> 1);  // not directly below a cell where the opponent wins
        if (tactics == Tactics::fork)
            for (std::uint64_t rest = safe; rest; rest &= rest - 1)
                if (forks(own, rest & -rest)) return move_to(rest);
        if (safe && safe != open) return one_of(safe, random);
        return std::nullopt;
    }
    // Noisy moves: wins and blocks of a win.
    void noisy_moves(MoveList<Connect4>& moves) const {
        const std::uint64_t open = playable();
        std::uint64_t noisy = open & winning_cells(discs_[to_move()], occupied());
        if (!noisy) noisy = open & winning_cells(discs_[opponent(to_move())], occupied());
        for (; noisy; noisy &= noisy - 1) moves.push_back(move_to(noisy));
    }
    // play() is valid after the end of the game as long as the column is not full.
    static constexpr bool plays_on = true;

    // The mover's discs plus the occupied cells are unique to a position: in each column the sum encodes the height and
    // the owners (Tromp). Mixed, so that tables may use its low bits.
    std::uint64_t key() const { return mix64((discs_[to_move()] + occupied()) ^ Rules::id()); }
    std::uint64_t recompute_key() const;

    // A sequence of columns that reaches this position, found by taking back the leftmost possible disc first. States
    // do not store their history, and equal states give equal text.
    std::string text() const;
    // The same for any discs that fill columns from below; nothing if no game reaches them.
    static std::optional<std::string> order_of(const std::array<std::uint64_t, 2>& placed);
    static Connect4 from_text(const Rules* rules, std::string_view text);
    static std::string move_text(Move move) { return std::string(1, static_cast<char>('1' + move.column)); }
    Move parse_move(std::string_view text) const;
    std::string diagram() const;

    void encode(std::span<std::uint8_t> input) const;
    void policy_indices(Move move, PolicyIndices& indices) const { indices.push_back(move.column); }
    Connect4 transformed(int g) const;
    Move transformed(Move move, int g) const {
        return {static_cast<std::uint8_t>(rules()->map_policy(move.column, g))};
    }

    int height(int column) const { return std::popcount(occupied() & cells_of(column)); }
    // The player whose disc is on this cell, -1 if none; row 0 is the bottom row.
    int disc_at(int column, int row) const;
    std::uint64_t discs(Player player) const { return discs_[player]; }

    bool operator==(const Connect4& other) const { return discs_ == other.discs_; }

    // --- The bitboards ---

    static constexpr int column_bits = Rules::rows + 1;
    static constexpr std::uint64_t bottom_row = [] {
        std::uint64_t bits = 0;
        for (int column = 0; column < Rules::columns; ++column) bits |= std::uint64_t{1} << (column * column_bits);
        return bits;
    }();
    static constexpr std::uint64_t all_cells = bottom_row * ((std::uint64_t{1} << Rules::rows) - 1);

    // The cells where a disc can land now.
    std::uint64_t playable() const { return (occupied() + bottom_row) & all_cells; }

    // Whether these discs contain four in a line: finds pairs of neighbours first, then pairs of pairs.
    static constexpr bool has_four(std::uint64_t discs) {
        for (const int step : {1, column_bits, column_bits - 1, column_bits + 1}) {
            const std::uint64_t pairs = discs & (discs >> step);
            if (pairs & (pairs >> (2 * step))) return true;
        }
        return false;
    }

    // The empty cells that complete a four for these discs, whether playable now or not.
    static constexpr std::uint64_t winning_cells(std::uint64_t discs, std::uint64_t occupied) {
        std::uint64_t wins = (discs << 1) & (discs << 2) & (discs << 3);
        for (const int step : {column_bits - 1, column_bits, column_bits + 1}) {
            const std::uint64_t two_below = (discs << step) & (discs << (2 * step));
            const std::uint64_t two_above = (discs >> step) & (discs >> (2 * step));
            wins |= two_below & ((discs << (3 * step)) | (discs >> step));
            wins |= two_above & ((discs >> (3 * step)) | (discs << step));
        }
        return wins & (all_cells ^ occupied);
    }

    // The columns in reverse order, with all seven bits of each.
    static constexpr std::uint64_t mirrored(std::uint64_t bits) {
        constexpr std::uint64_t column_mask = (std::uint64_t{1} << column_bits) - 1;
        std::uint64_t reversed = 0;
        for (int column = 0; column < Rules::columns; ++column)
            reversed |= (bits >> (column * column_bits) & column_mask) << (Rules::mirrored(column) * column_bits);
        return reversed;
    }

private:
    static constexpr std::uint64_t bottom_of(int column) { return std::uint64_t{1} << (column * column_bits); }
    static constexpr std::uint64_t cells_of(int column) {
        return ((std::uint64_t{1} << Rules::rows) - 1) << (column * column_bits);
    }
    static constexpr std::uint64_t top_of(int column) { return bottom_of(column) << (Rules::rows - 1); }

    std::uint64_t occupied() const { return discs_[0] | discs_[1]; }
    bool has_room(int column) const { return !(occupied() & top_of(column)); }
    // Whether a disc on this cell makes a double threat: two winning cells that are both playable, or one directly
    // above the other.
    bool forks(std::uint64_t own, std::uint64_t cell) const {
        const std::uint64_t after = occupied() | cell;
        const std::uint64_t wins = winning_cells(own | cell, after);
        const std::uint64_t now = wins & (after + bottom_row) & all_cells;
        return (now & (now - 1)) || (wins & (now << 1));
    }
    // The move to the lowest of these cells.
    static Move move_to(std::uint64_t cells) {
        return {static_cast<std::uint8_t>(std::countr_zero(cells) / column_bits)};
    }
    static Move one_of(std::uint64_t cells, Random& random) {
        const int count = std::popcount(cells);
        if (count > 1)
            for (std::uint32_t skip = random.below(static_cast<std::uint32_t>(count)); skip > 0; --skip)
                cells &= cells - 1;
        return move_to(cells);
    }

    std::array<std::uint64_t, 2> discs_{};
    std::int8_t ply_ = 0;
    bool won_ = false;  // by the player who moved last
};

}  // namespace joute
