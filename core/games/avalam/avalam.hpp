#pragma once

// Avalam: players stack towers onto neighbouring towers, up to height five; the player who owns more towers at the end
// wins.
//
// 48 cells of a 9 by 9 square, numbered row by row. Columns are letters and rows are digits from the top, as in our
// notation; the course that defined the original interface counts both from 0.
//
//         a  b  c  d  e  f  g  h  i
//     1   .  .  0  1  .  .  .  .  .
//     2   .  2  3  4  5  .  .  .  .
//     3   .  6  7  8  9 10 11  .  .
//     4   . 12 13 14 15 16 17 18 19
//     5  20 21 22 23  . 24 25 26 27      the centre is empty and stays empty
//     6  28 29 30 31 32 33 34 35  .
//     7   .  . 36 37 38 39 40 41  .
//     8   .  .  .  . 42 43 44 45  .
//     9   .  .  .  .  . 46 47  .  .
//
// A move takes a whole tower of either colour and puts it on a neighbour in any of eight directions; it is written as
// two cells, `c1d1`. There are 146 pairs of neighbours and 292 moves. Towers only grow, so a pair that cannot merge
// never can again: the position stores the pairs that still can, and these are its moves.
//
// A position is its 48 cells row by row: `A` to `E` for yellow towers of height 1 to 5, `a` to `e` for red ones, `.`
// for an empty cell. Every move removes one tower, so the number of towers gives the ply and the player to move.

#include <array>
#include <bit>
#include <span>

#include "../../base/bits.hpp"
#include "../../game.hpp"

namespace joute {

struct AvalamRules {
    static constexpr int rows = 9;
    static constexpr int columns = 9;
    static constexpr int cells = 48;
    static constexpr int pairs = 146;
    static constexpr int max_height = 5;

    static const AvalamRules* find(std::string_view text);
    static std::span<const RuleOption> options() { return {}; }
    std::string text() const { return ""; }
    static constexpr std::uint64_t id() { return rules_id("avalam", ""); }

    // -1 if there is no such cell.
    static constexpr int cell_at(int row, int column);
    static constexpr int row_of(int cell);
    static constexpr int column_of(int cell);

    // The planes: the mover's towers by height, the opponent's towers by height, and the towers that can still merge.
    static constexpr int planes = 2 * max_height + 1;
    InputShape input_shape() const { return {planes, rows, columns}; }
    // The policy: for each of the eight directions, the cells from which a tower moves there. Planes of the board, so
    // that a network needs no dense layer for them, which would hold most of its weights.
    static constexpr int directions = 8;
    int policy_size() const { return directions * rows * columns; }
    int symmetry_count() const { return 2; }  // identity, half turn
    int map_input(int index, int g) const {
        constexpr int squares = rows * columns;
        return g == 0 ? index : index - index % squares + (squares - 1 - index % squares);
    }
    int map_policy(int index, int g) const;  // a half turn reverses directions
};

namespace avalam_board {

struct Row {
    int first, count;
};
inline constexpr std::array<Row, AvalamRules::rows> row_spans{
    {{2, 2}, {1, 4}, {1, 6}, {1, 8}, {0, 9}, {0, 8}, {2, 6}, {4, 4}, {5, 2}}};

struct Pair {
    std::uint8_t low, high;  // cells
};

// Tables that follow from the shape of the board, computed at compile time.
struct Tables {
    std::array<std::array<std::int8_t, AvalamRules::columns>, AvalamRules::rows> cell_at{};
    std::array<std::int8_t, AvalamRules::cells> row{}, column{};
    std::array<std::uint64_t, AvalamRules::cells> neighbours{};
    std::array<Pair, AvalamRules::pairs> pairs{};
    // The pair of two neighbours, and all pairs of a cell.
    std::array<std::array<std::uint8_t, AvalamRules::cells>, AvalamRules::cells> pair_of{};
    std::array<std::array<std::uint64_t, 3>, AvalamRules::cells> pairs_of{};
};

constexpr Tables make_tables() {
    Tables t;
    int cells = 0;
    for (int row = 0; row < AvalamRules::rows; ++row)
        for (int column = 0; column < AvalamRules::columns; ++column) {
            const Row span = row_spans[row];
            const bool exists = column >= span.first && column < span.first + span.count && !(row == 4 && column == 4);
            t.cell_at[row][column] = static_cast<std::int8_t>(exists ? cells : -1);
            if (!exists) continue;
            t.row[cells] = static_cast<std::int8_t>(row);
            t.column[cells] = static_cast<std::int8_t>(column);
            ++cells;
        }
    int pairs = 0;
    for (int low = 0; low < cells; ++low)
        for (int high = low + 1; high < cells; ++high) {
            const int down = t.row[high] - t.row[low], right = t.column[high] - t.column[low];
            if (down > 1 || right > 1 || right < -1) continue;
            t.neighbours[low] |= std::uint64_t{1} << high;
            t.neighbours[high] |= std::uint64_t{1} << low;
            t.pairs[pairs] = {static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high)};
            t.pair_of[low][high] = t.pair_of[high][low] = static_cast<std::uint8_t>(pairs);
            t.pairs_of[low][pairs / 64] |= std::uint64_t{1} << (pairs % 64);
            t.pairs_of[high][pairs / 64] |= std::uint64_t{1} << (pairs % 64);
            ++pairs;
        }
    return t;
}

inline constexpr Tables tables = make_tables();

}  // namespace avalam_board

constexpr int AvalamRules::cell_at(int row, int column) { return avalam_board::tables.cell_at[row][column]; }
constexpr int AvalamRules::row_of(int cell) { return avalam_board::tables.row[cell]; }
constexpr int AvalamRules::column_of(int cell) { return avalam_board::tables.column[cell]; }

class Avalam {
public:
    using Rules = AvalamRules;
    struct Move {
        std::uint16_t code;  // 2 * pair, plus 1 if the cell with the higher index moves onto the other
        bool operator==(const Move&) const = default;
    };
    // A set of pairs of neighbours, as bits.
    using Pairs = std::array<std::uint64_t, 3>;

    static constexpr std::string_view name = "avalam";
    static constexpr std::size_t max_moves = 2 * Rules::pairs;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = false;
    static constexpr bool has_chance = false;
    using Offers = OfferList<offer::Codes, offer::MoveCode, offer::MoveCount, offer::PliesLeft, offer::EndingPlanes>;

    explicit Avalam(const Rules*) : Avalam() {}
    const Rules* rules() const { return Rules::find(""); }

    Player to_move() const { return ply_ & 1; }
    int ply() const { return ply_; }
    int reversible_plies() const { return 0; }
    std::uint64_t key() const { return key_; }
    std::uint64_t recompute_key() const;

    bool is_terminal() const { return !(live_[0] | live_[1] | live_[2]); }
    // The number of towers decides; on a tie, the number of towers of height five.
    Result result() const { return count(); }
    Result result_if_stopped() const { return count(); }

    void generate(MoveList<Avalam>& moves, int /*generator*/ = 0) const {
        for (int word = 0; word < 3; ++word)
            for (std::uint64_t rest = live_[word]; rest; rest &= rest - 1) {
                const auto code = static_cast<std::uint16_t>(2 * (64 * word + std::countr_zero(rest)));
                moves.push_back({code});
                moves.push_back({static_cast<std::uint16_t>(code + 1)});
            }
    }
    std::size_t move_count() const {
        return static_cast<std::size_t>(2 *
                                        (std::popcount(live_[0]) + std::popcount(live_[1]) + std::popcount(live_[2])));
    }
    int plies_left() const;
    bool is_legal(Move move) const { return move.code < codes && live_[move.code / 128] >> (move.code / 2 % 64) & 1; }
    Move random_move(Random& random) const;
    void play(Move move);

    static constexpr std::size_t codes = 2 * Rules::pairs;
    std::uint32_t code(Move move) const { return move.code; }
    std::uint32_t move_code(Move move) const { return move.code; }

    // --- The board ---
    static constexpr int from(Move move) {
        const auto pair = avalam_board::tables.pairs[move.code / 2];
        return move.code & 1 ? pair.high : pair.low;
    }
    static constexpr int to(Move move) {
        const auto pair = avalam_board::tables.pairs[move.code / 2];
        return move.code & 1 ? pair.low : pair.high;
    }
    // The move between two neighbouring cells.
    static constexpr Move move_between(int from, int to) {
        return {static_cast<std::uint16_t>(2 * avalam_board::tables.pair_of[from][to] + (from > to))};
    }
    static constexpr std::uint64_t neighbours(int cell) { return avalam_board::tables.neighbours[cell]; }

    // The cells with a tower of at least this height, 1 to 5; all cells for 0, none for 6.
    std::uint64_t at_least(int height) const { return at_least_[height]; }
    std::uint64_t occupied() const { return at_least_[1]; }
    std::uint64_t towers_of(Player player) const { return player == 0 ? at_least_[1] & ~red_ : red_; }
    int height(int cell) const {
        int sum = 0;
        for (int h = 1; h <= Rules::max_height; ++h) sum += static_cast<int>(at_least_[h] >> cell & 1);
        return sum;
    }
    // The pairs of neighbours that can still merge.
    const Pairs& live_pairs() const { return live_; }
    // The neighbours that the tower on a cell can still merge with.
    std::uint64_t partners(int cell) const {
        const int height = this->height(cell);
        return height == 0 ? 0 : neighbours(cell) & at_least_[1] & ~at_least_[6 - height];
    }
    // In the format of the course: the height, negative for red; 0 if there is no tower or no cell.
    int tower_at(int row, int column) const;

    std::string text() const;
    static Avalam from_text(const Rules* rules, std::string_view text);
    static std::string move_text(Move move);
    // Parses two cells, `c1d1`, or the four numbers of the course's format, `0,2,0,3`: row before column, from 0.
    Move parse_move(std::string_view text) const;
    std::string diagram() const;

    void encode(std::span<std::uint8_t> input) const;
    void policy_indices(Move move, PolicyIndices& indices) const;
    // The owner of each tower: 1 for the mover's, -1 for the opponent's.
    static constexpr int ending_planes = 1;
    static constexpr float ending_scale = 1;
    void describe_ending(Player mover, std::span<std::int8_t> planes) const;
    Avalam transformed(int g) const;
    Move transformed(Move move, int g) const;

    bool operator==(const Avalam& other) const { return at_least_ == other.at_least_ && red_ == other.red_; }

private:
    Avalam();

    Result count() const;
    // Computes the other members from heights and owners.
    void complete_from_towers();

    static constexpr std::uint64_t all_cells = (std::uint64_t{1} << Rules::cells) - 1;
    // The key of a tower, by cell, owner and height.
    static constexpr auto zobrist = zobrist_numbers<Rules::cells * 2 * (Rules::max_height + 1)>(Rules::id());
    static std::uint64_t tower_key(int cell, std::uint64_t owner, int height) {
        return zobrist[static_cast<std::size_t>((cell * 2 + static_cast<int>(owner)) * (Rules::max_height + 1) +
                                                height)];
    }

    std::array<std::uint64_t, Rules::max_height + 2> at_least_{};
    std::uint64_t red_ = 0;  // towers of the second player
    Pairs live_{};
    std::uint64_t key_ = 0;
    std::int8_t ply_ = 0;
};

inline void Avalam::play(Move move) {
    const int from = Avalam::from(move), to = Avalam::to(move);
    const int carried = height(from), below = height(to), height = carried + below;
    const std::uint64_t source = std::uint64_t{1} << from, target = std::uint64_t{1} << to;
    const std::uint64_t owner = red_ >> from & 1;
    key_ ^= tower_key(from, owner, carried) ^ tower_key(to, red_ >> to & 1, below) ^ tower_key(to, owner, height);
    // The neighbours that could merge with the old tower here but are too high for the new one.
    std::uint64_t lost = neighbours(to) & at_least_[6 - height] & ~at_least_[6 - below] & ~source;
    // All planes are written, even unchanged ones: the branch predictor often misses the end of a loop whose length is
    // the height. This, and drawing a move without branches, made playouts 1.3 times as fast.
    for (int h = 1; h <= Rules::max_height; ++h)
        at_least_[h] = (at_least_[h] & ~source) | static_cast<std::uint64_t>(h <= height) << to;
    red_ = (red_ & ~(source | target)) | owner << to;
    const auto& of_source = avalam_board::tables.pairs_of[from];
    for (int word = 0; word < 3; ++word) live_[word] &= ~of_source[word];
    const auto& pair_of = avalam_board::tables.pair_of[to];
    for (; lost; lost &= lost - 1) {
        const int pair = pair_of[std::countr_zero(lost)];
        live_[pair / 64] &= ~(std::uint64_t{1} << (pair % 64));
    }
    ++ply_;
}

inline Avalam::Move Avalam::random_move(Random& random) const {
    const int first = std::popcount(live_[0]), second = std::popcount(live_[1]), third = std::popcount(live_[2]);
    const auto draw = static_cast<int>(random.below(static_cast<std::uint32_t>(2 * (first + second + third))));
    int rank = draw / 2;
    const int beyond_first = rank >= first, beyond_second = rank >= first + second, word = beyond_first + beyond_second;
    rank -= (first & -beyond_first) + (second & -beyond_second);
    return {static_cast<std::uint16_t>(2 * (64 * word + nth_bit(live_[word], rank)) + draw % 2)};
}

}  // namespace joute
