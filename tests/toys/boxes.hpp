#pragma once

// Dots and boxes on two by two boxes, a toy game in which a player may move twice in a row: a player who closes a box
// owns it and moves again. On the grid of points, edges and boxes,
//
//      + a + b +        5 x 5 points: dots at even/even, boxes at odd/odd,
//      c   d   e        edges in between, lettered row by row
//      + f + g +
//      h   i   j
//      + k + l +
//
// A position is `edges/owners/mover`: twelve of 0 and 1, four of `.`, 0 and 1, then 0 or 1.

#include <array>
#include <bit>
#include <string>

#include "evaluation.hpp"
#include "game.hpp"
#include "square.hpp"

namespace joute {

struct BoxesRules {
    static constexpr int side = 5;
    static constexpr int edges = 12;
    static constexpr int boxes = 4;

    static const BoxesRules* find(std::string_view text) {
        static constexpr BoxesRules rules;
        parse_options(text, [](std::string_view key, std::string_view) {
            throw TextError("boxes has no rules option '" + std::string(key) + "'");
        });
        return &rules;
    }
    static std::span<const RuleOption> options() { return {}; }
    std::string text() const { return ""; }
    static constexpr std::uint64_t id() { return rules_id("boxes", ""); }

    static constexpr bool is_edge(int point) { return (point / side + point % side) % 2 == 1; }
    static constexpr bool is_box(int point) { return point / side % 2 == 1 && point % side % 2 == 1; }
    static constexpr int edge_point(int edge) { return 2 * edge + 1; }  // every other point is an edge
    static constexpr int point_edge(int point) { return point / 2; }
    static constexpr int box_point(int box) { return (2 * (box / 2) + 1) * side + 2 * (box % 2) + 1; }
    static constexpr int point_box(int point) { return point / side / 2 * 2 + point % side / 2; }
    static constexpr std::array<int, 4> edges_around(int box) {
        const int point = box_point(box);
        return {point_edge(point - side), point_edge(point - 1), point_edge(point + 1), point_edge(point + side)};
    }

    // Planes on the points: edges drawn, the mover's boxes, the opponent's.
    InputShape input_shape() const { return {3, side, side}; }
    int policy_size() const { return edges; }
    int symmetry_count() const { return square_symmetries; }
    static constexpr int map_point(int point, int g) { return map_square(point, side, g); }
    int map_input(int index, int g) const {
        const int point = index % (side * side);
        return index - point + map_point(point, g);
    }
    int map_policy(int index, int g) const { return point_edge(map_point(edge_point(index), g)); }
};

class Boxes {
public:
    using Rules = BoxesRules;
    struct Move {
        std::uint8_t edge;
        bool operator==(const Move&) const = default;
    };

    static constexpr std::string_view name = "boxes";
    static constexpr std::size_t max_moves = Rules::edges;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = false;
    static constexpr bool has_chance = false;
    using Offers = OfferList<>;

    explicit Boxes(const Rules*) : key_(recompute_key()) {}
    const Rules* rules() const { return Rules::find(""); }

    Player to_move() const { return mover_; }
    int ply() const { return std::popcount(edges_); }
    int reversible_plies() const { return 0; }
    std::uint64_t key() const { return key_; }
    std::uint64_t recompute_key() const {
        std::uint64_t key = Rules::id() ^ (mover_ ? second_number : 0);
        for (std::size_t edge = 0; edge < Rules::edges; ++edge)
            if (edges_ >> edge & 1) key ^= numbers[edge];
        for (std::size_t i = 0; i < 2 * Rules::boxes; ++i)
            if (owned_[i / Rules::boxes] >> (i % Rules::boxes) & 1) key ^= numbers[Rules::edges + i];
        return key;
    }

    bool is_terminal() const { return ply() == Rules::edges; }
    Result result() const { return result_if_stopped(); }
    Result result_if_stopped() const {
        const int margin = boxes(0) - boxes(1);
        return {.outcome = (margin > 0) - (margin < 0), .score = margin, .margin = margin, .decided_by = "boxes"};
    }
    int boxes(Player player) const { return std::popcount(owned_[static_cast<std::size_t>(player)]); }

    void generate(MoveList<Boxes>& moves, int = 0) const {
        for (std::uint8_t edge = 0; edge < Rules::edges; ++edge)
            if (is_legal({edge})) moves.push_back({edge});
    }
    bool is_legal(Move move) const { return move.edge < Rules::edges && !(edges_ >> move.edge & 1); }
    Move random_move(Random& random) const {
        for (;;) {
            const Move move{static_cast<std::uint8_t>(random.below(Rules::edges))};
            if (is_legal(move)) return move;
        }
    }
    void play(Move move) {
        edges_ |= 1u << move.edge;
        key_ ^= numbers[move.edge];
        const unsigned closed = closed_boxes() & ~(owned_[0] | owned_[1]);
        for (std::size_t box = 0; box < Rules::boxes; ++box)
            if (closed >> box & 1)
                key_ ^= numbers[Rules::edges + static_cast<std::size_t>(mover_) * Rules::boxes + box];
        owned_[static_cast<std::size_t>(mover_)] |= closed;
        if (!closed) {
            mover_ = opponent(mover_);
            key_ ^= second_number;
        }
    }
    std::uint32_t code(Move move) const { return move.edge; }

    std::string text() const {
        std::string text;
        for (int edge = 0; edge < Rules::edges; ++edge) text += edges_ >> edge & 1 ? '1' : '0';
        text += '/';
        for (int box = 0; box < Rules::boxes; ++box) text += owner(box) < 0 ? '.' : static_cast<char>('0' + owner(box));
        return text + (mover_ ? "/1" : "/0");
    }
    static Boxes from_text(const Rules* rules, std::string_view text) {
        const TextError complaint("'" + std::string(text) + "' is not a boxes position such as 110000000000/..../0");
        if (text.size() != 19 || text[12] != '/' || text[17] != '/') throw complaint;
        if (text.substr(0, 12).find_first_not_of("01") != std::string_view::npos ||
            text.substr(13, 4).find_first_not_of(".01") != std::string_view::npos ||
            (text[18] != '0' && text[18] != '1'))
            throw complaint;
        Boxes state(rules);
        for (int edge = 0; edge < Rules::edges; ++edge)
            if (text[static_cast<std::size_t>(edge)] == '1') state.edges_ |= 1u << edge;
        for (int box = 0; box < Rules::boxes; ++box) {
            const char owner = text[static_cast<std::size_t>(13 + box)];
            if (owner != '.') state.owned_[static_cast<std::size_t>(owner - '0')] |= 1u << box;
        }
        if (state.closed_boxes() != (state.owned_[0] | state.owned_[1])) throw complaint;
        state.mover_ = text[18] - '0';
        state.key_ = state.recompute_key();
        return state;
    }
    static std::string move_text(Move move) { return std::string(1, static_cast<char>('a' + move.edge)); }
    Move parse_move(std::string_view text) const {
        if (text.size() != 1 || text[0] < 'a' || text[0] > 'l')
            throw TextError("'" + std::string(text) + "' is not a boxes move; moves are the edges a to l");
        return {static_cast<std::uint8_t>(text[0] - 'a')};
    }
    std::string diagram() const {
        std::string lines;
        for (int point = 0; point < Rules::side * Rules::side; ++point) {
            const int column = point % Rules::side;
            if (Rules::is_edge(point))
                lines += !(edges_ >> Rules::point_edge(point) & 1) ? ' ' : column % 2 ? '-' : '|';
            else
                lines += Rules::is_box(point) ? " XO"[owner(Rules::point_box(point)) + 1] : '+';
            if (column == Rules::side - 1 && point != Rules::side * Rules::side - 1) lines += '\n';
        }
        return lines;
    }

    void encode(std::span<std::uint8_t> input) const {
        constexpr int points = Rules::side * Rules::side;
        for (int point = 0; point < points; ++point) {
            const int owner_here = Rules::is_box(point) ? owner(Rules::point_box(point)) : -1;
            const auto i = static_cast<std::size_t>(point);
            input[i] = Rules::is_edge(point) && (edges_ >> Rules::point_edge(point) & 1);
            input[i + points] = owner_here == mover_;
            input[i + 2 * points] = owner_here == opponent(mover_);
        }
    }
    void policy_indices(Move move, PolicyIndices& indices) const { indices.push_back(move.edge); }
    Move transformed(Move move, int g) const { return {static_cast<std::uint8_t>(rules()->map_policy(move.edge, g))}; }
    Boxes transformed(int g) const {
        Boxes state(rules());
        for (int edge = 0; edge < Rules::edges; ++edge)
            if (edges_ >> edge & 1) state.edges_ |= 1u << rules()->map_policy(edge, g);
        for (int box = 0; box < Rules::boxes; ++box)
            if (owner(box) >= 0)
                state.owned_[static_cast<std::size_t>(owner(box))] |=
                    1u << Rules::point_box(Rules::map_point(Rules::box_point(box), g));
        state.mover_ = mover_;
        state.key_ = state.recompute_key();
        return state;
    }

    bool operator==(const Boxes&) const = default;

private:
    static constexpr auto numbers = zobrist_numbers<Rules::edges + 2 * Rules::boxes + 1>(2);
    static constexpr std::uint64_t second_number = numbers.back();

    int owner(int box) const { return owned_[0] >> box & 1 ? 0 : owned_[1] >> box & 1 ? 1 : -1; }
    unsigned closed_boxes() const {
        unsigned closed = 0;
        for (int box = 0; box < Rules::boxes; ++box) {
            bool all = true;
            for (const int edge : Rules::edges_around(box)) all = all && (edges_ >> edge & 1);
            if (all) closed |= 1u << box;
        }
        return closed;
    }

    unsigned edges_ = 0;
    std::array<unsigned, 2> owned_{};
    Player mover_ = 0;
    std::uint64_t key_;
};

static_assert(NetworkGame<Boxes>);

// The difference in boxes, updated incrementally: the smallest heuristic with an accumulator.
inline constexpr std::array boxes_evaluations{Evaluation<Boxes>{
    .name = "boxes",
    .help = "own boxes minus the opponent's",
    .value = [](const Boxes&, const void* accumulator, const void*, Player for_player) -> double {
        const int margin = *static_cast<const int*>(accumulator);
        return for_player == 0 ? margin : -margin;
    },
    .accumulator_size = sizeof(int),
    .start = [](const Boxes& state, void* accumulator,
                const void*) { *static_cast<int*>(accumulator) = state.boxes(0) - state.boxes(1); },
    .update =
        [](const Boxes& before, Boxes::Move, const Boxes& after, void* accumulator, const void*) {
            const Player mover = before.to_move();
            const int gained = after.boxes(mover) - before.boxes(mover);
            *static_cast<int*>(accumulator) += mover == 0 ? gained : -gained;
        },
}};

}  // namespace joute
