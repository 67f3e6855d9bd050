#include "board.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "../../base/quote.hpp"

namespace joute {

namespace {

// Parses a text from left to right.
class Reader {
public:
    explicit Reader(std::string_view text) : whole_(text), rest_(text) {}

    bool is_at_end() const { return rest_.empty(); }
    bool is_before(char c) const { return !rest_.empty() && rest_.front() == c; }
    bool skip(char c) {
        if (!is_before(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!skip(c)) throw complaint();
    }
    int number(int low, int high, std::string_view what) {
        int value = -1;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        const bool is_number = end != rest_.data() && rest_.front() != '-';
        if (!is_number) throw complaint();
        const std::string_view shown = rest_.substr(0, static_cast<std::size_t>(end - rest_.data()));
        rest_.remove_prefix(shown.size());
        if (error != std::errc{} || value < low || value > high)
            throw complaint(": " + std::string(what) + " " + std::to_string(low) + " to " + std::to_string(high) +
                            ", not " + std::string(first_characters(shown, 20)));
        return value;
    }
    std::optional<std::size_t> letter(std::string_view letters) {
        const auto index = rest_.empty() ? std::string_view::npos : letters.find(rest_.front());
        if (index == std::string_view::npos) return std::nullopt;
        rest_.remove_prefix(1);
        return index;
    }
    TextError complaint(const std::string& why = "") const {
        return TextError(quoted(whole_) + " is not a vampires position such as 2x3/4v0.0+4w2.1+2h1.0/7" + why);
    }

private:
    std::string_view whole_, rest_;
};

}  // namespace

std::string place_text(VampiresPlace place) {
    return std::to_string(place_x(place)) + "." + std::to_string(place_y(place));
}

VampiresBoard VampiresBoard::parse(std::string_view text) {
    Reader reader(text);
    VampiresBoard board;
    board.rows = reader.number(1, vampires_max_side, "rows are");
    reader.expect('x');
    board.columns = reader.number(1, vampires_max_side, "columns are");
    reader.expect('/');
    bool is_attacked = false;
    std::size_t occupied = 0;
    if (!reader.is_before('/')) do {
            const int count = reader.number(1, vampires_max_count, "a cell counts");
            const auto letter = reader.letter(vampires_letters);
            if (!letter) throw reader.complaint();
            const int x = reader.number(0, vampires_max_side, "columns go from");
            reader.expect('.');
            const int y = reader.number(0, vampires_max_side, "rows go from");
            const VampiresPlace place = vampires_place(x, y);
            if (x >= board.columns || y >= board.rows)
                throw reader.complaint(": " + place_text(place) + " is outside the grid");
            auto kind = static_cast<VampiresKind>(*letter);
            const bool attacks = reader.skip('!');
            if (attacks) {
                if (kind == VampiresKind::humans) throw reader.complaint(": humans cannot attack");
                if (is_attacked && kind != board.attacking)
                    throw reader.complaint(": both species attack, but only one can");
                board.attacking = kind;
                is_attacked = true;
                kind = VampiresKind::attackers;
            }
            occupied += !attacks;
            board.cells.push_back(VampiresCell::of(kind, place, count));
        } while (reader.skip('+'));
    if (reader.skip('/')) board.ply = reader.number(0, 1'000'000, "plies are");
    if (!reader.is_at_end()) throw reader.complaint();
    if (occupied > vampires_max_occupied)
        throw TextError("a vampires position has at most 255 occupied cells, the limit of the protocol, not " +
                        std::to_string(occupied));
    // Attackers must meet somebody, and a state has no room for more.
    if (board.cells.size() > 2 * occupied) throw reader.complaint(": more cells are attacked than are occupied");
    std::sort(board.cells.begin(), board.cells.end());
    std::vector<bool> seen(std::size_t{2} << 16);
    for (const VampiresCell cell : board.cells) {
        const std::size_t layer = cell.kind() == VampiresKind::attackers;
        if (seen[layer << 16 | cell.place()])
            throw reader.complaint(": " + place_text(cell.place()) + " is listed twice");
        seen[layer << 16 | cell.place()] = true;
    }
    return board;
}

std::string vampires_text(int rows, int columns, const VampiresCell* begin, const VampiresCell* end,
                          VampiresKind attacking, int ply) {
    std::string text = std::to_string(rows) + "x" + std::to_string(columns) + "/";
    for (const VampiresCell* cell = begin; cell != end; ++cell) {
        const bool attacks = cell->kind() == VampiresKind::attackers;
        const auto letter = static_cast<std::size_t>(attacks ? attacking : cell->kind());
        if (cell != begin) text += '+';
        text += std::to_string(cell->count()) + vampires_letters[letter] + place_text(cell->place());
        if (attacks) text += '!';
    }
    if (ply > 0) text += "/" + std::to_string(ply);
    return text;
}

}  // namespace joute
