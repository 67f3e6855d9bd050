#include "divercite.hpp"

#include <algorithm>
#include <optional>

#include "../../base/quote.hpp"

namespace joute {

static_assert(NetworkGame<Divercite>);

using divercite_board::tables;

namespace {

constexpr std::string_view letters = "RGBY";

constexpr std::array<RuleOption, 1> rule_options{
    {{.name = "rules",
      .default_value = "handout",
      .choices = "handout|framework|official",
      .help = "the tie-break: the course's handout (Divercités, then cities with 4, 3, 2 of their colour, then White "
              "wins); the course's program, which gets the last step wrong; or none, as in the published rules"}}};

// The cells row by row, the order of the text of a position.
constexpr auto cells_in_order = [] {
    std::array<std::int8_t, DiverciteRules::cells> cells{};
    std::size_t count = 0;
    for (const auto& row : tables.cell_at)
        for (const std::int8_t cell : row)
            if (cell >= 0) cells[count++] = cell;
    return cells;
}();

constexpr bool is_city_cell(int cell) { return cell < DiverciteRules::city_cells; }

}  // namespace

// --- Rules ---

const DiverciteRules* DiverciteRules::find(std::string_view text) {
    DiverciteRules rules;
    parse_options(text, [&](std::string_view key, std::string_view value) {
        if (key != "rules") throw TextError("divercite has no rules option " + quoted(key));
        const auto* const name = std::find(tie_break_names.begin(), tie_break_names.end(), value);
        if (name == tie_break_names.end())
            throw TextError("divercite's rules are handout, framework or official, not " + quoted(value));
        rules = DiverciteRules(static_cast<TieBreak>(name - tie_break_names.begin()));
    });
    return intern(rules);
}

std::span<const RuleOption> DiverciteRules::options() { return rule_options; }

std::string DiverciteRules::text() const {
    if (tie_break == TieBreak::handout) return "";
    return "rules=" + std::string(tie_break_names[static_cast<std::size_t>(tie_break)]);
}

// Symmetry g turns the board by g % 8 and permutes the colours by g / 8.
// Policy planes are those of cities and resources as input planes show them.
int DiverciteRules::map_policy(int index, int g) const {
    constexpr int area = grid * grid, resources = 2 * colours * area;  // the first input plane of resources
    const bool of_cities = index < colours * area;
    const int shift = of_cities ? 0 : resources - colours * area;
    return map_input(index + shift, g) - shift;
}

std::uint32_t Divercite::turned_code(std::uint32_t code, int g) {
    return static_cast<std::uint32_t>(tables.permuted[g / 8][code / Rules::cells] * Rules::cells +
                                      tables.turned[g % 8][code % Rules::cells]);
}

int Divercite::inverse(int g) {
    static const auto inverses = [] {
        std::array<std::uint8_t, Rules::symmetries> inverses{};
        for (int a = 0; a < Rules::symmetries; ++a)
            for (int b = 0; b < Rules::symmetries; ++b) {
                bool is_inverse = true;
                for (std::uint32_t code = 0; code < codes && is_inverse; ++code)
                    is_inverse = turned_code(turned_code(code, a), b) == code;
                if (is_inverse) inverses[a] = static_cast<std::uint8_t>(b);
            }
        return inverses;
    }();
    return inverses[g];
}

int DiverciteRules::map_input(int index, int g) const {
    constexpr int area = grid * grid;
    int plane = index / area;
    const int u = index % area / grid, v = index % grid;
    const bool of_cities = plane < 2 * colours;
    if (plane < planes - 1) plane = plane / colours * colours + tables.permuted[g / 8][plane % colours];
    int place = index % area;
    for (int cell = of_cities ? 0 : city_cells; cell < (of_cities ? city_cells : cells); ++cell)
        if (tables.places[cell].u == u && tables.places[cell].v == v) {
            const auto to = tables.places[tables.turned[g % 8][cell]];
            place = to.u * grid + to.v;
        }
    return plane * area + place;
}

// --- The position ---

Divercite::Divercite(const Rules* rules) : rules_(rules) { key_ = recompute_key(); }

std::uint64_t Divercite::recompute_key() const {
    std::uint64_t key = rules_->id();
    for (int colour = 0; colour < Rules::colours; ++colour) {
        for (std::uint32_t rest = resources_[colour]; rest; rest &= rest - 1)
            key ^= resource_key(std::countr_zero(rest), colour);
        key ^= hand_key(colour, resources_left(0, colour));
    }
    for (std::uint32_t rest = cities_; rest; rest &= rest - 1) {
        const int city = std::countr_zero(rest);
        key ^= city_key(city, city_colours_[city], city_owner(city));
    }
    return key;
}

bool Divercite::is_legal(Move move) const {
    if (move.code >= codes || is_terminal()) return false;
    const std::uint32_t empty = is_city(move) ? empty_cities() : empty_resources();
    return empty >> index(move) & 1 && in_hand(hands_[to_move()], colour(move), is_city(move)) > 0;
}

void Divercite::noisy_moves(MoveList<Divercite>& moves) const {
    const Player mover = to_move();
    // One resource may complete several Divercités; list it once.
    std::array<std::uint32_t, Rules::colours> listed{};
    for (std::uint32_t rest = cities_of(mover); rest; rest &= rest - 1) {
        const int city = std::countr_zero(rest);
        const std::uint32_t free = tables.resource_mask_of[city] & empty_resources();
        // One resource short of all different: only the bit of the missing colour is left.
        const std::uint32_t missing = all_different ^ around_[city];
        if (std::popcount(free) != 1 || std::popcount(missing) != 1 || missing & ~all_different) continue;
        const int colour = std::countr_zero(missing) / 4;
        if (!resources_left(mover, colour) || listed[colour] & free) continue;
        listed[colour] |= free;
        moves.push_back(place_resource(colour, std::countr_zero(free)));
    }
    for (std::uint32_t rest = empty_cities(); rest; rest &= rest - 1) {
        const int city = std::countr_zero(rest);
        if (around_[city] != all_different) continue;
        for (int colour = 0; colour < Rules::colours; ++colour)
            if (cities_left(mover, colour)) moves.push_back(place_city(colour, city));
    }
}

// --- The end ---

Divercite::Ladder Divercite::climb() const {
    using namespace std::string_view_literals;
    // White's cities minus Black's: the number of Divercités, and of cities with n resources of their own colour. The
    // single own-coloured resource of a Divercité counts on no rung.
    int divercites = 0;
    std::array<int, 5> stacks{};
    for (std::uint32_t rest = cities_; rest; rest &= rest - 1) {
        const int city = std::countr_zero(rest), sign = city_owner(city) == 0 ? 1 : -1;
        if (around_[city] == all_different) divercites += sign;
        stacks[count(around_[city], city_colours_[city])] += sign;
    }
    const auto sign_of = [](int difference) { return (difference > 0) - (difference < 0); };
    if (divercites) return {sign_of(divercites), "Divercités"sv, false};
    if (stacks[4]) return {sign_of(stacks[4]), "fours"sv, false};
    if (stacks[3]) return {sign_of(stacks[3]), "threes"sv, false};
    if (stacks[2]) return {sign_of(stacks[2]), "twos"sv, true};
    return {0, "perfect tie"sv, true};
}

std::array<int, 2> Divercite::scores() const {
    std::array<int, 2> scores{points_[0], points_[1]};
    if (rules_->tie_break != Rules::TieBreak::framework || !is_terminal() || scores[0] != scores[1]) return scores;
    const Ladder ladder = climb();
    if (ladder.sign != 0) ++scores[ladder.sign > 0 ? 0 : 1];
    // On the last rung the program always gives White a point, in addition to the point of the rung: if Black has more
    // twos, the game is level again.
    if (ladder.is_last_of_framework) ++scores[0];
    return scores;
}

Result Divercite::result() const {
    using namespace std::string_view_literals;
    const auto scores = this->scores();
    const int margin = scores[0] - scores[1];
    const bool is_level = points_[0] == points_[1];
    // The framework breaks ties only at the end; a stopped game with equal points is level.
    const bool climbs = rules_->tie_break == Rules::TieBreak::handout ||
                        (rules_->tie_break == Rules::TieBreak::framework && is_terminal());
    const Ladder ladder = is_level && climbs ? climb() : Ladder{0, "level"sv, false};
    // A point outweighs the tie-break. The framework's tie-break is already in its points.
    int tie = 0;
    if (is_level && rules_->tie_break == Rules::TieBreak::handout) tie = ladder.sign != 0 ? ladder.sign : 1;
    const int score = 2 * margin + tie;
    return {.outcome = (score > 0) - (score < 0),
            .score = score,
            .margin = margin,
            .decided_by = is_level ? ladder.rung : "points"sv};
}

// --- Text ---

std::string Divercite::text() const {
    std::string text;
    for (std::size_t i = 0; i < cells_in_order.size(); ++i) {
        const int cell = cells_in_order[i];
        if (i > 0 && tables.places[cell].row != tables.places[cells_in_order[i - 1]].row) text += '/';
        if (is_city_cell(cell)) {
            const bool is_there = cities_ >> cell & 1;
            text += is_there ? letters[city_colours_[cell]] : '.';
            if (is_there && city_owner(cell) == 1) text += '-';
        } else {
            char letter = '.';
            for (int colour = 0; colour < Rules::colours; ++colour)
                if (resources_[colour] >> (cell - Rules::city_cells) & 1)
                    letter = static_cast<char>(letters[colour] - 'A' + 'a');
            text += letter;
        }
    }
    text += '/';
    for (int colour = 0; colour < Rules::colours; ++colour) text += static_cast<char>('0' + resources_left(0, colour));
    return text;
}

Divercite Divercite::from_text(const Rules* rules, std::string_view text) {
    const auto complain = [&](const std::string& why) {
        return TextError(quoted(text) + " is not a divercite position: " + why);
    };
    constexpr std::string_view shape =
        "rows have 1, 3, 5, 7, 9, 7, 5, 3 and 1 cells, then come the resources White has "
        "left (3333 at the start), with a '/' between";
    Divercite state(rules);
    std::size_t at = 0;
    for (std::size_t i = 0; i < cells_in_order.size(); ++i) {
        const int cell = cells_in_order[i];
        const bool row_begins = i > 0 && tables.places[cell].row != tables.places[cells_in_order[i - 1]].row;
        if (row_begins && (at == text.size() || text[at++] != '/')) throw complain(std::string(shape));
        if (at == text.size() || text[at] == '/') throw complain(std::string(shape));
        const char c = text[at++];
        const bool is_capital = c >= 'A' && c <= 'Z';
        const auto colour = letters.find(is_capital ? c : static_cast<char>(c - 'a' + 'A'));
        if (c == '.') continue;
        if (colour == std::string_view::npos)
            throw complain("cells are r, g, b, y (resources), capitals (cities, with a '-' after Black's) or '.'");
        if (is_capital != is_city_cell(cell))
            throw complain(is_capital ? "it has a city on a resource cell" : "it has a resource on a city cell");
        const bool is_black = is_capital && at < text.size() && text[at] == '-';
        at += is_black;
        if (is_capital) {
            auto& hand = state.hands_[is_black];
            if (in_hand(hand, static_cast<int>(colour), true) == 0)
                throw complain("a player has at most two cities of a colour");
            hand -= std::uint32_t{1} << shift_of(static_cast<int>(colour), true);
            state.put_city(cell, static_cast<int>(colour), is_black);
        } else {
            state.put_resource(cell - Rules::city_cells, static_cast<int>(colour));
        }
    }
    if (at == text.size() || text[at++] != '/' || text.size() - at != Rules::colours)
        throw complain(std::string(shape));
    for (int colour = 0; colour < Rules::colours; ++colour) {
        const int left = text[at + static_cast<std::size_t>(colour)] - '0', all = Rules::resources_of_colour;
        if (left < 0 || left > all)
            throw complain("the resources in White's hand must be four digits 0 to 3: red, green, blue, yellow");
        const int lefts_of_black = 2 * all - std::popcount(state.resources_[colour]) - left;
        if (lefts_of_black < 0 || lefts_of_black > all)
            throw complain(
                "the resources on the board and in White's hand do not add up: each player has three of a "
                "colour");
        constexpr int city_bits = 4 * Rules::colours;
        state.hands_[0] -= static_cast<std::uint32_t>(all - left) << (city_bits + 4 * colour);
        state.hands_[1] -= static_cast<std::uint32_t>(all - lefts_of_black) << (city_bits + 4 * colour);
    }
    std::array<int, 2> placed{};
    for (const Player player : {0, 1})
        for (int colour = 0; colour < Rules::colours; ++colour)
            placed[player] += Rules::cities_of_colour + Rules::resources_of_colour - state.cities_left(player, colour) -
                              state.resources_left(player, colour);
    if (placed[0] != placed[1] && placed[0] != placed[1] + 1)
        throw complain("White has placed " + std::to_string(placed[0]) + " pieces and Black " +
                       std::to_string(placed[1]) + ", but the players take turns");
    state.ply_ = static_cast<std::int8_t>(placed[0] + placed[1]);
    state.key_ = state.recompute_key();
    return state;
}

std::string Divercite::move_text(Move move) {
    const auto place = tables.places[move.code % Rules::cells];
    const char letter = letters[colour(move)];
    return {is_city(move) ? letter : static_cast<char>(letter - 'A' + 'a'), static_cast<char>('a' + place.column),
            static_cast<char>('1' + place.row)};
}

Divercite::Move Divercite::parse_move(std::string_view text) const {
    const auto complain = [&](const std::string& why) {
        return TextError(quoted(text) + " is not a divercite move: " + why);
    };
    std::string plain(text);
    const bool is_of_course = text.size() > 3;
    if (is_of_course) {
        std::erase(plain, ' ');
        const auto has = [&](std::size_t at, char c) { return plain[at] == c; };
        const bool with_brackets = plain.size() == 7 && has(2, '(') && has(4, ',') && has(6, ')');
        const bool with_commas = plain.size() == 6 && has(2, ',') && has(4, ',');
        if (!with_brackets && !with_commas) plain.clear();
    }
    if (plain.size() < 3)
        throw complain("a move is a colour and a cell, as in Re4, or the course's piece, row and column, as in RC,3,4");
    const char letter = plain[0] >= 'a' && plain[0] <= 'z' ? static_cast<char>(plain[0] - 'a' + 'A') : plain[0];
    const auto colour = letters.find(letter);
    if (colour == std::string_view::npos) throw complain("colours are R, G, B and Y");
    const int row = is_of_course ? plain[3] - '0' : plain[2] - '1';
    const int column = is_of_course ? plain[5] - '0' : plain[1] - 'a';
    if (row < 0 || row >= Rules::side || column < 0 || column >= Rules::side || tables.cell_at[row][column] < 0)
        throw complain("the board has no such cell");
    const int cell = tables.cell_at[row][column];
    if (is_of_course && plain[1] != 'C' && plain[1] != 'R')
        throw complain("pieces are RC, RR, GC, GR, BC, BR, YC and YR");
    const bool says_city = is_of_course ? plain[1] == 'C' : plain[0] == letter;
    if (says_city != is_city_cell(cell))
        throw complain(says_city ? "that cell is for resources, which are written in small letters"
                                 : "that cell is for cities, which are written in capitals");
    return {static_cast<std::uint8_t>(static_cast<int>(colour) * Rules::cells + cell)};
}

std::string Divercite::diagram() const {
    std::string lines;
    for (int row = 0; row < Rules::side; ++row) {
        std::string line(1, static_cast<char>('1' + row));
        for (int column = 0; column < Rules::side; ++column) {
            const int cell = tables.cell_at[row][column];
            line += ' ';
            if (cell < 0) {
                line += "  ";
            } else if (is_city_cell(cell)) {
                const bool is_there = cities_ >> cell & 1;
                line += is_there ? letters[city_colours_[cell]] : '#';
                line += !is_there ? ' ' : city_owner(cell) == 0 ? '+' : '-';
            } else {
                char letter = '.';
                for (int colour = 0; colour < Rules::colours; ++colour)
                    if (resources_[colour] >> (cell - Rules::city_cells) & 1)
                        letter = static_cast<char>(letters[colour] - 'A' + 'a');
                line += {letter, ' '};
            }
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines += line + '\n';
    }
    lines += "  a  b  c  d  e  f  g  h  i\n";
    const auto points = scores();
    for (const Player player : {0, 1}) {
        lines += player == 0 ? "White + has " : "Black - has ";
        std::string hand;
        for (const bool city : {true, false})
            for (int colour = 0; colour < Rules::colours; ++colour) {
                const char letter = city ? letters[colour] : static_cast<char>(letters[colour] - 'A' + 'a');
                hand += std::string(static_cast<std::size_t>(in_hand(hands_[player], colour, city)), letter);
            }
        lines += (hand.empty() ? "nothing" : hand) + " left, " + std::to_string(points[player]) +
                 (points[player] == 1 ? " point" : " points");
        if (player == 0) lines += '\n';
    }
    return lines;
}

// --- Networks ---

void Divercite::encode(std::span<std::uint8_t> input) const {
    constexpr int area = Rules::grid * Rules::grid;
    std::fill(input.begin(), input.end(), std::uint8_t{0});
    const auto at = [&](int plane, int cell) -> std::uint8_t& {
        const auto place = tables.places[cell];
        return input[static_cast<std::size_t>(plane * area + place.u * Rules::grid + place.v)];
    };
    const Player mover = to_move();
    for (std::uint32_t rest = cities_; rest; rest &= rest - 1) {
        const int city = std::countr_zero(rest);
        at((city_owner(city) == mover ? 0 : Rules::colours) + city_colours_[city], city) = 1;
    }
    int plane = 2 * Rules::colours;
    for (int colour = 0; colour < Rules::colours; ++colour, ++plane)
        for (std::uint32_t rest = resources_[colour]; rest; rest &= rest - 1)
            at(plane, Rules::city_cells + std::countr_zero(rest)) = 1;
    const auto fill = [&](int value) {
        std::fill_n(input.begin() + plane++ * area, area, static_cast<std::uint8_t>(value));
    };
    for (const bool city : {true, false})
        for (const Player player : {mover, opponent(mover)})
            for (int colour = 0; colour < Rules::colours; ++colour) fill(in_hand(hands_[player], colour, city));
    fill(mover);
}

void Divercite::describe_ending(Player mover, std::span<std::int8_t> planes) const {
    std::fill(planes.begin(), planes.end(), std::int8_t{0});
    for (std::uint32_t rest = cities_; rest; rest &= rest - 1) {
        const int city = std::countr_zero(rest);
        const int points = city_points(around_[city], city_colours_[city]);
        const auto place = tables.places[city];
        planes[static_cast<std::size_t>(place.u * Rules::grid + place.v)] =
            static_cast<std::int8_t>(city_owner(city) == mover ? points : -points);
    }
}

Divercite Divercite::transformed(int g) const {
    const auto& cells = tables.turned[g % 8];
    const auto& colours = tables.permuted[g / 8];
    Divercite state(rules_);
    state.hands_ = {};
    for (int colour = 0; colour < Rules::colours; ++colour) {
        for (std::uint32_t rest = resources_[colour]; rest; rest &= rest - 1)
            state.put_resource(cells[Rules::city_cells + std::countr_zero(rest)] - Rules::city_cells, colours[colour]);
        for (const Player player : {0, 1})
            for (const bool city : {true, false})
                state.hands_[player] |= static_cast<std::uint32_t>(in_hand(hands_[player], colour, city))
                                        << shift_of(colours[colour], city);
    }
    for (std::uint32_t rest = cities_; rest; rest &= rest - 1) {
        const int city = std::countr_zero(rest);
        state.put_city(cells[city], colours[city_colours_[city]], city_owner(city));
    }
    state.ply_ = ply_;
    state.key_ = state.recompute_key();
    return state;
}

Divercite::Move Divercite::transformed(Move move, int g) const {
    return {static_cast<std::uint8_t>(turned_code(move.code, g))};
}

Divercite::Canonical Divercite::canonical() const {
    Canonical least{~std::uint64_t{0}, 0};
    for (int g = 0; g < Rules::symmetries; ++g) {
        const auto& cells = tables.turned[g % 8];
        const auto& colours = tables.permuted[g / 8];
        std::uint64_t key = rules_->id();
        for (int colour = 0; colour < Rules::colours; ++colour) {
            for (std::uint32_t rest = resources_[colour]; rest; rest &= rest - 1)
                key ^= resource_key(cells[Rules::city_cells + std::countr_zero(rest)] - Rules::city_cells,
                                    colours[colour]);
            key ^= hand_key(colours[colour], resources_left(0, colour));
        }
        for (std::uint32_t rest = cities_; rest; rest &= rest - 1) {
            const int city = std::countr_zero(rest);
            key ^= city_key(cells[city], colours[city_colours_[city]], city_owner(city));
        }
        if (key < least.key) least = {key, g};
    }
    return least;
}

}  // namespace joute
