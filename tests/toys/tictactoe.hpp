#pragma once

// Tic-tac-toe, a toy game small enough for a test to solve and for a network to learn in seconds. A move is the number
// of a cell:
//
//      1 2 3        bit i is cell i + 1
//      4 5 6
//      7 8 9
//
// A position is the nine cells in that order, `X...O....`; the player with fewer marks is to move, X first. The game is
// called noughts here, because the plug-in in examples/ is called tictactoe.

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "game.hpp"
#include "square.hpp"

namespace joute {

struct TicTacToeRules {
    static constexpr int side = 3;
    static constexpr int cells = side * side;

    static const TicTacToeRules* find(std::string_view text) {
        static constexpr TicTacToeRules rules;
        parse_options(text, [](std::string_view key, std::string_view) {
            throw TextError("noughts has no rules option '" + std::string(key) + "'");
        });
        return &rules;
    }
    static std::span<const RuleOption> options() { return {}; }
    std::string text() const { return ""; }
    static constexpr std::uint64_t id() { return rules_id("noughts", ""); }

    // Two planes: the mover's marks, the opponent's.
    InputShape input_shape() const { return {2, side, side}; }
    int policy_size() const { return cells; }
    int symmetry_count() const { return square_symmetries; }
    static constexpr int map_cell(int cell, int g) { return map_square(cell, side, g); }
    int map_input(int index, int g) const { return index - index % cells + map_cell(index % cells, g); }
    int map_policy(int index, int g) const { return map_cell(index, g); }
};

class TicTacToe {
public:
    using Rules = TicTacToeRules;
    struct Move {
        std::uint8_t cell;
        bool operator==(const Move&) const = default;
    };

    static constexpr std::string_view name = "noughts";
    static constexpr std::size_t max_moves = Rules::cells;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = false;
    static constexpr bool has_chance = false;
    using Offers = OfferList<>;

    explicit TicTacToe(const Rules*) {}
    const Rules* rules() const { return Rules::find(""); }

    Player to_move() const { return ply() & 1; }
    int ply() const { return std::popcount(marks_[0] | marks_[1]); }
    int reversible_plies() const { return 0; }
    // mix64 is a bijection, so different positions have different keys.
    std::uint64_t key() const { return mix64((marks_[0] | marks_[1] << Rules::cells) ^ Rules::id()); }
    std::uint64_t recompute_key() const { return key(); }

    bool is_terminal() const { return has_line(0) || has_line(1) || ply() == Rules::cells; }
    Result result() const { return result_if_stopped(); }
    Result result_if_stopped() const {
        const int outcome = has_line(0) - has_line(1);
        return {.outcome = outcome,
                .score = outcome,
                .margin = outcome,
                .decided_by = outcome != 0    ? "three in a row"
                              : is_terminal() ? "full board"
                                              : "stopped"};
    }

    void generate(MoveList<TicTacToe>& moves, int = 0) const {
        for (std::uint8_t cell = 0; cell < Rules::cells; ++cell)
            if (is_empty(cell)) moves.push_back({cell});
    }
    bool is_legal(Move move) const { return move.cell < Rules::cells && is_empty(move.cell) && !is_terminal(); }
    Move random_move(Random& random) const {
        for (;;) {
            const Move move{static_cast<std::uint8_t>(random.below(Rules::cells))};
            if (is_empty(move.cell)) return move;
        }
    }
    void play(Move move) { marks_[static_cast<std::size_t>(to_move())] |= 1u << move.cell; }
    std::uint32_t code(Move move) const { return move.cell; }

    std::string text() const {
        std::string text;
        for (int cell = 0; cell < Rules::cells; ++cell) text += ".XO"[mark(cell) + 1];
        return text;
    }
    static TicTacToe from_text(const Rules* rules, std::string_view text) {
        const TextError complaint("'" + std::string(text) + "' is not a noughts position such as X...O....");
        if (text.size() != Rules::cells || text.find_first_not_of(".XO") != std::string_view::npos) throw complaint;
        TicTacToe state(rules);
        for (std::size_t cell = 0; cell < Rules::cells; ++cell)
            if (text[cell] != '.') state.marks_[text[cell] == 'O'] |= 1u << cell;
        const int lead = std::popcount(state.marks_[0]) - std::popcount(state.marks_[1]);
        if (lead < 0 || lead > 1) throw complaint;
        return state;
    }
    static std::string move_text(Move move) { return std::string(1, static_cast<char>('1' + move.cell)); }
    Move parse_move(std::string_view text) const {
        if (text.size() != 1 || text[0] < '1' || text[0] > '9')
            throw TextError("'" + std::string(text) + "' is not a noughts move; moves are the cells 1 to 9");
        return {static_cast<std::uint8_t>(text[0] - '1')};
    }
    std::string diagram() const {
        std::string lines = text();
        for (const std::size_t end : {6, 3}) lines.insert(end, 1, '\n');
        return lines;
    }

    void encode(std::span<std::uint8_t> input) const {
        for (int cell = 0; cell < Rules::cells; ++cell) {
            const auto i = static_cast<std::size_t>(cell);
            input[i] = mark(cell) == to_move();
            input[i + Rules::cells] = mark(cell) == opponent(to_move());
        }
    }
    void policy_indices(Move move, PolicyIndices& indices) const { indices.push_back(move.cell); }
    Move transformed(Move move, int g) const { return {static_cast<std::uint8_t>(Rules::map_cell(move.cell, g))}; }
    TicTacToe transformed(int g) const {
        TicTacToe state(rules());
        for (int cell = 0; cell < Rules::cells; ++cell)
            if (mark(cell) >= 0) state.marks_[static_cast<std::size_t>(mark(cell))] |= 1u << Rules::map_cell(cell, g);
        return state;
    }

    bool operator==(const TicTacToe&) const = default;

private:
    static constexpr std::array<std::uint32_t, 8> lines{0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

    bool has_line(Player player) const {
        const std::uint32_t own = marks_[static_cast<std::size_t>(player)];
        return std::ranges::any_of(lines, [&](std::uint32_t line) { return (own & line) == line; });
    }
    bool is_empty(int cell) const { return !((marks_[0] | marks_[1]) >> cell & 1); }
    int mark(int cell) const { return marks_[0] >> cell & 1 ? 0 : marks_[1] >> cell & 1 ? 1 : -1; }

    std::array<std::uint32_t, 2> marks_{};
};

static_assert(NetworkGame<TicTacToe>);

}  // namespace joute
