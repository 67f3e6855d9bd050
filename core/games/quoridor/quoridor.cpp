#include "quoridor.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "../../base/quote.hpp"

namespace joute {

static_assert(NetworkGame<Quoridor>);

using namespace quoridor_board;

namespace {

constexpr std::array<RuleOption, 2> rule_options{
    {{.name = "rules",
      .default_value = "standard",
      .choices = "standard|course",
      .help =
          "standard: a draw after 300 plies or at the third repetition; course: the program of INF8215 (2021), which "
          "has no draws and refuses some walls because a pawn blocks the last gap"},
     {.name = "null_move",
      .default_value = "no",
      .choices = "no|yes",
      .help = "with rules=course, whether a player without walls may still place one, which only passes the turn; "
              "the course's program allows it"}}};

// The code of a move from the view of the player on the other side.
constexpr int flipped_code(int code) {
    if (code < cells) return (side - 1 - code / side) * side + code % side;
    const int first = code < Quoridor::first_vertical ? Quoridor::first_horizontal : Quoridor::first_vertical;
    return first + ((code - first) ^ (anchors - anchors_a_side));
}

std::string cell_text(int row, int column) { return {static_cast<char>('a' + column), static_cast<char>('1' + row)}; }

}  // namespace

// --- Rules ---

const QuoridorRules* QuoridorRules::find(std::string_view text) {
    QuoridorRules rules;
    parse_options(text, [&](std::string_view key, std::string_view value) {
        const auto choose = [&](std::string_view first, std::string_view second) {
            if (value != first && value != second)
                throw TextError("quoridor's " + std::string(key) + " is " + std::string(first) + " or " +
                                std::string(second) + ", not " + quoted(value));
            return value == second;
        };
        if (key == "rules")
            rules.variant = choose("standard", "course") ? Variant::course : Variant::standard;
        else if (key == "null_move")
            rules.null_move = choose("no", "yes");
        else
            throw TextError("quoridor has no rules option " + quoted(key));
    });
    if (rules.null_move && rules.variant != Variant::course)
        throw TextError("null_move=yes imitates an error of the course's program, so it needs rules=course");
    rules.id_ = rules_id("quoridor", rules.text());
    return intern(rules);
}

std::span<const RuleOption> QuoridorRules::options() { return rule_options; }

std::string QuoridorRules::text() const {
    if (variant == Variant::standard) return "";
    return null_move ? "rules=course,null_move=yes" : "rules=course";
}

int QuoridorRules::map_input(int index, int g) const {
    if (g == 0) return index;
    const int plane = index / cells, column = index % side;
    const bool of_walls = plane == 2 || plane == 3;
    if (of_walls && column == side - 1) return index;  // no anchors in the last column
    return index + (of_walls ? side - 2 : side - 1) - 2 * column;
}

int QuoridorRules::map_policy(int index, int g) const {
    // Walls are planes 2 and 3 of the input, and cells are mirrored as in planes 0 and 1.
    const int shift = index < cells ? 0 : cells;
    return map_input(index + shift, g) - shift;
}

std::uint32_t Quoridor::turned_code(std::uint32_t code, int g) {
    if (g == 0) return code;
    const auto number = static_cast<int>(code);
    if (number < first_horizontal) return static_cast<std::uint32_t>(mirrored_cell(number));
    const int first = number < first_vertical ? first_horizontal : first_vertical;
    return static_cast<std::uint32_t>(first + mirrored_anchor(number - first));
}

// --- The position ---

Quoridor::Quoridor(const Rules* rules)
    : rules_(rules), pawns_{side / 2, static_cast<std::uint8_t>(cells - 1 - side / 2)} {
    key_ = board_key();
}

std::uint64_t Quoridor::board_key() const {
    std::uint64_t key = rules_->id() ^ pawn_key(0, pawns_[0]) ^ pawn_key(1, pawns_[1]) ^ hand_key(walls_left_[0]);
    for (std::uint64_t rest = walls_.horizontal; rest; rest &= rest - 1)
        key ^= wall_key(horizontal(std::countr_zero(rest)));
    for (std::uint64_t rest = walls_.vertical; rest; rest &= rest - 1)
        key ^= wall_key(vertical(std::countr_zero(rest)));
    if (to_move() == 1) key ^= black_moves;
    return key;
}

Result Quoridor::result() const {
    for (const Player player : {0, 1})
        if (is_on_goal(player)) {
            // The margin of the course's referee: the steps that the loser still had to go.
            const int sign = player == 0 ? 1 : -1, steps = distance(opponent(player));
            return {.outcome = sign, .score = sign * steps, .margin = sign * steps, .decided_by = "goal"};
        }
    return {.decided_by = "300 plies"};
}

Result Quoridor::result_if_stopped() const { return is_terminal() ? result() : Result{.decided_by = "stopped"}; }

bool Quoridor::has_way(Player player, const Ways& ways) const {
    const int pawn = pawns_[player], other = pawns_[opponent(player)];
    if (rules_->variant == Rules::Variant::standard) return ways.reaches(pawn, goal(player));
    // First without a jump, which is faster.
    return ways.reaches(pawn, goal(player), bit(other)) || course_path(ways, pawn, other, goal(player)).length >= 0;
}

// The wall must be on a free place.
bool Quoridor::leaves_ways(Move wall) const {
    const int anchor = Quoridor::anchor(wall);
    if (rules_->variant == Rules::Variant::standard) {
        const Walls joining = joining_places(walls_);
        if (!((is_horizontal(wall) ? joining.horizontal : joining.vertical) >> anchor & 1)) return true;
    }
    const Ways ways = ways_after(wall);
    return has_way(0, ways) && has_way(1, ways);
}

Quoridor::Walls Quoridor::placeable_walls(const Walls& among) const {
    Walls legal = free_places(walls_) & among, doubtful = legal;
    if (rules_->variant == Rules::Variant::standard) {
        doubtful = legal & joining_places(walls_);
        if (!doubtful.any()) return legal;
    }
    std::array<Walls, 2> closing;
    for (const Player player : {0, 1}) {
        const Path path = rules_->variant == Rules::Variant::standard
                              ? shortest_path(ways_, pawns_[player], goal(player))
                              : course_path(ways_, pawns_[player], pawns_[opponent(player)], goal(player));
        // If the course's program finds no path now, a wall may open one: if it blocks the straight jump, the pawn can
        // jump around the corner.
        closing[player] = path.length < 0 ? ~Walls{} : path.closing;
    }
    // A player whose known path stays open needs no flood fill.
    const auto cuts = [&](Move wall, std::uint64_t Walls::* word, std::uint64_t place) {
        const Ways ways = ways_after(wall);
        return (closing[0].*word & place && !has_way(0, ways)) || (closing[1].*word & place && !has_way(1, ways));
    };
    doubtful = doubtful & (closing[0] | closing[1]);
    for (std::uint64_t rest = doubtful.horizontal; rest; rest &= rest - 1)
        if (cuts(horizontal(std::countr_zero(rest)), &Walls::horizontal, rest & -rest))
            legal.horizontal &= ~(rest & -rest);
    for (std::uint64_t rest = doubtful.vertical; rest; rest &= rest - 1)
        if (cuts(vertical(std::countr_zero(rest)), &Walls::vertical, rest & -rest)) legal.vertical &= ~(rest & -rest);
    return legal;
}

const Routes& Quoridor::opponent_routes() const {
    struct Known {
        Walls walls;
        int player = -1, pawn = 0;  // match no position
        Routes routes;
    };
    thread_local Known last;
    const Player other = opponent(to_move());
    if (last.walls != walls_ || last.player != other || last.pawn != pawns_[other])
        last = {walls_, other, pawns_[other], shortest_routes<true>(ways_, pawns_[other], goal(other))};
    return last.routes;
}

Quoridor::Walls Quoridor::candidate_places() const {
    Walls places = opponent_routes().closing | touching_places(walls_);
    for (const int pawn : pawns_) {
        const std::uint64_t near = quoridor_course::anchors_near_cell(pawn, 1);
        places = places | Walls{near, near};
    }
    return places;
}

void Quoridor::hint_at(const MoveList<Quoridor>& moves, FixedList<std::uint8_t, max_moves>& hints) const {
    const Player mover = to_move();
    const Cells ahead = ways_.nearer(pawns_[mover], goal(mover));
    const Routes& routes = opponent_routes();
    for (const Move move : moves) {
        if (is_step(move)) {
            hints.push_back(ahead >> move.code & 1 ? hint_ahead : 0);
            continue;
        }
        const auto word = is_horizontal(move) ? &Walls::horizontal : &Walls::vertical;
        const auto has = [&](const Walls& walls) { return (walls.*word >> anchor(move) & 1) != 0; };
        hints.push_back(has(routes.severing) ? hint_severing : has(routes.closing) ? hint_closing : 0);
    }
}

Quoridor::Walls Quoridor::listed_walls(const Walls& among) const {
    if (walls_left_[to_move()] > 0) return placeable_walls(among);
    if (!rules_->null_move) return {};
    Walls walls = placeable_walls();
    if (walls.horizontal) return {walls.horizontal & -walls.horizontal, 0};
    return {0, walls.vertical & -walls.vertical};
}

void Quoridor::list(const quoridor_course::Listing& listing, MoveList<Quoridor>& moves) const {
    const Player mover = to_move(), other = opponent(mover);
    const int opponent_radius = listing.opponent_radius ? listing.opponent_radius : quoridor_course::paper_radius;
    const std::uint64_t near_other = quoridor_course::anchors_near_cell(pawns_[other], opponent_radius);
    std::uint64_t among = ~std::uint64_t{0};
    if (listing.opponent_radius) among = near_other | quoridor_course::anchors_near_cell(pawns_[mover], listing.radius);
    if (listing.near_walls) among |= quoridor_course::anchors_near_walls(walls_);
    // Leaves out the wall that only passes the turn: the course's program does not list it.
    const Walls walls = walls_left_[mover] > 0 ? placeable_walls({among, among}) : Walls{};

    const auto add_steps = [&](bool with_forward, bool with_others) {
        quoridor_course::visit_pawn_moves(ways_, pawns_[mover], pawns_[other],
                                          [&](int cell, quoridor_course::Offset offset) {
                                              const bool is_forward = mover == 0 ? offset.row > 0 : offset.row < 0;
                                              if (is_forward ? with_forward : with_others) moves.push_back(step(cell));
                                          });
    };
    const auto add_walls = [&](std::uint64_t anchors) {
        for (std::uint64_t rest = (walls.horizontal | walls.vertical) & anchors; rest; rest &= rest - 1) {
            const int anchor = std::countr_zero(rest);
            if (walls.horizontal >> anchor & 1) moves.push_back(horizontal(anchor));
            if (walls.vertical >> anchor & 1) moves.push_back(vertical(anchor));
        }
    };
    if (listing.is_ordered) {
        add_steps(true, false);
        add_walls(near_other);
        add_steps(false, true);
        add_walls(~near_other);
    } else {
        add_steps(true, true);
        add_walls(~std::uint64_t{0});
    }
}

bool Quoridor::is_legal(Move move) const {
    if (move.code >= codes || is_terminal()) return false;
    if (is_step(move)) return pawn_moves() >> move.code & 1;
    if (walls_left_[to_move()] == 0 && !rules_->null_move) return false;
    const Walls free = free_places(walls_);
    return (is_horizontal(move) ? free.horizontal : free.vertical) >> anchor(move) & 1 && leaves_ways(move);
}

// --- Text ---

std::string Quoridor::text() const {
    std::string text;
    for (const std::uint64_t walls : {walls_.horizontal, walls_.vertical}) {
        for (std::uint64_t rest = walls; rest; rest &= rest - 1) {
            const int anchor = std::countr_zero(rest);
            text += cell_text(anchor / anchors_a_side, anchor % anchors_a_side);
        }
        text += '/';
    }
    for (const int pawn : pawns_) text += cell_text(pawn / side, pawn % side);
    return text + "/" + std::to_string(walls_left_[0]) + "-" + std::to_string(walls_left_[1]) + "/" +
           std::to_string(ply_);
}

Quoridor Quoridor::from_text(const Rules* rules, std::string_view text) {
    const auto complain = [&](const std::string& why) {
        return TextError(quoted(text) + " is not a quoridor position: " + why);
    };
    std::vector<std::string_view> parts;
    for (std::string_view rest = text;; rest.remove_prefix(parts.back().size() + 1)) {
        parts.push_back(rest.substr(0, rest.find('/')));
        if (parts.back().size() == rest.size()) break;
    }
    if (parts.size() != 5)
        throw complain(
            "it has horizontal walls, vertical walls, White's and Black's pawn, walls in hand and plies played, with a "
            "'/' between: //e1e9/10-10/0 at the start");
    // The cells named by pairs of characters.
    const auto cells_of = [&](std::string_view names, int size, const char* what) {
        std::vector<std::pair<int, int>> found;
        for (; !names.empty(); names.remove_prefix(2)) {
            const int column = names[0] - 'a', row = names.size() > 1 ? names[1] - '1' : -1;
            if (row < 0 || row >= size || column < 0 || column >= size)
                throw complain(std::string(what) + " are written like e3, a1 to " + cell_text(size - 1, size - 1) +
                               ", not " + quoted(first_characters(names, 2)));
            found.emplace_back(row, column);
        }
        return found;
    };
    const auto number_of = [&](std::string_view digits, int most) {
        int number = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        const bool is_number = error == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
        return is_number && number >= 0 && number <= most ? std::optional(number) : std::nullopt;
    };

    Quoridor state(rules);
    for (const bool is_horizontal : {true, false})
        for (const auto& [row, column] : cells_of(parts[is_horizontal ? 0 : 1], anchors_a_side, "walls")) {
            const int anchor = anchors_a_side * row + column;
            const Walls free = free_places(state.walls_);
            if (!((is_horizontal ? free.horizontal : free.vertical) >> anchor & 1))
                throw complain("the wall " + cell_text(row, column) + (is_horizontal ? "h" : "v") +
                               " crosses or overlaps another");
            state.put_wall(is_horizontal ? horizontal(anchor) : vertical(anchor));
        }
    const auto pawns = cells_of(parts[2], side, "pawns");
    if (pawns.size() != 2 || pawns[0] == pawns[1])
        throw complain("the two pawns must be on different cells, as in e1e9");
    for (const Player player : {0, 1})
        state.pawns_[player] = static_cast<std::uint8_t>(side * pawns[player].first + pawns[player].second);
    if (state.is_on_goal(0) && state.is_on_goal(1)) throw complain("both pawns are on their goals");
    const auto dash = std::min(parts[3].find('-'), parts[3].size());
    const auto white = number_of(parts[3].substr(0, dash), Rules::walls_each);
    const auto black = number_of(parts[3].substr(std::min(dash + 1, parts[3].size())), Rules::walls_each);
    if (!white || !black) throw complain("the walls in White's and Black's hands must be 0 to 10 each, as in 10-10");
    if (*white + *black + state.walls_.count() != 2 * Rules::walls_each)
        throw complain("the walls on the board and in hand number " +
                       std::to_string(*white + *black + state.walls_.count()) + ", not 20");
    state.walls_left_ = {static_cast<std::uint8_t>(*white), static_cast<std::uint8_t>(*black)};
    // Under the course's rules a game may go on forever.
    const int most_plies = rules->variant == Rules::Variant::standard ? Rules::ply_limit : 1'000'000'000;
    const auto ply = number_of(parts[4], most_plies);
    if (!ply) throw complain("the number of plies played must be 0 to " + std::to_string(most_plies));
    state.ply_ = *ply;
    for (const Player player : {0, 1}) {
        if (!state.ways_.reaches(state.pawns_[player], goal(player)))
            throw complain(std::string(player == 0 ? "White" : "Black") + " has no path to the goal");
        if (state.is_on_goal(player) && state.to_move() == player)
            throw complain("the player to move is on the goal already, so the game is over");
    }
    state.key_ = state.board_key();
    return state;
}

std::string Quoridor::move_text(Move move) {
    if (is_step(move)) return cell_text(move.code / side, move.code % side);
    const int anchor = Quoridor::anchor(move);
    return cell_text(anchor / anchors_a_side, anchor % anchors_a_side) + (is_horizontal(move) ? "h" : "v");
}

Quoridor::Move Quoridor::parse_move(std::string_view text) const {
    const auto complain = [&](const std::string& why) {
        return TextError(quoted(text) + " is not a quoridor move: " + why);
    };
    constexpr std::string_view forms =
        "moves are a cell, e2, or a wall, e3h or e3v; or as the course writes them, P,1,4 or WH,2,4 or WV,2,4; or as "
        "KataQuoridor and OpenSpiel do, kata:e8 or kata:e6h";
    // Removes brackets, quotes and spaces, which do not distinguish the formats.
    std::string plain;
    for (const char c : text)
        if (c != '(' && c != ')' && c != '\'' && c != '"' && c != ' ' && c != '[' && c != ']') plain += c;
    const bool is_of_course = plain.find(',') != std::string::npos;
    const bool is_kata = !is_of_course && plain.starts_with("kata:");
    if (!is_of_course && plain.size() != text.size()) throw complain(std::string(forms));
    if (is_kata) plain.erase(0, 5);

    int row = -1, column = -1;
    char kind = 'P';  // or H or V
    if (is_of_course) {
        const bool is_wall = plain.starts_with("WH,") || plain.starts_with("WV,");
        const std::size_t at = is_wall ? 3 : 2;
        if ((!is_wall && !plain.starts_with("P,")) || plain.size() != at + 3 || plain[at + 1] != ',')
            throw complain(std::string(forms));
        if (is_wall) kind = plain[1];
        row = plain[at] - '0';
        column = plain[at + 2] - '0';
    } else {
        for (char& c : plain)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (plain.size() < 2 || plain.size() > 3) throw complain(std::string(forms));
        if (plain.size() == 3) {
            if (plain[2] != 'h' && plain[2] != 'v') throw complain(std::string(forms));
            kind = plain[2] == 'h' ? 'H' : 'V';
        }
        row = plain[1] - '1';
        column = plain[0] - 'a';
    }
    const int size = kind == 'P' ? side : anchors_a_side;
    if (row < 0 || row >= size || column < 0 || column >= size)
        throw complain(kind == 'P' ? "cells are a1 to i9" : "walls are a1 to h8, and h or v");
    if (is_kata) row = size - 1 - row;
    if (kind == 'P') return step(side * row + column);
    const int anchor = anchors_a_side * row + column;
    return kind == 'H' ? horizontal(anchor) : vertical(anchor);
}

std::string Quoridor::diagram() const {
    std::string lines;
    const auto has = [](std::uint64_t walls, int row, int column) {
        return row >= 0 && row < anchors_a_side && column >= 0 && column < anchors_a_side &&
               walls >> (anchors_a_side * row + column) & 1;
    };
    for (int row = side - 1; row >= 0; --row) {
        std::string line(1, static_cast<char>('1' + row));
        line += ' ';
        for (int column = 0; column < side; ++column) {
            const int cell = side * row + column;
            line += cell == pawns_[0] ? " W " : cell == pawns_[1] ? " B " : " . ";
            if (column + 1 < side)
                line += has(walls_.vertical, row, column) || has(walls_.vertical, row - 1, column) ? '|' : ' ';
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines += line + '\n';
        if (row == 0) break;
        line = "  ";
        for (int column = 0; column < side; ++column) {
            const bool here = has(walls_.horizontal, row - 1, column),
                       left = has(walls_.horizontal, row - 1, column - 1);
            line += here || left ? "---" : "   ";
            if (column + 1 < side) line += here ? '-' : has(walls_.vertical, row - 1, column) ? '|' : ' ';
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines += line + '\n';
    }
    lines += "   a   b   c   d   e   f   g   h   i\n";
    for (const Player player : {0, 1}) {
        const int steps = distance(player), left = walls_left_[player];
        lines += (player == 0 ? "White W: " : "Black B: ") + std::to_string(left) + (left == 1 ? " wall" : " walls") +
                 " left, " + std::to_string(steps) + (steps == 1 ? " step" : " steps") + " to go";
        if (player == 0) lines += '\n';
    }
    return lines;
}

// --- Networks ---

void Quoridor::encode(std::span<std::uint8_t> input) const {
    std::fill(input.begin(), input.end(), std::uint8_t{0});
    const Player mover = to_move(), other = opponent(mover);
    // The board is flipped for Black, so that the mover goes up.
    const auto at = [&](int plane, int row, int column, int last_row) -> std::uint8_t& {
        return input[static_cast<std::size_t>(plane * cells + (mover == 0 ? row : last_row - row) * side + column)];
    };
    const auto at_cell = [&](int plane, int cell) -> std::uint8_t& {
        return at(plane, cell / side, cell % side, side - 1);
    };
    at_cell(0, pawns_[mover]) = 1;
    at_cell(1, pawns_[other]) = 1;
    for (const int plane : {2, 3})
        for (std::uint64_t rest = plane == 2 ? walls_.horizontal : walls_.vertical; rest; rest &= rest - 1) {
            const int anchor = std::countr_zero(rest);
            at(plane, anchor / anchors_a_side, anchor % anchors_a_side, anchors_a_side - 1) = 1;
        }
    const auto fill = [&](int plane, int value) {
        std::fill_n(input.begin() + plane * cells, cells, static_cast<std::uint8_t>(value));
    };
    fill(4, walls_left_[mover]);
    fill(5, walls_left_[other]);
    for (const int plane : {6, 7}) {
        fill(plane, cells);  // for cells without a path
        Cells reached = 0, next = goal(plane == 6 ? mover : other);
        for (int steps = 0; next; ++steps) {
            for (Cells rest = next; rest; rest &= rest - 1)
                at_cell(plane, lowest(rest)) = static_cast<std::uint8_t>(steps);
            reached |= next;
            next = ways_.around(reached) & ~reached;
        }
    }
    const bool has_limit = rules_->variant == Rules::Variant::standard;
    fill(8, has_limit ? std::min(255, Rules::ply_limit - ply_) : 255);
}

void Quoridor::describe_ending(Player mover, std::span<std::int8_t> planes) const {
    std::fill(planes.begin(), planes.end(), std::int8_t{0});
    for (const int plane : {0, 1}) {
        Cells reached = 0, next = goal(plane == 0 ? mover : opponent(mover));
        for (int steps = 0; next; ++steps) {
            for (Cells rest = next; rest; rest &= rest - 1) {
                const int cell = lowest(rest), row = cell / side;
                planes[static_cast<std::size_t>((plane * side + (mover == 0 ? row : side - 1 - row)) * side +
                                                cell % side)] = static_cast<std::int8_t>(steps);
            }
            reached |= next;
            next = ways_.around(reached) & ~reached;
        }
    }
}

void Quoridor::policy_indices(Move move, PolicyIndices& indices) const {
    const int code = to_move() == 0 ? move.code : flipped_code(move.code);
    int index = code;
    if (code >= first_horizontal) {
        const int plane = code < first_vertical ? 1 : 2;
        const int anchor = code - (plane == 1 ? first_horizontal : first_vertical);
        index = plane * cells + anchor / anchors_a_side * side + anchor % anchors_a_side;
    }
    indices.push_back(static_cast<std::uint32_t>(index));
}

Quoridor Quoridor::transformed(int g) const {
    if (g == 0) return *this;
    Quoridor state(rules_);
    for (std::uint64_t rest = mirrored(walls_.horizontal); rest; rest &= rest - 1)
        state.put_wall(horizontal(std::countr_zero(rest)));
    for (std::uint64_t rest = mirrored(walls_.vertical); rest; rest &= rest - 1)
        state.put_wall(vertical(std::countr_zero(rest)));
    for (const Player player : {0, 1}) state.pawns_[player] = static_cast<std::uint8_t>(mirrored_cell(pawns_[player]));
    state.walls_left_ = walls_left_;
    state.ply_ = ply_;
    state.since_wall_ = since_wall_;
    state.key_ = state.board_key();
    return state;
}

Quoridor::Move Quoridor::transformed(Move move, int g) const {
    return {static_cast<std::uint8_t>(turned_code(move.code, g))};
}

Quoridor::Canonical Quoridor::canonical() const {
    const std::uint64_t mirror = transformed(1).key_;
    return mirror < key_ ? Canonical{mirror ^ ply_key(), 1} : Canonical{key_ ^ ply_key(), 0};
}

}  // namespace joute
