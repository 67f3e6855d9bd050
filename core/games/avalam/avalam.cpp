#include "avalam.hpp"

#include <optional>

#include "../../base/quote.hpp"

namespace joute {

static_assert(NetworkGame<Avalam>);

const AvalamRules* AvalamRules::find(std::string_view text) {
    static constexpr AvalamRules rules;
    parse_options(text, [](std::string_view key, std::string_view) {
        throw TextError("avalam has no rules option " + quoted(key));
    });
    return &rules;
}

// A half turn maps cell c to the c-th cell from the end.
static constexpr int turned(int cell) { return AvalamRules::cells - 1 - cell; }

int AvalamRules::map_policy(int index, int g) const { return g == 0 ? index : policy_size() - 1 - index; }

void Avalam::policy_indices(Move move, PolicyIndices& indices) const {
    static const auto index_of = [] {
        std::array<std::uint16_t, codes> index_of{};
        for (std::uint16_t code = 0; code < codes; ++code) {
            const int source = from({code}), target = to({code});
            const int row = Rules::row_of(source), column = Rules::column_of(source);
            const int nine = 3 * (Rules::row_of(target) - row + 1) + Rules::column_of(target) - column + 1;
            const int direction = nine - (nine > 4);  // the centre is no direction
            index_of[code] = static_cast<std::uint16_t>((direction * Rules::rows + row) * Rules::columns + column);
        }
        return index_of;
    }();
    indices.push_back(index_of[move.code]);
}

Avalam::Avalam() {
    at_least_[1] = all_cells;
    for (int cell = 0; cell < Rules::cells; ++cell)
        if ((Rules::row_of(cell) + Rules::column_of(cell)) % 2) red_ |= std::uint64_t{1} << cell;
    complete_from_towers();
}

void Avalam::complete_from_towers() {
    at_least_[0] = all_cells;
    ply_ = static_cast<std::int8_t>(Rules::cells - std::popcount(occupied()));
    key_ = recompute_key();
    live_ = {};
    for (int pair = 0; pair < Rules::pairs; ++pair) {
        const auto [low, high] = avalam_board::tables.pairs[pair];
        if (partners(low) >> high & 1) live_[pair / 64] |= std::uint64_t{1} << (pair % 64);
    }
}

// Towers that moves connect form an island. A move removes one of its towers, and at the end each of its towers holds
// at most five discs.
int Avalam::plies_left() const {
    int plies = 0;
    for (std::uint64_t rest = occupied() & ~at_least_[Rules::max_height]; rest;) {
        std::uint64_t island = 0;
        int towers = 0, discs = 0;
        for (std::uint64_t open = rest & -rest; open;) {
            const int cell = std::countr_zero(open);
            island |= open & -open;
            ++towers;
            discs += height(cell);
            open = (open | partners(cell)) & ~island;
        }
        rest &= ~island;
        plies += towers - (discs + Rules::max_height - 1) / Rules::max_height;
    }
    return plies;
}

Result Avalam::count() const {
    using namespace std::string_view_literals;
    const std::uint64_t fives = at_least_[Rules::max_height];
    const int margin = std::popcount(towers_of(0)) - std::popcount(towers_of(1));
    const int of_fives = std::popcount(fives & towers_of(0)) - std::popcount(fives & towers_of(1));
    // Fives break ties. There are at most nine, so one tower outweighs them all.
    constexpr int tower = 16;
    const int score = margin ? tower * margin : of_fives;
    return {.outcome = (score > 0) - (score < 0),
            .score = score,
            .margin = margin,
            .decided_by = margin     ? "towers"sv
                          : of_fives ? "fives"sv
                                     : "level"sv};
}

std::uint64_t Avalam::recompute_key() const {
    std::uint64_t key = Rules::id();
    for (int cell = 0; cell < Rules::cells; ++cell)
        if (const int h = height(cell)) key ^= tower_key(cell, red_ >> cell & 1, h);
    return key;
}

int Avalam::tower_at(int row, int column) const {
    const int cell = Rules::cell_at(row, column);
    if (cell < 0) return 0;
    return red_ >> cell & 1 ? -height(cell) : height(cell);
}

std::string Avalam::text() const {
    std::string text;
    for (int cell = 0; cell < Rules::cells; ++cell) {
        if (cell > 0 && Rules::row_of(cell) != Rules::row_of(cell - 1)) text += '/';
        const int h = height(cell);
        text += h == 0 ? '.' : static_cast<char>((red_ >> cell & 1 ? 'a' : 'A') + h - 1);
    }
    return text;
}

Avalam Avalam::from_text(const Rules* rules, std::string_view text) {
    const auto complain = [&](const std::string& why) {
        return TextError(quoted(text) + " is not an avalam position: " + why);
    };
    Avalam state(rules);
    state.at_least_ = {};
    state.red_ = 0;
    int cell = 0, counters = 0;
    bool row_begins = true;  // at the start of the text or after a '/'
    for (const char c : text) {
        if (cell == Rules::cells && c != '/') throw complain("it has more than 48 cells");
        const bool row_is_full =
            cell > 0 && cell < Rules::cells && !row_begins && Rules::row_of(cell) != Rules::row_of(cell - 1);
        if ((c == '/') != row_is_full)
            throw complain("rows have 2, 4, 6, 8, 8, 8, 6, 4 and 2 cells, with a '/' between them");
        row_begins = c == '/';
        if (row_begins) continue;
        const bool is_red = c >= 'a' && c <= 'e';
        if (!is_red && !(c >= 'A' && c <= 'E') && c != '.')
            throw complain("cells are A to E (yellow, by height), a to e (red) or '.'");
        const int h = c == '.' ? 0 : c - (is_red ? 'a' : 'A') + 1;
        const std::uint64_t bit = std::uint64_t{1} << cell++;
        for (int i = 1; i <= h; ++i) state.at_least_[i] |= bit;
        if (is_red) state.red_ |= bit;
        counters += h;
    }
    if (cell != Rules::cells) throw complain("it has " + std::to_string(cell) + " cells of 48");
    if (counters != Rules::cells)
        throw complain("its towers contain " + std::to_string(counters) + " counters, but there are always 48");
    constexpr int of_colour = Rules::cells / 2;
    for (const Player player : {0, 1})
        if (std::popcount(state.towers_of(player)) > of_colour)
            throw complain("it has more than 24 towers of one colour");
    state.complete_from_towers();
    return state;
}

std::string Avalam::move_text(Move move) {
    std::string text;
    for (const int cell : {from(move), to(move)}) {
        text += static_cast<char>('a' + Rules::column_of(cell));
        text += static_cast<char>('1' + Rules::row_of(cell));
    }
    return text;
}

namespace {

struct Square {
    int row, column;
};

// Reads `c1d1`: letters are columns, digits are rows from 1.
std::optional<std::array<Square, 2>> read_cells(std::string_view text) {
    if (text.size() != 4) return std::nullopt;
    return std::array<Square, 2>{{{text[1] - '1', text[0] - 'a'}, {text[3] - '1', text[2] - 'a'}}};
}

// Reads `0,2,0,3`, with or without brackets and blanks: row and column of both cells, from 0.
std::optional<std::array<Square, 2>> read_numbers(std::string_view text) {
    std::string plain;
    for (const char c : text)
        if (c != ' ') plain += c;
    if (plain.size() == 9 && (plain.front() == '(' ? plain.back() == ')' : plain.front() == '[' && plain.back() == ']'))
        plain = plain.substr(1, 7);
    if (plain.size() != 7 || plain[1] != ',' || plain[3] != ',' || plain[5] != ',') return std::nullopt;
    return std::array<Square, 2>{{{plain[0] - '0', plain[2] - '0'}, {plain[4] - '0', plain[6] - '0'}}};
}

bool is_on_board(Square square) {
    return square.row >= 0 && square.row < AvalamRules::rows && square.column >= 0 &&
           square.column < AvalamRules::columns;
}

}  // namespace

Avalam::Move Avalam::parse_move(std::string_view text) const {
    const auto complain = [&](const std::string& why) {
        return TextError(quoted(text) + " is not an avalam move: " + why);
    };
    auto squares = read_cells(text);
    if (!squares) squares = read_numbers(text);
    if (!squares || !is_on_board((*squares)[0]) || !is_on_board((*squares)[1]))
        throw complain("a move is two cells, as in c1d1, or the course's rows and columns, as in 0,2,0,3");
    const auto [begin, end] = *squares;
    const int from = Rules::cell_at(begin.row, begin.column), to = Rules::cell_at(end.row, end.column);
    if (from < 0 || to < 0)
        throw complain(from < 0 ? "its first cell is not on the board" : "its second cell is not on the board");
    if (from == to) throw complain("its two cells are the same");
    if (!(neighbours(from) >> to & 1)) throw complain("the two cells are not neighbours");
    return move_between(from, to);
}

std::string Avalam::diagram() const {
    std::string lines;
    for (int row = 0; row < Rules::rows; ++row) {
        std::string line(1, static_cast<char>('1' + row));
        for (int column = 0; column < Rules::columns; ++column) {
            const int tower = tower_at(row, column);
            line += ' ';
            if (Rules::cell_at(row, column) < 0)
                line += "  ";
            else if (tower == 0)
                line += " .";
            else
                line += {tower > 0 ? 'Y' : 'R', static_cast<char>('0' + (tower > 0 ? tower : -tower))};
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines += line + '\n';
    }
    return lines + "   a  b  c  d  e  f  g  h  i";
}

void Avalam::encode(std::span<std::uint8_t> input) const {
    constexpr int squares = Rules::rows * Rules::columns;
    std::fill(input.begin(), input.end(), std::uint8_t{0});
    const std::uint64_t own = towers_of(to_move());
    for (std::uint64_t rest = occupied(); rest; rest &= rest - 1) {
        const int cell = std::countr_zero(rest), height = this->height(cell);
        const int square = Rules::row_of(cell) * Rules::columns + Rules::column_of(cell);
        const int plane = height - 1 + (own >> cell & 1 ? 0 : Rules::max_height);
        input[static_cast<std::size_t>(plane * squares + square)] = 1;
        const bool can_merge = neighbours(cell) & at_least_[1] & ~at_least_[6 - height];
        input[static_cast<std::size_t>((Rules::planes - 1) * squares + square)] = can_merge;
    }
}

void Avalam::describe_ending(Player mover, std::span<std::int8_t> planes) const {
    std::fill(planes.begin(), planes.end(), std::int8_t{0});
    for (std::uint64_t rest = occupied(); rest; rest &= rest - 1) {
        const int cell = std::countr_zero(rest);
        planes[static_cast<std::size_t>(Rules::row_of(cell) * Rules::columns + Rules::column_of(cell))] =
            static_cast<std::int8_t>(towers_of(mover) >> cell & 1 ? 1 : -1);
    }
}

Avalam Avalam::transformed(int g) const {
    if (g == 0) return *this;
    const auto turn = [](std::uint64_t cells) {
        std::uint64_t result = 0;
        for (; cells; cells &= cells - 1) result |= std::uint64_t{1} << turned(std::countr_zero(cells));
        return result;
    };
    Avalam state = *this;
    for (auto& cells : state.at_least_) cells = turn(cells);
    state.red_ = turn(red_);
    state.complete_from_towers();
    return state;
}

Avalam::Move Avalam::transformed(Move move, int g) const {
    return g == 0 ? move : move_between(turned(from(move)), turned(to(move)));
}

}  // namespace joute
