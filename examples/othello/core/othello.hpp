#pragma once

// Othello: black (X) moves first, and a move must flip discs. A player without a move passes. A pass is not a move
// here: the same player moves again. The game is over when neither player can move.
//
// A move is a cell, `d3`, with row 1 at the top. A position is the 64 cells row by row and the player to move:
//
//   ...........................OX......XO...........................-X       the start
//
// The position has no other data: every move adds a disc, so the number of discs gives the ply.

#include <bit>

#include "board.hpp"
#include "joute/game.hpp"

namespace othello {

using joute::Player;

struct Rules {
    static const Rules* find(std::string_view text);
    static std::span<const joute::RuleOption> options() { return {}; }
    std::string text() const { return ""; }
    static constexpr std::uint64_t id() { return joute::rules_id("othello", ""); }

    // Two planes: the mover's discs and the opponent's.
    joute::InputShape input_shape() const { return {2, side, side}; }
    int policy_size() const { return cell_count; }
    int symmetry_count() const { return 8; }
    // g % 4 quarter turns, then a mirror if g >= 4. Half of the symmetries swap the colours of the four starting discs,
    // so only the other half map the start position to itself.
    static int map_cell(int cell, int g);
    int map_input(int index, int g) const { return index - index % cell_count + map_cell(index % cell_count, g); }
    int map_policy(int index, int g) const { return map_cell(index, g); }
};

class State {
public:
    using Rules = othello::Rules;
    struct Move {
        std::uint8_t cell;
        bool operator==(const Move&) const = default;
    };

    static constexpr std::string_view name = "othello";
    static constexpr std::size_t max_moves = cell_count - 4;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = false;
    static constexpr bool has_chance = false;
    using Offers = joute::OfferList<joute::offer::Codes, joute::offer::MoveCode, joute::offer::MoveCount>;

    explicit State(const Rules*) { moves_ = playable(discs_[0], discs_[1]); }
    const Rules* rules() const { return Rules::find(""); }

    Player to_move() const { return mover_; }
    int ply() const { return std::popcount(discs_[0] | discs_[1]) - 4; }
    int reversible_plies() const { return 0; }
    std::uint64_t key() const {
        return joute::mix64(discs_[0] ^ joute::mix64(discs_[1] ^ Rules::id()) ^ static_cast<std::uint64_t>(mover_));
    }
    std::uint64_t recompute_key() const { return key(); }

    bool is_terminal() const { return moves_ == 0; }
    joute::Result result() const;
    joute::Result result_if_stopped() const { return result(); }

    void generate(joute::MoveList<State>& moves, int = 0) const {
        for (Cells left = moves_; left; left &= left - 1)
            moves.push_back({static_cast<std::uint8_t>(std::countr_zero(left))});
    }
    std::size_t move_count() const { return static_cast<std::size_t>(std::popcount(moves_)); }
    bool is_legal(Move move) const { return move.cell < cell_count && moves_ >> move.cell & 1; }
    Move random_move(joute::Random& random) const {
        Cells left = moves_;
        for (auto skipped = random.below(static_cast<std::uint32_t>(move_count())); skipped > 0; --skipped)
            left &= left - 1;
        return {static_cast<std::uint8_t>(std::countr_zero(left))};
    }
    void play(Move move) {
        Cells& own = discs_[static_cast<std::size_t>(mover_)];
        Cells& theirs = discs_[static_cast<std::size_t>(joute::opponent(mover_))];
        const Cells cell = Cells{1} << move.cell, flipped = turned(own, theirs, cell);
        own |= cell | flipped;
        theirs ^= flipped;
        moves_ = playable(theirs, own);
        if (moves_ == 0)
            moves_ = playable(own, theirs);  // the opponent passes
        else
            mover_ = joute::opponent(mover_);
    }

    static constexpr std::size_t codes = cell_count;
    std::uint32_t code(Move move) const { return move.cell; }
    std::uint32_t move_code(Move move) const { return move.cell; }

    std::string text() const;
    static State from_text(const Rules* rules, std::string_view text);
    static std::string move_text(Move move);
    Move parse_move(std::string_view text) const;
    std::string diagram() const;

    State transformed(int g) const;
    Move transformed(Move move, int g) const { return {static_cast<std::uint8_t>(Rules::map_cell(move.cell, g))}; }

    void encode(std::span<std::uint8_t> input) const;
    void policy_indices(Move move, joute::PolicyIndices& indices) const { indices.push_back(move.cell); }

    Cells discs(Player player) const { return discs_[static_cast<std::size_t>(player)]; }
    // The player whose disc is on a cell, -1 if none.
    int disc_at(int cell) const { return discs_[0] >> cell & 1 ? 0 : discs_[1] >> cell & 1 ? 1 : -1; }

    bool operator==(const State&) const = default;

private:
    static constexpr Cells centre = 0x0000001818000000;

    std::array<Cells, 2> discs_{0x0000000810000000, 0x0000001008000000};
    Cells moves_;  // the legal moves of the player to move
    Player mover_ = 0;
};

static_assert(joute::NetworkGame<State>);

}  // namespace othello
