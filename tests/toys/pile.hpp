#pragma once

// Take one or two stones; the player who takes the last one wins. The rules support networks, but neither the searches
// nor the networks are bound: Python must refuse such a game. A position is the number of stones and the ply, `7-0`.

#include <array>
#include <charconv>
#include <string>

#include "game.hpp"

namespace joute {

struct PileRules {
    static const PileRules* find(std::string_view text) {
        static constexpr PileRules rules;
        parse_options(text, [](std::string_view key, std::string_view) {
            throw TextError("pile has no rules option '" + std::string(key) + "'");
        });
        return &rules;
    }
    static std::span<const RuleOption> options() { return {}; }
    std::string text() const { return ""; }
    static constexpr std::uint64_t id() { return rules_id("pile", ""); }

    InputShape input_shape() const { return {1, 1, 1}; }
    int policy_size() const { return 2; }
    int symmetry_count() const { return 1; }
    int map_input(int index, int) const { return index; }
    int map_policy(int index, int) const { return index; }
};

class Pile {
public:
    using Rules = PileRules;
    struct Move {
        std::uint8_t stones;
        bool operator==(const Move&) const = default;
    };

    static constexpr std::string_view name = "pile";
    static constexpr std::size_t max_moves = 2;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = false;
    static constexpr bool has_chance = false;
    using Offers = OfferList<>;

    explicit Pile(const Rules*) {}
    const Rules* rules() const { return Rules::find(""); }

    Player to_move() const { return ply_ & 1; }
    int ply() const { return ply_; }
    int reversible_plies() const { return 0; }
    std::uint64_t key() const { return mix64(static_cast<std::uint64_t>(stones_ * 1000 + ply_) ^ Rules::id()); }
    std::uint64_t recompute_key() const { return key(); }

    bool is_terminal() const { return stones_ == 0; }
    Result result() const { return result_if_stopped(); }
    Result result_if_stopped() const {
        const int outcome = is_terminal() ? (to_move() == 0 ? -1 : 1) : 0;
        return {.outcome = outcome, .score = outcome, .margin = outcome, .decided_by = "stones"};
    }

    void generate(MoveList<Pile>& moves, int = 0) const {
        for (std::uint8_t stones = 1; stones <= 2 && stones <= stones_; ++stones) moves.push_back({stones});
    }
    bool is_legal(Move move) const { return move.stones >= 1 && move.stones <= 2 && move.stones <= stones_; }
    Move random_move(Random& random) const {
        return {static_cast<std::uint8_t>(stones_ == 1 ? 1 : 1 + random.below(2))};
    }
    void play(Move move) {
        stones_ -= move.stones;
        ++ply_;
    }
    std::uint32_t code(Move move) const { return move.stones; }

    std::string text() const { return std::to_string(stones_) + "-" + std::to_string(ply_); }
    static Pile from_text(const Rules* rules, std::string_view text) {
        Pile state(rules);
        const auto stones = std::from_chars(text.data(), text.data() + text.size(), state.stones_);
        const char* end = text.data() + text.size();
        if (stones.ptr == end || *stones.ptr != '-' || std::from_chars(stones.ptr + 1, end, state.ply_).ptr != end)
            throw TextError("'" + std::string(text) + "' is not a pile position such as 7-0");
        return state;
    }
    static std::string move_text(Move move) { return std::to_string(move.stones); }
    Move parse_move(std::string_view text) const {
        if (text != "1" && text != "2") throw TextError("'" + std::string(text) + "' is not a pile move: 1 or 2");
        return {static_cast<std::uint8_t>(text[0] - '0')};
    }
    std::string diagram() const { return std::string(static_cast<std::size_t>(stones_), 'o'); }

    void encode(std::span<std::uint8_t> input) const { input[0] = static_cast<std::uint8_t>(stones_); }
    void policy_indices(Move move, PolicyIndices& indices) const { indices.push_back(move.stones - 1u); }
    Pile transformed(int) const { return *this; }
    Move transformed(Move move, int) const { return move; }

    bool operator==(const Pile&) const = default;

private:
    int stones_ = 7;
    int ply_ = 0;
};

static_assert(NetworkGame<Pile>);

}  // namespace joute
