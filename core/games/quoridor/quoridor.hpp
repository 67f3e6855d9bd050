#pragma once

// Quoridor for two players on 9x9, with ten walls each.
//
// White starts on e1 and wins on row 9, Black starts on e9 and wins on row 1. A turn is a pawn move or a wall, which
// must leave both pawns a path to their goals. Reference: the published rules (Gigamic 1997), with the modern rule for
// jumps: around the corner only if the straight jump is blocked.
//
// `rules=course` is the program of INF8215 (Polytechnique Montréal, autumn 2021): its path search treats the other pawn
// as an obstacle, so it refuses some walls that leave a path; and only a goal ends a game.

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "../../base/bits.hpp"
#include "../../game.hpp"
#include "board.hpp"
#include "course.hpp"

namespace joute {

struct QuoridorRules {
    enum class Variant : std::uint8_t { standard, course };

    static constexpr int walls_each = 10;
    // For the standard rules, as in KataQuoridor. A goal reached on the last ply wins.
    static constexpr int ply_limit = 300, repetitions = 3;

    Variant variant = Variant::standard;
    bool null_move = false;  // lets a player without walls "place" one, which passes the turn: the course's error

    static const QuoridorRules* find(std::string_view text);
    static std::span<const RuleOption> options();
    std::string text() const;
    std::uint64_t id() const { return id_; }

    // The planes: own and other pawn, horizontal and vertical walls at their anchors; own and other walls in hand; the
    // steps to the own and to the other goal row from each cell; plies until the game is drawn.
    static constexpr int planes = 9;
    InputShape input_shape() const { return {planes, quoridor_board::side, quoridor_board::side}; }
    // Walls in hand are shares of the first hand, steps and plies are shares of what is long.
    static constexpr float plane_scale(int plane) {
        constexpr std::array<float, planes> scales{
            1, 1, 1, 1, 1.0f / walls_each, 1.0f / walls_each, 1.0f / 16, 1.0f / 16, 1.0f / 255};
        return scales[static_cast<std::size_t>(plane)];
    }
    // The policy: cells to enter, horizontal walls, vertical walls by their anchors. Planes of the board, so that a
    // network needs no dense layer for them.
    int policy_size() const { return 3 * quoridor_board::cells; }
    int symmetry_count() const { return 2; }  // identity, mirror
    int map_input(int index, int g) const;
    int map_policy(int index, int g) const;

private:
    std::uint64_t id_ = 0;
};

class Quoridor {
public:
    using Rules = QuoridorRules;
    using Cells = quoridor_board::Cells;
    using Walls = quoridor_board::Walls;
    using Ways = quoridor_board::Ways;

    // 0 to 80: the pawn moves to this cell; then horizontal walls by anchor, then vertical walls.
    struct Move {
        std::uint8_t code;
        bool operator==(const Move&) const = default;
    };
    static constexpr std::uint8_t first_horizontal = quoridor_board::cells,
                                  first_vertical = first_horizontal + quoridor_board::anchors;

    static constexpr std::string_view name = "quoridor";
    static constexpr std::size_t max_moves = 133;
    // All moves; the candidates of the engine; and the listings of the course and its paper, in their order.
    static constexpr int candidates = 1, first_listing = 2;
    static constexpr auto generators = [] {
        std::array<std::string_view, first_listing + quoridor_course::listings.size()> names{"all", "candidates"};
        for (std::size_t i = first_listing; i < names.size(); ++i)
            names[i] = quoridor_course::listings[i - first_listing].name;
        return names;
    }();
    static constexpr bool complete = true;
    static constexpr bool repeats = true;
    static constexpr bool has_chance = false;
    using Offers = OfferList<offer::Codes, offer::MoveCode, offer::MoveHints, offer::NullMove, offer::MoveCount,
                             offer::SharedSymmetries, offer::EndingPlanes, offer::ListsEveryMove>;

    explicit Quoridor(const Rules* rules);

    const Rules* rules() const { return rules_; }
    Player to_move() const { return ply_ & 1; }
    int ply() const { return ply_; }
    // Plies since the last wall. Walls stay, so a wall is an irreversible move.
    int reversible_plies() const { return since_wall_; }
    // The board and the player to move.
    std::uint64_t repetition_key() const { return key_; }
    int repetitions_to_draw() const { return rules_->variant == Rules::Variant::standard ? Rules::repetitions : 0; }
    // Includes the ply near the ply limit, where the value of a position depends on it.
    std::uint64_t key() const { return key_ ^ ply_key(); }
    std::uint64_t recompute_key() const { return board_key() ^ ply_key(); }

    bool is_terminal() const {
        return pawns_[0] >= quoridor_board::cells - quoridor_board::side || pawns_[1] < quoridor_board::side ||
               (ply_ >= Rules::ply_limit && rules_->variant == Rules::Variant::standard);
    }
    Result result() const;
    Result result_if_stopped() const;

    void generate(MoveList<Quoridor>& moves, int generator = 0) const {
        if (generator >= first_listing)
            return list(quoridor_course::listings[static_cast<std::size_t>(generator - first_listing)], moves);
        for (Cells rest = pawn_moves(); rest; rest &= rest - 1)
            moves.push_back({static_cast<std::uint8_t>(quoridor_board::lowest(rest))});
        const Walls walls = listed_walls(generator == candidates ? candidate_places() : ~Walls{});
        for (std::uint64_t rest = walls.horizontal; rest; rest &= rest - 1)
            moves.push_back(horizontal(std::countr_zero(rest)));
        for (std::uint64_t rest = walls.vertical; rest; rest &= rest - 1)
            moves.push_back(vertical(std::countr_zero(rest)));
    }
    // Steps ahead, then walls that lengthen the opponent's path, then walls that close one of several shortest paths.
    // The numbers are the first ones tried.
    static constexpr std::uint8_t hint_ahead = 4, hint_severing = 2, hint_closing = 1;
    void hint_at(const MoveList<Quoridor>& moves, FixedList<std::uint8_t, max_moves>& hints) const;
    std::size_t move_count() const {
        return static_cast<std::size_t>(quoridor_board::count(pawn_moves()) + listed_walls().count());
    }
    // With null_move, all walls that only pass the turn are equivalent, so only one is listed; the referee accepts any.
    bool lists_every_move() const { return !rules_->null_move; }
    bool is_legal(Move move) const;
    Move random_move(Random& random) const;
    void play(Move move);
    void play_null() {
        key_ ^= black_moves;
        since_wall_ = 0;  // no repetition is counted across it
        ++ply_;
    }

    static constexpr std::size_t codes = first_vertical + quoridor_board::anchors;
    std::uint32_t code(Move move) const { return move.code; }
    std::uint32_t move_code(Move move) const { return move.code; }

    // --- Moves ---
    static constexpr Move step(int cell) { return {static_cast<std::uint8_t>(cell)}; }
    static constexpr Move horizontal(int anchor) { return {static_cast<std::uint8_t>(first_horizontal + anchor)}; }
    static constexpr Move vertical(int anchor) { return {static_cast<std::uint8_t>(first_vertical + anchor)}; }
    static constexpr bool is_step(Move move) { return move.code < first_horizontal; }
    static constexpr bool is_horizontal(Move move) { return move.code < first_vertical; }  // for walls only
    static constexpr int anchor(Move move) {
        return move.code - (is_horizontal(move) ? first_horizontal : first_vertical);
    }
    Cells pawn_moves() const { return ways_.pawn_moves(pawns_[to_move()], pawns_[opponent(to_move())]); }
    // The legal walls for a player with walls in hand, restricted to the places `among`.
    Walls placeable_walls(const Walls& among = ~Walls{}) const;

    // The places where a wall is most likely to matter: on a shortest path of the opponent, touching another wall, or
    // next to a pawn.
    Walls candidate_places() const;

    // --- The board ---
    int pawn(Player player) const { return pawns_[player]; }
    int walls_left(Player player) const { return walls_left_[player]; }
    const Walls& walls() const { return walls_; }
    const Ways& ways() const { return ways_; }
    static constexpr Cells goal(Player player) {
        return quoridor_board::row(player == 0 ? quoridor_board::side - 1 : 0);
    }
    // The length of the shortest path to the goal, ignoring the other pawn.
    int distance(Player player) const { return ways_.distance(quoridor_board::bit(pawns_[player]), goal(player)); }

    // `//e1e9/10-10/0`: horizontal walls, vertical walls, the two pawns, walls in hand, plies played.
    std::string text() const;
    static Quoridor from_text(const Rules* rules, std::string_view text);
    // `e2` for a cell, `e3h` or `e3v` for a wall, named by the cell next to its anchor that is closest to a1.
    static std::string move_text(Move move);
    // Also parses the course's format, `('WH', 2, 4)` or `WH,2,4`, and after `kata:` the format of KataQuoridor and
    // OpenSpiel, whose rows count from the other side.
    Move parse_move(std::string_view text) const;
    std::string diagram() const;

    void encode(std::span<std::uint8_t> input) const;
    void policy_indices(Move move, PolicyIndices& indices) const;
    // The steps to the mover's goal row and to the opponent's from each cell, 0 for cells without a path.
    static constexpr int ending_planes = 2;
    static constexpr float ending_scale = 1.0f / 16;
    void describe_ending(Player mover, std::span<std::int8_t> planes) const;
    Quoridor transformed(int g) const;
    Move transformed(Move move, int g) const;

    struct Canonical {
        std::uint64_t key;
        int symmetry;
    };
    Canonical canonical() const;
    // Mirrored positions hardly ever occur later.
    static constexpr int symmetric_plies = 8;
    static std::uint32_t turned_code(std::uint32_t code, int g);
    static int inverse(int g) { return g; }

    bool operator==(const Quoridor& other) const {
        return key_ == other.key_ && ply_ == other.ply_ && pawns_ == other.pawns_ && walls_ == other.walls_ &&
               walls_left_ == other.walls_left_;
    }

private:
    static constexpr auto zobrist =
        zobrist_numbers<2 * quoridor_board::cells + 2 * quoridor_board::anchors + Rules::walls_each + 2>(
            rules_id("quoridor", "board"));
    static std::uint64_t pawn_key(Player player, int cell) {
        return zobrist[static_cast<std::size_t>(quoridor_board::cells * player + cell)];
    }
    static std::uint64_t wall_key(Move wall) {
        return zobrist[static_cast<std::size_t>(quoridor_board::cells + wall.code)];
    }
    // The key of White's walls in hand; Black's follow from the board.
    static std::uint64_t hand_key(int left) {
        return zobrist[static_cast<std::size_t>(2 * quoridor_board::cells + 2 * quoridor_board::anchors + left)];
    }
    static constexpr std::uint64_t black_moves = zobrist.back();
    // Within this many plies of the limit, a win may come too late. Races of 88 plies have been seen.
    static constexpr int plies_in_key = 120;
    std::uint64_t ply_key() const {
        if (ply_ < Rules::ply_limit - plies_in_key || rules_->variant != Rules::Variant::standard) [[likely]]
            return 0;
        return mix64(static_cast<std::uint64_t>(ply_));
    }

    std::uint64_t board_key() const;
    void put_wall(Move wall);
    bool is_on_goal(Player player) const { return goal(player) >> pawns_[player] & 1; }
    Ways ways_after(Move wall) const {
        Ways ways = ways_;
        is_horizontal(wall) ? ways.close_horizontal(anchor(wall)) : ways.close_vertical(anchor(wall));
        return ways;
    }
    // Whether paths exist under the rules in use.
    bool has_way(Player player, const Ways& ways) const;
    bool leaves_ways(Move wall) const;
    // All shortest paths of the opponent, with `closing`. The last ones are kept, because a search lists candidates and
    // then asks for their hints.
    const quoridor_board::Routes& opponent_routes() const;
    Walls listed_walls(const Walls& among = ~Walls{}) const;
    void list(const quoridor_course::Listing& listing, MoveList<Quoridor>& moves) const;

    const Rules* rules_;
    std::uint64_t key_ = 0;
    Ways ways_;
    Walls walls_;
    std::int32_t ply_ = 0;  // unlimited under the course's rules
    std::int32_t since_wall_ = 0;
    std::array<std::uint8_t, 2> pawns_;
    std::array<std::uint8_t, 2> walls_left_{Rules::walls_each, Rules::walls_each};
};

inline void Quoridor::put_wall(Move wall) {
    const int anchor = Quoridor::anchor(wall);
    if (is_horizontal(wall)) {
        walls_.horizontal |= std::uint64_t{1} << anchor;
        ways_.close_horizontal(anchor);
    } else {
        walls_.vertical |= std::uint64_t{1} << anchor;
        ways_.close_vertical(anchor);
    }
    key_ ^= wall_key(wall);
}

inline void Quoridor::play(Move move) {
    const Player mover = to_move();
    ++since_wall_;
    if (is_step(move)) {
        key_ ^= pawn_key(mover, pawns_[mover]) ^ pawn_key(mover, move.code);
        pawns_[mover] = move.code;
    } else if (walls_left_[mover] > 0) [[likely]] {
        put_wall(move);
        if (mover == 0) key_ ^= hand_key(walls_left_[0]) ^ hand_key(walls_left_[0] - 1);
        --walls_left_[mover];
        since_wall_ = 0;
    }
    key_ ^= black_moves;
    ++ply_;
}

inline Quoridor::Move Quoridor::random_move(Random& random) const {
    const Cells steps = pawn_moves();
    const int step_count = quoridor_board::count(steps);
    const auto nth_step = [&](int n) {
        Cells rest = steps;
        for (; n > 0; --n) rest &= rest - 1;
        return step(quoridor_board::lowest(rest));
    };
    if (walls_left_[to_move()] == 0 && !rules_->null_move)
        return nth_step(static_cast<int>(random.below(static_cast<std::uint32_t>(step_count))));
    // Walls that cut off a path are rare: draw again.
    const bool passes = walls_left_[to_move()] == 0;
    const Walls free = passes ? listed_walls() : quoridor_board::free_places(walls_);
    const int horizontals = std::popcount(free.horizontal);
    for (;;) {
        int draw = static_cast<int>(random.below(static_cast<std::uint32_t>(step_count + free.count())));
        if (draw < step_count) return nth_step(draw);
        draw -= step_count;
        const Move wall = draw < horizontals ? horizontal(nth_bit(free.horizontal, draw))
                                             : vertical(nth_bit(free.vertical, draw - horizontals));
        if (leaves_ways(wall)) return wall;
    }
}

}  // namespace joute
