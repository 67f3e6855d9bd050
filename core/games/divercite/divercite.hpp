#pragma once

// Divercité (Grégoire Boulland, 2019): players place cities and resources on a diamond; the resources around a city
// decide its points.
//
// A diamond of 41 cells in a square of 9 by 9: 25 for resources, 16 for cities. Columns are letters and rows are digits
// from the top; the course that defined the original interface counts both from 0. Turned by 45 degrees, the resources
// are a square of 5 by 5 and the cities a square of 4 by 4 between them: the city (u, v) touches the resources (u, v),
// (u + 1, v), (u, v + 1) and (u + 1, v + 1). Here, resources are `o` and cities `#`:
//
//         a b c d e f g h i
//     1           o             u grows to the lower right,
//     2         o # o           v to the upper right:
//     3       o # o # o         the left corner a5 is the resource (0, 0), the top e1 is (0, 4)
//     4     o # o # o # o
//     5   o # o # o # o # o
//     6     o # o # o # o
//     7       o # o # o
//     8         o # o
//     9           o
//
// Each player has two cities and three resources of each of four colours, and places one piece a turn on any empty cell
// of its kind. So a game takes 40 plies, and one of the 25 resource cells stays empty. A city with four different
// colours around it is a Divercité and scores 5; any other city scores one point per resource of its own colour that
// touches it. Resources belong to nobody.
//
// A move is a colour and a cell, `Re4` for a city and `re5` for a resource. The generator lists moves in the order of
// the course's program: by colour, cities before resources, row by row.
//
// A position is its 41 cells row by row: `r`, `g`, `b`, `y` for resources, capitals for cities, followed by `-` for
// those of Black; then the number of resources White has left of each colour. Everything else follows from these.

#include <array>
#include <span>

#include "../../base/bits.hpp"
#include "../../game.hpp"

namespace joute {

struct DiverciteRules {
    static constexpr int side = 9;
    static constexpr int colours = 4;
    static constexpr int resource_cells = 25;
    static constexpr int city_cells = 16;
    static constexpr int cells = city_cells + resource_cells;  // cities first
    static constexpr int cities_of_colour = 2;                 // per player
    static constexpr int resources_of_colour = 3;
    static constexpr int plies = 2 * colours * (cities_of_colour + resources_of_colour);
    static constexpr int divercite = 5;  // points of a Divercité

    // The tie-break of a game with equal points.
    enum class TieBreak {
        handout,    // Divercités, then cities with four, three, two of their colour around them; then White wins
        framework,  // as in the course's program, including its error
        official,   // none: the game is a draw
    };
    static constexpr std::array<std::string_view, 3> tie_break_names{"handout", "framework", "official"};

    TieBreak tie_break = TieBreak::handout;

    static const DiverciteRules* find(std::string_view text);
    static std::span<const RuleOption> options();
    std::string text() const;
    std::uint64_t id() const { return id_; }

    // The planes: resources and cities of each colour on the square of 5 by 5, and the pieces left to each player.
    static constexpr int grid = 5;
    static constexpr int planes = 7 * colours + 1;
    static constexpr int symmetries = 8 * 24;  // board symmetries times colour permutations
    InputShape input_shape() const { return {planes, grid, grid}; }
    // Pieces left are shares of the first hand.
    static constexpr float plane_scale(int plane) {
        constexpr int on_board = 3 * colours, cities_left = on_board + 2 * colours, resources_left = 7 * colours;
        if (plane < on_board || plane >= resources_left) return 1;
        return 1.0f / static_cast<float>(plane < cities_left ? cities_of_colour : resources_of_colour);
    }
    // The policy: for each colour, the places of cities and those of resources. Planes of the square, so that a network
    // needs no dense layer for them.
    int policy_size() const { return 2 * colours * grid * grid; }
    int symmetry_count() const { return symmetries; }
    int map_input(int index, int g) const;
    int map_policy(int index, int g) const;

    DiverciteRules() { id_ = rules_id("divercite", text()); }
    explicit DiverciteRules(TieBreak tie_break) : tie_break(tie_break) { id_ = rules_id("divercite", text()); }

private:
    std::uint64_t id_ = 0;
};

namespace divercite_board {

using R = DiverciteRules;

struct Place {
    std::int8_t row, column;  // in the diamond
    std::int8_t u, v;         // in the turned square of its kind
};

// Tables that follow from the shape of the board, computed at compile time.
struct Tables {
    std::array<std::array<std::int8_t, R::side>, R::side> cell_at{};  // -1 if there is no cell
    std::array<Place, R::cells> places{};
    std::array<std::array<std::int8_t, 4>, R::city_cells> resources_of{};  // around a city
    std::array<std::uint32_t, R::city_cells> resource_mask_of{};
    std::array<std::array<std::int8_t, 4>, R::resource_cells> cities_of{};  // around a resource
    std::array<std::int8_t, R::resource_cells> city_count_of{};
    std::array<std::uint16_t, R::resource_cells> city_mask_of{};
    std::array<std::array<std::int8_t, R::cells>, 8> turned{};       // [symmetry of the board][cell]
    std::array<std::array<std::int8_t, R::colours>, 24> permuted{};  // [permutation][colour]
};

constexpr Tables make_tables() {
    Tables t;
    int cities = 0, resources = R::city_cells;
    for (int row = 0; row < R::side; ++row)
        for (int column = 0; column < R::side; ++column) {
            const int down = row < 4 ? 4 - row : row - 4, right = column < 4 ? 4 - column : column - 4;
            t.cell_at[row][column] = -1;
            if (down + right > 4) continue;
            const bool is_city = (row + column) % 2 == 1;
            const int cell = is_city ? cities++ : resources++;
            t.cell_at[row][column] = static_cast<std::int8_t>(cell);
            t.places[cell] = {static_cast<std::int8_t>(row), static_cast<std::int8_t>(column),
                              static_cast<std::int8_t>((row + column - 4 - is_city) / 2),
                              static_cast<std::int8_t>((column - row + 4 - is_city) / 2)};
        }
    constexpr std::array<std::array<int, 2>, 4> steps{{{-1, 0}, {0, -1}, {0, 1}, {1, 0}}};
    for (int city = 0; city < R::city_cells; ++city)
        for (int i = 0; i < 4; ++i) {
            const Place place = t.places[city];
            const int resource = t.cell_at[place.row + steps[i][0]][place.column + steps[i][1]] - R::city_cells;
            t.resources_of[city][i] = static_cast<std::int8_t>(resource);
            t.resource_mask_of[city] |= std::uint32_t{1} << resource;
            t.cities_of[resource][t.city_count_of[resource]++] = static_cast<std::int8_t>(city);
            t.city_mask_of[resource] = static_cast<std::uint16_t>(t.city_mask_of[resource] | 1 << city);
        }
    for (int d = 0; d < 8; ++d)
        for (int cell = 0; cell < R::cells; ++cell) {
            int row = t.places[cell].row, column = t.places[cell].column;
            if (d & 4) column = R::side - 1 - column;
            for (int quarter = 0; quarter < (d & 3); ++quarter) {
                const int turned = R::side - 1 - row;
                row = column;
                column = turned;
            }
            t.turned[d][cell] = t.cell_at[row][column];
        }
    int p = 0;
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            for (int c = 0; c < 4; ++c) {
                if (a == b || a == c || b == c) continue;
                t.permuted[p++] = {static_cast<std::int8_t>(a), static_cast<std::int8_t>(b),
                                   static_cast<std::int8_t>(c), static_cast<std::int8_t>(6 - a - b - c)};
            }
    return t;
}

inline constexpr Tables tables = make_tables();

}  // namespace divercite_board

class Divercite {
public:
    using Rules = DiverciteRules;
    struct Move {
        std::uint8_t code;  // 41 * colour + cell
        bool operator==(const Move&) const = default;
    };

    static constexpr std::string_view name = "divercite";
    static constexpr std::size_t max_moves = Rules::cells * Rules::colours;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = false;
    static constexpr bool has_chance = false;
    using Offers = OfferList<offer::Codes, offer::MoveCode, offer::NoisyMoves, offer::MoveCount, offer::PliesLeft,
                             offer::SharedSymmetries, offer::EndingPlanes>;

    explicit Divercite(const Rules* rules);
    const Rules* rules() const { return rules_; }

    Player to_move() const { return ply_ & 1; }
    int ply() const { return ply_; }
    int reversible_plies() const { return 0; }
    std::uint64_t key() const { return key_; }
    std::uint64_t recompute_key() const;

    bool is_terminal() const { return ply_ == Rules::plies; }
    int plies_left() const { return Rules::plies - ply_; }
    Result result() const;
    Result result_if_stopped() const { return result(); }

    void generate(MoveList<Divercite>& moves, int /*generator*/ = 0) const {
        const std::uint32_t hand = hands_[to_move()];
        for (int colour = 0; colour < Rules::colours; ++colour) {
            const int first = Rules::cells * colour;
            if (in_hand(hand, colour, true))
                for (std::uint32_t rest = empty_cities(); rest; rest &= rest - 1)
                    moves.push_back({static_cast<std::uint8_t>(first + std::countr_zero(rest))});
            if (in_hand(hand, colour, false))
                for (std::uint32_t rest = empty_resources(); rest; rest &= rest - 1)
                    moves.push_back({static_cast<std::uint8_t>(first + Rules::city_cells + std::countr_zero(rest))});
        }
    }
    std::size_t move_count() const {
        const Choices choices = this->choices();
        return static_cast<std::size_t>(choices.with_cities + choices.with_resources);
    }
    bool is_legal(Move move) const;
    Move random_move(Random& random) const;
    void play(Move move);

    // Noisy moves: moves that complete a Divercité of the mover.
    void noisy_moves(MoveList<Divercite>& moves) const;

    static constexpr std::size_t codes = Rules::cells * Rules::colours;
    std::uint32_t code(Move move) const { return move.code; }
    std::uint32_t move_code(Move move) const { return move.code; }

    // --- Pieces; cities are numbered 0 to 15 and resources 0 to 24, both row by row ---
    static constexpr int colour(Move move) { return move.code / Rules::cells; }
    static constexpr bool is_city(Move move) { return move.code % Rules::cells < Rules::city_cells; }
    // The number of the city or resource cell.
    static constexpr int index(Move move) {
        const int cell = move.code % Rules::cells;
        return cell < Rules::city_cells ? cell : cell - Rules::city_cells;
    }
    static constexpr Move place_city(int colour, int city) {
        return {static_cast<std::uint8_t>(Rules::cells * colour + city)};
    }
    static constexpr Move place_resource(int colour, int resource) {
        return {static_cast<std::uint8_t>(Rules::cells * colour + Rules::city_cells + resource)};
    }

    // --- The board ---
    static constexpr std::uint32_t all_resources = (std::uint32_t{1} << Rules::resource_cells) - 1;
    static constexpr std::uint32_t all_cities = (std::uint32_t{1} << Rules::city_cells) - 1;
    std::uint32_t resources(int colour) const { return resources_[colour]; }
    std::uint32_t empty_resources() const {
        return all_resources & ~(resources_[0] | resources_[1] | resources_[2] | resources_[3]);
    }
    std::uint32_t cities_of(Player player) const { return player == 0 ? cities_ & ~black_ : black_; }
    std::uint32_t empty_cities() const { return all_cities & ~cities_; }
    // The colour and the owner of a city on the board.
    int city_colour(int city) const { return city_colours_[city]; }
    Player city_owner(int city) const { return static_cast<Player>(black_ >> city & 1); }
    // The number of resources of each colour that touch a city cell, four bits a colour.
    std::uint32_t around(int city) const { return around_[city]; }
    static constexpr int count(std::uint32_t around, int colour) { return around >> (4 * colour) & 15; }
    static constexpr std::uint32_t all_different = 0x1111;
    // The same with three bits a colour, enough to count to four: an index for tables.
    static constexpr std::size_t packings = 1 << 12;
    static constexpr std::size_t packed(std::uint32_t around) {
        return (around & 7) | (around >> 1 & 0x38) | (around >> 2 & 0x1c0) | (around >> 3 & 0xe00);
    }
    static constexpr int city_points(std::uint32_t around, int colour) {
        return around == all_different ? Rules::divercite : count(around, colour);
    }
    int points(Player player) const { return points_[player]; }
    // Points by the rules; with the course's program, the final points include the tie-break.
    std::array<int, 2> scores() const;

    // --- The hands ---
    // Counts of four bits each: cities by colour, then resources by colour.
    std::uint32_t hand(Player player) const { return hands_[player]; }
    int cities_left(Player player, int colour) const { return in_hand(hands_[player], colour, true); }
    int resources_left(Player player, int colour) const { return in_hand(hands_[player], colour, false); }

    std::string text() const;
    static Divercite from_text(const Rules* rules, std::string_view text);
    static std::string move_text(Move move);
    // Parses `Re4`, or the course's format, a piece with row and column from 0: `RC,3,4` or `RC (3, 4)`.
    Move parse_move(std::string_view text) const;
    std::string diagram() const;

    void encode(std::span<std::uint8_t> input) const;
    void policy_indices(Move move, PolicyIndices& indices) const {
        const auto place = divercite_board::tables.places[move.code % Rules::cells];
        const int plane = colour(move) + (is_city(move) ? 0 : Rules::colours);
        indices.push_back(static_cast<std::uint32_t>((plane * Rules::grid + place.u) * Rules::grid + place.v));
    }
    // The points of each city, negative for the opponent's.
    static constexpr int ending_planes = 1;
    static constexpr float ending_scale = 1.0f / Rules::divercite;
    void describe_ending(Player mover, std::span<std::int8_t> planes) const;
    Divercite transformed(int g) const;
    Move transformed(Move move, int g) const;

    // A key that is equal for all positions that are symmetric to each other by board and colours, and the symmetry
    // that maps this position to the canonical one.
    struct Canonical {
        std::uint64_t key;
        int symmetry;
    };
    Canonical canonical() const;
    // Later positions are too many and seldom symmetric to each other.
    static constexpr int symmetric_plies = 6;
    static std::uint32_t turned_code(std::uint32_t code, int g);
    static int inverse(int g);

    bool operator==(const Divercite& other) const {
        return key_ == other.key_ && resources_ == other.resources_ && cities_ == other.cities_ &&
               black_ == other.black_ && city_colours_ == other.city_colours_ && hands_ == other.hands_;
    }

private:
    // The number of moves that place a city, and of moves that place a resource.
    struct Choices {
        std::uint32_t city_colours, resource_colours;  // colours in the mover's hand; bit 4 * colour
        int with_cities, with_resources;
    };
    Choices choices() const;
    // The tie-break for White: the sign of the first difference, and the rung where it occurs.
    struct Ladder {
        int sign;
        std::string_view rung;
        bool is_last_of_framework;  // the rung of twos, where the course's program errs
    };
    Ladder climb() const;

    static constexpr int shift_of(int colour, bool city) { return 4 * (colour + (city ? 0 : Rules::colours)); }
    static constexpr int in_hand(std::uint32_t hand, int colour, bool city) {
        return static_cast<int>(hand >> shift_of(colour, city) & 15);
    }
    static constexpr std::uint32_t full_hand = 0x33332222;

    static constexpr auto zobrist = zobrist_numbers<Rules::colours*(Rules::resource_cells + 2 * Rules::city_cells + 4)>(
        rules_id("divercite", "pieces"));
    static std::uint64_t resource_key(int resource, int colour) {
        return zobrist[static_cast<std::size_t>(resource * Rules::colours + colour)];
    }
    static std::uint64_t city_key(int city, int colour, Player owner) {
        return zobrist[static_cast<std::size_t>((Rules::resource_cells + 2 * city + owner) * Rules::colours + colour)];
    }
    // The key of White's resources in hand; the rest of both hands follows from the board.
    static std::uint64_t hand_key(int colour, int left) {
        return zobrist[static_cast<std::size_t>(
            (Rules::resource_cells + 2 * Rules::city_cells + left) * Rules::colours + colour)];
    }

    void put_city(int city, int colour, Player owner);
    void put_resource(int resource, int colour);

    const Rules* rules_;
    std::uint64_t key_ = 0;
    std::array<std::uint32_t, Rules::colours> resources_{};
    std::array<std::uint32_t, 2> hands_{full_hand, full_hand};
    std::uint16_t cities_ = 0;
    std::uint16_t black_ = 0;  // cities of the second player
    std::array<std::uint16_t, Rules::city_cells> around_{};
    std::array<std::uint8_t, Rules::city_cells> city_colours_{};
    std::array<std::int8_t, 2> points_{};
    std::int8_t ply_ = 0;
};

inline void Divercite::put_city(int city, int colour, Player owner) {
    const auto bit = static_cast<std::uint16_t>(1 << city);
    cities_ |= bit;
    if (owner == 1) black_ |= bit;
    city_colours_[city] = static_cast<std::uint8_t>(colour);
    points_[owner] = static_cast<std::int8_t>(points_[owner] + city_points(around_[city], colour));
    key_ ^= city_key(city, colour, owner);
}

inline void Divercite::put_resource(int resource, int colour) {
    resources_[colour] |= std::uint32_t{1} << resource;
    key_ ^= resource_key(resource, colour);
    const auto added = static_cast<std::uint16_t>(1 << (4 * colour));
    for (int i = 0; i < divercite_board::tables.city_count_of[resource]; ++i) {
        const int city = divercite_board::tables.cities_of[resource][i];
        const std::uint16_t before = around_[city];
        around_[city] = static_cast<std::uint16_t>(before + added);
        if (!(cities_ >> city & 1)) continue;
        auto& points = points_[city_owner(city)];
        const int own = city_colours_[city];
        points = static_cast<std::int8_t>(points + city_points(around_[city], own) - city_points(before, own));
    }
}

inline void Divercite::play(Move move) {
    const int colour = Divercite::colour(move), index = Divercite::index(move);
    const Player mover = to_move();
    if (is_city(move)) {
        put_city(index, colour, mover);
        hands_[mover] -= std::uint32_t{1} << shift_of(colour, true);
    } else {
        put_resource(index, colour);
        if (mover == 0) {
            const int left = resources_left(0, colour);
            key_ ^= hand_key(colour, left) ^ hand_key(colour, left - 1);
        }
        hands_[mover] -= std::uint32_t{1} << shift_of(colour, false);
    }
    ++ply_;
}

inline Divercite::Choices Divercite::choices() const {
    // Sets the lowest bit of every group of four bits that is not 0.
    const std::uint32_t hand = hands_[to_move()];
    const std::uint32_t held = (hand | hand >> 1 | hand >> 2) & 0x11111111;
    const std::uint32_t cities = held & 0xffff, resources = held >> 16;
    return {cities, resources, std::popcount(cities) * std::popcount(empty_cities()),
            std::popcount(resources) * std::popcount(empty_resources())};
}

inline Divercite::Move Divercite::random_move(Random& random) const {
    const Choices choices = this->choices();
    auto draw =
        static_cast<int>(random.below(static_cast<std::uint32_t>(choices.with_cities + choices.with_resources)));
    const bool is_city = draw < choices.with_cities;
    if (!is_city) draw -= choices.with_cities;
    const std::uint32_t cells = is_city ? empty_cities() : empty_resources();
    const std::uint32_t colours = is_city ? choices.city_colours : choices.resource_colours;
    const int count = std::popcount(cells);
    const int colour = nth_bit(colours, draw / count) / 4, cell = nth_bit(cells, draw % count);
    return is_city ? place_city(colour, cell) : place_resource(colour, cell);
}

}  // namespace joute
