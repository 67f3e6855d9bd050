#include "othello.hpp"

namespace othello {

namespace {

std::string cell_name(int cell) { return {static_cast<char>('a' + cell % side), static_cast<char>('1' + cell / side)}; }

}  // namespace

const Rules* Rules::find(std::string_view text) {
    static constexpr Rules rules;
    joute::parse_options(text, [](std::string_view key, std::string_view) {
        throw joute::TextError("othello has no rules option '" + std::string(key) + "'");
    });
    return &rules;
}

int Rules::map_cell(int cell, int g) {
    int row = cell / side, column = cell % side;
    for (int turn = 0; turn < g % 4; ++turn) {
        const int turned_row = column;
        column = side - 1 - row;
        row = turned_row;
    }
    if (g >= 4) column = side - 1 - column;
    return row * side + column;
}

joute::Result State::result() const {
    const int margin = std::popcount(discs_[0]) - std::popcount(discs_[1]);
    return {.outcome = (margin > 0) - (margin < 0),
            .score = margin,
            .margin = margin,
            .decided_by = !is_terminal() ? "stopped"
                          : margin != 0  ? "more discs"
                                         : "equal discs"};
}

std::string State::text() const {
    std::string text;
    for (int cell = 0; cell < cell_count; ++cell) text += ".XO"[disc_at(cell) + 1];
    return text + (mover_ == 0 ? "-X" : "-O");
}

State State::from_text(const Rules* rules, std::string_view text) {
    const auto complaint = [&](const std::string& why) {
        return joute::TextError("'" + std::string(text) + "' is not an othello position: " + why);
    };
    if (text.size() != cell_count + 2 ||
        text.substr(0, cell_count).find_first_not_of(".XO") != std::string_view::npos || text[cell_count] != '-' ||
        (text.back() != 'X' && text.back() != 'O'))
        throw complaint("it is 64 cells, each X, O or ., and -X or -O for the player to move");
    State state(rules);
    state.discs_ = {};
    for (std::size_t cell = 0; cell < cell_count; ++cell)
        if (text[cell] != '.') state.discs_[text[cell] == 'O'] |= Cells{1} << cell;
    if (((state.discs_[0] | state.discs_[1]) & centre) != centre) throw complaint("d4, e4, d5 and e5 are never empty");
    state.mover_ = text.back() == 'O';
    const Cells own = state.discs(state.mover_), theirs = state.discs(joute::opponent(state.mover_));
    state.moves_ = playable(own, theirs);
    if (state.moves_ == 0 && playable(theirs, own) != 0)
        throw complaint(std::string(1, text.back()) + " has no move there, so the other player is to move");
    return state;
}

std::string State::move_text(Move move) { return cell_name(move.cell); }

State::Move State::parse_move(std::string_view text) const {
    if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8')
        throw joute::TextError("'" + std::string(text) + "' is not an othello move; a move is a cell, a1 to h8");
    return {static_cast<std::uint8_t>((text[1] - '1') * side + text[0] - 'a')};
}

std::string State::diagram() const {
    std::string lines = "  a b c d e f g h";
    for (int cell = 0; cell < cell_count; ++cell) {
        if (cell % side == 0) lines += std::string("\n") + static_cast<char>('1' + cell / side);
        lines += {' ', ".XO"[disc_at(cell) + 1]};
    }
    return lines;
}

State State::transformed(int g) const {
    State state = *this;
    state.discs_ = {};
    for (int cell = 0; cell < cell_count; ++cell)
        if (disc_at(cell) >= 0)
            state.discs_[static_cast<std::size_t>(disc_at(cell))] |= Cells{1} << Rules::map_cell(cell, g);
    state.moves_ = playable(state.discs(mover_), state.discs(joute::opponent(mover_)));
    return state;
}

void State::encode(std::span<std::uint8_t> input) const {
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
        input[cell] = discs(mover_) >> cell & 1;
        input[cell_count + cell] = discs(joute::opponent(mover_)) >> cell & 1;
    }
}

}  // namespace othello
