#pragma once

// Dice race, a toy game with chance nodes: players in turn either `step` one forward or `roll` a die that gives 0, 2 or
// 3 with probabilities 1/2, 1/3 and 1/6. The first player to reach `target` wins. After two rolls of 0 a position
// repeats; with `draw`, the game is a draw at that occurrence of a position.
//
// A position is `first-second-mover-ply`, with `-rolling` while a roll is pending: `3-5-second-9`.

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "game.hpp"

namespace joute {

struct DiceRules {
    int target = 7;
    int draw = 0;

    static constexpr std::array<RuleOption, 2> all_options{
        RuleOption{"target", "7", "1..50", "the number of steps that wins"},
        RuleOption{"draw", "0", "0..9", "the occurrence of a position that draws; 0 for none"}};

    static const DiceRules* find(std::string_view text) {
        DiceRules rules;
        parse_options(text, [&](std::string_view key, std::string_view value) {
            if (key != "target" && key != "draw")
                throw TextError("dice has no rules option '" + std::string(key) + "'");
            int& option = key == "target" ? rules.target : rules.draw;
            const int low = key == "target" ? 1 : 0, high = key == "target" ? 50 : 9;
            const auto parsed = std::from_chars(value.data(), value.data() + value.size(), option);
            if (parsed.ptr != value.data() + value.size() || option < low || option > high)
                throw TextError(std::string(key) + " must be a whole number from " + std::to_string(low) + " to " +
                                std::to_string(high) + ", not '" + std::string(value) + "'");
        });
        return intern(rules);
    }
    static std::span<const RuleOption> options() { return all_options; }
    std::string text() const {
        std::string text = target == 7 ? "" : "target=" + std::to_string(target);
        if (draw > 0) text += (text.empty() ? "draw=" : ",draw=") + std::to_string(draw);
        return text;
    }
    std::uint64_t id() const { return rules_id("dice", text()); }

    // Three numbers: the mover's steps, the opponent's, the target. The game has no symmetry.
    InputShape input_shape() const { return {3, 1, 1}; }
    int policy_size() const { return 2; }
    int symmetry_count() const { return 1; }
    int map_input(int index, int) const { return index; }
    int map_policy(int index, int) const { return index; }
};

class Dice {
public:
    using Rules = DiceRules;
    struct Move {
        bool roll;
        bool operator==(const Move&) const = default;
    };

    static constexpr std::string_view name = "dice";
    static constexpr std::size_t max_moves = 2;
    static constexpr std::size_t max_outcomes = 3;
    static constexpr std::array<std::string_view, 2> generators{"all", "step-only"};
    static constexpr bool complete = true;
    static constexpr bool repeats = true;
    static constexpr bool has_chance = true;
    using Offers = OfferList<>;
    static constexpr std::array<int, 3> faces{0, 2, 3};

    explicit Dice(const Rules* rules) : rules_(rules), key_(recompute_key()) {}
    const Rules* rules() const { return rules_; }

    Player to_move() const { return mover_; }
    int ply() const { return ply_; }
    int reversible_plies() const { return reversible_plies_; }
    std::uint64_t key() const { return key_; }
    std::uint64_t repetition_key() const { return key_; }
    int repetitions_to_draw() const { return rules_->draw; }
    std::uint64_t recompute_key() const {
        return rules_->id() ^ step_number(0, steps_[0]) ^ step_number(1, steps_[1]) ^ (mover_ ? second_number : 0) ^
               (rolling_ ? rolling_number : 0);
    }

    bool is_terminal() const { return steps_[0] >= rules_->target || steps_[1] >= rules_->target; }
    Result result() const { return result_if_stopped(); }
    Result result_if_stopped() const {
        const int margin = steps_[0] - steps_[1];
        return {.outcome = (margin > 0) - (margin < 0),
                .score = margin,
                .margin = margin,
                .decided_by = is_terminal() ? "target reached" : "stopped"};
    }

    void generate(MoveList<Dice>& moves, int generator = 0) const {
        moves.push_back({false});
        if (generator == 0) moves.push_back({true});
    }
    bool is_legal(Move) const { return !is_terminal() && !rolling_; }
    Move random_move(Random& random) const { return {random.below(2) == 1}; }
    void play(Move move) {
        ++ply_;
        if (move.roll) {
            rolling_ = true;
            key_ ^= rolling_number;
        } else {
            finish_turn(1);
        }
    }
    std::uint32_t code(Move move) const { return move.roll; }
    void pass_turn() {
        ++ply_;
        finish_turn(0);
    }

    bool is_chance() const { return rolling_; }
    void outcomes(OutcomeList<Dice>& list) const {
        for (const double probability : {1.0 / 2, 1.0 / 3, 1.0 / 6}) list.push_back(probability);
    }
    void resolve(int outcome) {
        rolling_ = false;
        key_ ^= rolling_number;
        finish_turn(faces[static_cast<std::size_t>(outcome)]);
    }

    std::string text() const {
        return std::to_string(steps_[0]) + "-" + std::to_string(steps_[1]) + (mover_ ? "-second-" : "-first-") +
               std::to_string(ply_) + (rolling_ ? "-rolling" : "");
    }
    static Dice from_text(const Rules* rules, std::string_view text) {
        std::vector<std::string> parts(1);
        for (const char c : text)
            if (c == '-')
                parts.emplace_back();
            else
                parts.back() += c;
        const auto number = [&](const std::string& digits) {
            int value = -1;
            const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            if (parsed.ptr != digits.data() + digits.size() || value < 0 || value > 1000) throw complaint(text);
            return value;
        };
        const bool rolling = parts.size() == 5 && parts[4] == "rolling";
        if (parts.size() != (rolling ? 5 : 4) || (parts[2] != "first" && parts[2] != "second")) throw complaint(text);
        Dice state(rules);
        state.steps_ = {number(parts[0]), number(parts[1])};
        state.mover_ = parts[2] == "second";
        state.ply_ = number(parts[3]);
        state.rolling_ = rolling;
        if (state.steps_[0] > rules->target + 2 || state.steps_[1] > rules->target + 2) throw complaint(text);
        state.key_ = state.recompute_key();
        return state;
    }
    static std::string move_text(Move move) { return move.roll ? "roll" : "step"; }
    Move parse_move(std::string_view text) const {
        if (text != "roll" && text != "step")
            throw TextError("'" + std::string(text) + "' is not a dice move; moves are step and roll");
        return {text == "roll"};
    }
    std::string diagram() const {
        return "first:  " + std::to_string(steps_[0]) + " of " + std::to_string(rules_->target) +
               "\nsecond: " + std::to_string(steps_[1]) + " of " + std::to_string(rules_->target);
    }

    void encode(std::span<std::uint8_t> input) const {
        input[0] = static_cast<std::uint8_t>(steps_[static_cast<std::size_t>(mover_)]);
        input[1] = static_cast<std::uint8_t>(steps_[static_cast<std::size_t>(opponent(mover_))]);
        input[2] = static_cast<std::uint8_t>(rules_->target);
    }
    void policy_indices(Move move, PolicyIndices& indices) const { indices.push_back(move.roll); }
    Dice transformed(int) const { return *this; }
    Move transformed(Move move, int) const { return move; }

    bool operator==(const Dice& other) const {
        return rules_ == other.rules_ && steps_ == other.steps_ && mover_ == other.mover_ && rolling_ == other.rolling_;
    }

private:
    static constexpr auto numbers = zobrist_numbers<2 * 64 + 2>(1);
    static constexpr std::uint64_t second_number = numbers[128];
    static constexpr std::uint64_t rolling_number = numbers[129];
    static constexpr std::uint64_t step_number(Player player, int steps) {
        return numbers[static_cast<std::size_t>(64 * player + steps)];
    }
    static TextError complaint(std::string_view text) {
        return TextError("'" + std::string(text) + "' is not a dice position such as 3-5-second-9");
    }

    void finish_turn(int advance) {
        int& steps = steps_[static_cast<std::size_t>(mover_)];
        key_ ^= step_number(mover_, steps) ^ step_number(mover_, steps + advance) ^ second_number;
        steps += advance;
        mover_ = opponent(mover_);
        reversible_plies_ = advance == 0 ? reversible_plies_ + 1 : 0;
    }

    const Rules* rules_;
    std::array<int, 2> steps_{};
    Player mover_ = 0;
    int ply_ = 0;
    int reversible_plies_ = 0;
    bool rolling_ = false;
    std::uint64_t key_;
};

static_assert(ChancePlayable<Dice> && NetworkGame<Dice> && PassingGame<Dice>);

}  // namespace joute
