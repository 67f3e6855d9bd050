#pragma once

// What a game is.
//
// Searches, playouts, bindings and tests are templates over the concepts below and know no game by
// name: `Playable` is all that a search may ask of a position, `Game` adds rules and text, and
// `NetworkGame` what a neural network needs. To add a game, write one class that models it
// (core/games/connect4/connect4.hpp is the example to read), say in one file how Python sees it (bind.hpp beside it),
// and draw it in Python (src/joute/games/connect4/state.py). Nothing else changes. CONTRIBUTING.md walks through it.
//
// Three classes make a game:
//
//   State   a position. A value: copying it is how a search takes a move back, so it should be small
//           and hold no heap memory in ordinary positions.
//   Move    what a player may do. At most 64 bytes, trivially copyable, no member initialisers
//           (a list of moves is left uninitialised until it is filled).
//   Rules   variant and geometry: what stays the same during a game. Interned and never freed
//           (core/rules.hpp), so that a State may point to it at no cost.
//
// Rules that hold for every game:
//
//   * Never assume alternation. A value changes sign where `to_move` changes and nowhere else.
//   * A random event is a *chance state*, reached by `play`: `is_chance()` is true, `outcomes` lists
//     the probabilities, `resolve(i)` picks one. One event is pending at a time; an event that leads
//     to another leaves another chance state. `to_move` is then the player whose move caused it.
//   * Repetition is not part of a State: who needs it keeps a stack of repetition keys, and `reversible_plies`
//     says how far back to look. A game in progress keeps it (core/history.hpp), and so does the line of a search
//     (search/line_keys.hpp).
//   * Players are 0 (first) and 1 (second). Results are from the first player's view.

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/fixed_list.hpp"
#include "base/random.hpp"
#include "offers.hpp"
#include "rules.hpp"

namespace joute {

using Player = int;

constexpr Player opponent(Player player) { return 1 - player; }

// How a game ended, for the first player. Rewards, ratings and training targets derive from it.
struct Result {
    int outcome = 0;              // +1 the first player won, 0 draw, -1 the second player won
    int score = 0;                // orders results finer than the outcome, tie-breaks included
    int margin = 0;               // the plain difference players speak of (towers, points, discs left)
    std::string_view decided_by;  // in the players' words; points to storage that is never freed

    int outcome_for(Player player) const { return player == 0 ? outcome : -outcome; }
    // What a course calls the score of a game: the margin, or where it is level what breaks the tie.
    int points() const { return margin ? margin : score; }
    bool operator==(const Result&) const = default;
};

// How a game ends that its rules call a draw because a position came back.
constexpr Result drawn_by_repetition{.outcome = 0, .score = 0, .margin = 0, .decided_by = "repetition"};

// The repetition keys of the positions that a game came by since its last irreversible move, oldest first.
using Past = std::span<const std::uint64_t>;

template <class S>
using MoveList = FixedList<typename S::Move, S::max_moves>;

template <class Move>
concept MoveType = std::is_trivially_copyable_v<Move> && std::is_trivially_default_constructible_v<Move> &&
                   std::equality_comparable<Move> && sizeof(Move) <= 64;

// What a game in which positions come back tells of it.
template <class S>
concept KnowsRepetition = requires(const S& state) {
    // The same wherever the same player is to move in the same position: unlike `key`, it never counts plies.
    { state.repetition_key() } -> std::same_as<std::uint64_t>;
    // The occurrence of a position at which the rules call the game a draw; 0 where they do not.
    { state.repetitions_to_draw() } -> std::same_as<int>;
};

// All that a search may ask of a position.
template <class S>
concept Playable =
    std::copyable<S> && MoveType<typename S::Move> &&
    requires(const S& state, S& mutable_state, typename S::Move move, MoveList<S>& moves, Random& random) {
        // --- What is known at compile time ---
        // `Offers`, an OfferList: what the game offers besides (offers.hpp).
        requires ListsOffers<S>;
        // The most moves that `generate` may list, of any generator.
        { S::max_moves } -> std::convertible_to<std::size_t>;
        // Names of the generators. The first is the default; a search may ask for another by index.
        { S::generators[0] } -> std::convertible_to<std::string_view>;
        // Whether the default generator lists every legal move.
        { S::complete } -> std::convertible_to<bool>;
        // Whether a position can come back; then it models `KnowsRepetition`. Other games pay nothing for repetition.
        { S::repeats } -> std::convertible_to<bool>;
        requires !S::repeats || KnowsRepetition<S>;
        // Whether the game has chance states; then it models `ChancePlayable` below.
        { S::has_chance } -> std::convertible_to<bool>;

        // --- The position ---
        { state.to_move() } -> std::same_as<Player>;
        { state.ply() } -> std::same_as<int>;  // moves played since the start
        // How many of the last plies can be undone by play: how far back a repetition may lie. 0 after a move that
        // cannot; one more after every other.
        { state.reversible_plies() } -> std::same_as<int>;
        { state.key() } -> std::same_as<std::uint64_t>;

        // --- The end ---
        { state.is_terminal() } -> std::same_as<bool>;
        { state.result() } -> std::same_as<Result>;  // of a terminal state
        // What the game is worth if the clock or a ply limit stops it here: the referee's question.
        { state.result_if_stopped() } -> std::same_as<Result>;

        // --- Moves; asked only of states that are neither terminal nor chance ---
        { state.generate(moves, 0) } -> std::same_as<void>;  // by generator; appends, without duplicates
        { state.is_legal(move) } -> std::same_as<bool>;      // exact, for any move, in any state
        // Uniform over the default generator's moves, without listing them where that is faster.
        { state.random_move(random) } -> std::same_as<typename S::Move>;
        { mutable_state.play(move) } -> std::same_as<void>;  // a legal move; not checked
        // A number for the tables of history, killers, AMAF, MAST and NRPA. Moves with the same
        // effect share it across positions; moves of one position never do. Tables are kept for each
        // player apart, so it need not tell who moves.
        { state.code(move) } -> std::same_as<std::uint32_t>;
    };

// A Playable with random events.
template <class S>
using OutcomeList = FixedList<double, S::max_outcomes>;

template <class S>
concept ChancePlayable =
    Playable<S> && S::has_chance && requires(const S& state, S& mutable_state, OutcomeList<S>& outcomes) {
        { state.is_chance() } -> std::same_as<bool>;
        { state.outcomes(outcomes) } -> std::same_as<void>;  // appends the probabilities; they sum to 1
        { mutable_state.resolve(0) } -> std::same_as<void>;
    };

template <class R>
concept RulesType = requires(const R& rules, std::string_view text) {
    // The interned rules of "key=value,…"; "" is the default. Throws TextError.
    { R::find(text) } -> std::same_as<const R*>;
    // Every option, for help and validation.
    { R::options() } -> std::same_as<std::span<const RuleOption>>;
    // The canonical text, defaults left out: find(text()) == this.
    { rules.text() } -> std::convertible_to<std::string>;
    // Seeds every position's key, so that variants never share table entries.
    { rules.id() } -> std::same_as<std::uint64_t>;
};

// A whole game: what a search asks, and what people and files need besides.
template <class S>
concept Game = Playable<S> && std::equality_comparable<S> && RulesType<typename S::Rules> &&
               requires(const S& state, typename S::Move move, const typename S::Rules* rules, std::string_view text) {
                   { S::name } -> std::convertible_to<std::string_view>;
                   S(rules);  // the start position
                   { state.rules() } -> std::same_as<const typename S::Rules*>;
                   // The key computed from nothing but the board: what tests compare an incremental key with.
                   { state.recompute_key() } -> std::same_as<std::uint64_t>;
                   // The position in the game's public notation, and back. Throws TextError.
                   { state.text() } -> std::same_as<std::string>;
                   { S::from_text(rules, text) } -> std::same_as<S>;
                   { S::move_text(move) } -> std::same_as<std::string>;
                   // Reads a move; it need not be legal. Throws TextError.
                   { state.parse_move(text) } -> std::same_as<typename S::Move>;
                   // The board for a person to read, several lines, no final newline.
                   { state.diagram() } -> std::same_as<std::string>;
               };

// A game in which a player may lose a turn (on timeout). Only the referee passes.
template <class S>
concept PassingGame = Game<S> && requires(S& state) {
    { state.pass_turn() } -> std::same_as<void>;
};

// A game that looks the same from several sides. Symmetry 0 is the identity; symmetry g takes a state to transformed(g)
// and a move to transformed(move, g).
template <class S>
concept SymmetricGame =
    Game<S> && requires(const S& state, typename S::Move move, const typename S::Rules& rules, int g) {
        { rules.symmetry_count() } -> std::same_as<int>;
        { state.transformed(g) } -> std::same_as<S>;
        { state.transformed(move, g) } -> std::same_as<typename S::Move>;
    };

// A game that networks can play. Input is `planes * rows * columns` bytes, plane by plane, row by
// row, from the mover's view; the policy is a list of logits. A move owns one or more policy indices
// and its logit is their sum.
struct InputShape {
    int planes, rows, columns;
    int size() const { return planes * rows * columns; }
    bool operator==(const InputShape&) const = default;
};

using PolicyIndices = FixedList<std::uint32_t, 16>;

// Symmetry g moves a piece of input from flat index i to map_input(i, g), a policy index p to map_policy(p, g).
template <class S>
concept NetworkGame =
    SymmetricGame<S> && requires(const S& state, typename S::Move move, const typename S::Rules& rules,
                                 std::span<std::uint8_t> input, PolicyIndices& indices, int g) {
        { rules.input_shape() } -> std::same_as<InputShape>;
        { rules.policy_size() } -> std::same_as<int>;
        { rules.map_input(g, g) } -> std::same_as<int>;
        { rules.map_policy(g, g) } -> std::same_as<int>;
        { state.encode(input) } -> std::same_as<void>;
        { state.policy_indices(move, indices) } -> std::same_as<void>;
    };

// The most policy indices of a move.
template <class S>
constexpr int policy_parts = 1;
template <HasPolicyParts S>
constexpr int policy_parts<S> = S::policy_parts;

// --- Tables by move code ---

// How many slots a table by move code has for each player, and the slot of a code.
template <Playable S>
constexpr std::size_t code_slots = 1024;
template <Playable S>
    requires HasCodes<S>
constexpr std::size_t code_slots<S> = S::codes;

template <Playable S>
std::size_t code_slot(std::uint32_t code) {
    if constexpr (HasCodes<S>)
        return code;
    else
        return mix64(code) % code_slots<S>;
}

// --- Helpers that make games without chance cost nothing ---

template <Playable S>
bool is_chance(const S& state) {
    if constexpr (S::has_chance)
        return state.is_chance();
    else
        return false;
}

// Constants of most games; where they depend on the rules, as for a game written in Python, the state knows them.
template <Playable S>
bool may_have_chance(const S& state) {
    if constexpr (HasMayHaveChance<S>)
        return state.may_have_chance();
    else
        return S::has_chance;
}
template <Playable S>
bool lists_every_move(const S& state) {
    if constexpr (HasListsEveryMove<S>)
        return state.lists_every_move();
    else
        return S::complete;
}

template <Playable S>
bool may_repeat(const S& state) {
    if constexpr (HasMayRepeat<S>)
        return state.may_repeat();
    else
        return S::repeats;
}

// The outcome that a draw `u`, uniform in [0, 1), picks.
template <ChancePlayable S>
int pick_outcome(const S& state, double u) {
    OutcomeList<S> outcomes;
    state.outcomes(outcomes);
    int last_possible = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i] <= 0) continue;
        last_possible = static_cast<int>(i);
        if (u < outcomes[i]) return last_possible;
        u -= outcomes[i];
    }
    return last_possible;  // rounding left a crumb
}

// Draws outcomes until a player is to move or the game is over.
template <Playable S>
void settle_chance(S& state, Random& random) {
    if constexpr (S::has_chance)
        while (state.is_chance()) state.resolve(pick_outcome(state, random.uniform()));
}

}  // namespace joute
