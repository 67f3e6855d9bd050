#pragma once

// The concepts of a game.
//
// Searches, playouts, bindings and tests are templates over these concepts and name no game. `Playable` is all that a
// search uses of a position, `Game` adds rules and text, and `NetworkGame` adds the inputs and outputs of a neural
// network. To add a game, write a class that models `Game` (read core/games/connect4/connect4.hpp as an example), bind
// it to Python in one file (bind.hpp beside it), and draw it in Python (src/joute/games/connect4/state.py). Nothing
// else changes. CONTRIBUTING.md explains each step.
//
// Three classes make a game:
//
//   State   a position, with value semantics: searches copy it instead of undoing moves, so it should be small and hold
//           no heap memory in ordinary positions.
//   Move    an action of a player. At most 64 bytes, trivially copyable, no member initialisers (move lists stay
//           uninitialised until they are filled).
//   Rules   variant and geometry, constant during a game. Interned and never freed (core/rules.hpp), so that a State
//           can hold a plain pointer to it.
//
// Rules that hold for every game:
//
//   * Players need not alternate. A value changes sign where `to_move` changes and nowhere else.
//   * A random event is a *chance state*, reached by `play`: `is_chance()` is true, `outcomes` lists the probabilities,
//     and `resolve(i)` picks an outcome. One event is pending at a time; resolving it may lead to another chance state.
//     In a chance state `to_move` is the player whose move caused the event.
//   * A State does not know whether it repeats an earlier one. Games in progress (core/history.hpp) and search lines
//     (search/line_keys.hpp) keep the repetition keys of earlier positions; `reversible_plies` says how far back a
//     repetition may lie.
//   * Players are 0 (first) and 1 (second). Results take the first player's view.

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

// The result of a game, for the first player. Rewards, ratings and training targets derive from it.
struct Result {
    int outcome = 0;              // +1 the first player won, 0 draw, -1 the second player won
    int score = 0;                // a finer order of results than the outcome, tie-breaks included
    int margin = 0;               // the difference that players count (towers, points, discs left)
    std::string_view decided_by;  // the reason, in the players' words; points to storage that is never freed

    int outcome_for(Player player) const { return player == 0 ? outcome : -outcome; }
    // The score of a game as a course defines it: the margin, or if it is 0, `score`, which includes the tie-break.
    int points() const { return margin ? margin : score; }
    bool operator==(const Result&) const = default;
};

// The result of a game drawn by repetition.
constexpr Result drawn_by_repetition{.outcome = 0, .score = 0, .margin = 0, .decided_by = "repetition"};

// The repetition keys of the game's positions since the last irreversible move, oldest first, without the current one.
using Past = std::span<const std::uint64_t>;

template <class S>
using MoveList = FixedList<typename S::Move, S::max_moves>;

template <class Move>
concept MoveType = std::is_trivially_copyable_v<Move> && std::is_trivially_default_constructible_v<Move> &&
                   std::equality_comparable<Move> && sizeof(Move) <= 64;

// A game in which positions can repeat.
template <class S>
concept KnowsRepetition = requires(const S& state) {
    // Equal for the same position with the same player to move. Unlike `key`, it never includes the ply count.
    { state.repetition_key() } -> std::same_as<std::uint64_t>;
    // The number of occurrences of a position that makes the game a draw; 0 if the rules have no such draw.
    { state.repetitions_to_draw() } -> std::same_as<int>;
};

// The interface of a position for searches.
template <class S>
concept Playable =
    std::copyable<S> && MoveType<typename S::Move> &&
    requires(const S& state, S& mutable_state, typename S::Move move, MoveList<S>& moves, Random& random) {
        // --- Compile-time constants ---
        // `Offers`, an OfferList of the optional members that the game provides (offers.hpp).
        requires ListsOffers<S>;
        // The maximum number of moves that any generator may list.
        { S::max_moves } -> std::convertible_to<std::size_t>;
        // Names of the move generators. The first is the default; a search may select another by index. Only a
        // generator that omits moves may list none in a position where the game is not over: alpha-beta evaluates the
        // position then, MCTS throws.
        { S::generators[0] } -> std::convertible_to<std::string_view>;
        // Whether the default generator lists every legal move.
        { S::complete } -> std::convertible_to<bool>;
        // Whether positions can repeat; then the game models `KnowsRepetition`. Other games have no overhead.
        { S::repeats } -> std::convertible_to<bool>;
        requires !S::repeats || KnowsRepetition<S>;
        // Whether the game has chance states; then it models `ChancePlayable`.
        { S::has_chance } -> std::convertible_to<bool>;

        // --- The position ---
        { state.to_move() } -> std::same_as<Player>;
        { state.ply() } -> std::same_as<int>;  // moves played since the start
        // Plies since the last irreversible move: how far back a repetition may lie.
        { state.reversible_plies() } -> std::same_as<int>;
        { state.key() } -> std::same_as<std::uint64_t>;

        // --- The end ---
        { state.is_terminal() } -> std::same_as<bool>;
        { state.result() } -> std::same_as<Result>;  // of a terminal state
        // The result if a clock or a ply limit stops the game here.
        { state.result_if_stopped() } -> std::same_as<Result>;

        // --- Moves; only for states that are neither terminal nor chance states ---
        { state.generate(moves, 0) } -> std::same_as<void>;  // appends the moves of a generator, without duplicates
        { state.is_legal(move) } -> std::same_as<bool>;      // exact, for any move, in any state
        // Uniform over the moves of the default generator; need not list them.
        { state.random_move(random) } -> std::same_as<typename S::Move>;
        { mutable_state.play(move) } -> std::same_as<void>;  // the move must be legal; not checked
        // The move's index in the tables of history, killers, AMAF, MAST and NRPA. Moves with the same effect have the
        // same code in all positions; two moves of one position never do. The tables are separate for each player, so
        // the code need not include the mover.
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
    // The interned rules for a text "key=value,…"; "" means the defaults. Throws TextError.
    { R::find(text) } -> std::same_as<const R*>;
    // All options, for help and validation.
    { R::options() } -> std::same_as<std::span<const RuleOption>>;
    // The canonical text, without defaults: find(text()) == this.
    { rules.text() } -> std::convertible_to<std::string>;
    // Part of every position's key, so that variants never share table entries.
    { rules.id() } -> std::same_as<std::uint64_t>;
};

// A complete game: the search interface, plus rules, notation and diagrams for people and files.
template <class S>
concept Game = Playable<S> && std::equality_comparable<S> && RulesType<typename S::Rules> &&
               requires(const S& state, typename S::Move move, const typename S::Rules* rules, std::string_view text) {
                   { S::name } -> std::convertible_to<std::string_view>;
                   S(rules);  // the start position
                   { state.rules() } -> std::same_as<const typename S::Rules*>;
                   // The key computed from the board alone; tests compare the incremental key with it.
                   { state.recompute_key() } -> std::same_as<std::uint64_t>;
                   // The position in the game's public notation, and back. Throws TextError.
                   { state.text() } -> std::same_as<std::string>;
                   { S::from_text(rules, text) } -> std::same_as<S>;
                   { S::move_text(move) } -> std::same_as<std::string>;
                   // Parses a move, which need not be legal. Throws TextError.
                   { state.parse_move(text) } -> std::same_as<typename S::Move>;
                   // The board as text of several lines, without a final newline.
                   { state.diagram() } -> std::same_as<std::string>;
               };

// A game in which a player can lose a turn on timeout. Only the referee calls pass_turn.
template <class S>
concept PassingGame = Game<S> && requires(S& state) {
    { state.pass_turn() } -> std::same_as<void>;
};

// A game with board symmetries. Symmetry 0 is the identity; symmetry g maps a state to transformed(g) and a move to
// transformed(move, g).
template <class S>
concept SymmetricGame =
    Game<S> && requires(const S& state, typename S::Move move, const typename S::Rules& rules, int g) {
        { rules.symmetry_count() } -> std::same_as<int>;
        { state.transformed(g) } -> std::same_as<S>;
        { state.transformed(move, g) } -> std::same_as<typename S::Move>;
    };

// The input of a network: `planes * rows * columns` bytes, plane by plane, row by row, from the mover's view. The
// policy output is a list of logits. A move has one or more policy indices, and its logit is the sum of theirs.
struct InputShape {
    int planes, rows, columns;
    int size() const { return planes * rows * columns; }
    bool operator==(const InputShape&) const = default;
};

using PolicyIndices = FixedList<std::uint32_t, 16>;

// A game that networks can play on a board of one size, which its rules describe. Symmetry g maps the flat input index
// i to map_input(i, g) and the policy index p to map_policy(p, g).
template <class S>
concept OneSizeNetworkGame =
    SymmetricGame<S> && requires(const S& state, typename S::Move move, const typename S::Rules& rules,
                                 std::span<std::uint8_t> input, PolicyIndices& indices, int g) {
        { rules.input_shape() } -> std::same_as<InputShape>;
        { rules.policy_size() } -> std::same_as<int>;
        { rules.map_input(g, g) } -> std::same_as<int>;
        { rules.map_policy(g, g) } -> std::same_as<int>;
        { state.encode(input) } -> std::same_as<void>;
        { state.policy_indices(move, indices) } -> std::same_as<void>;
    };

// A game that networks can play. A game on boards of many sizes has a frame of its own (core/input_frame.hpp).
template <class S>
concept NetworkGame = OneSizeNetworkGame<S> || (SymmetricGame<S> && HasOwnFrame<S>);

// The maximum number of policy indices of a move.
template <class S>
constexpr int policy_parts = 1;
template <HasPolicyParts S>
constexpr int policy_parts<S> = S::policy_parts;

// --- Tables by move code ---

// The number of slots per player in a table indexed by move code, and the slot of a code.
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

// --- Helpers without overhead for games without chance or repetition ---

template <Playable S>
bool is_chance(const S& state) {
    if constexpr (S::has_chance)
        return state.is_chance();
    else
        return false;
}

// Compile-time constants in most games. If they depend on the rules, as in a game written in Python, the state provides
// them.
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

// Samples an outcome, given `u` uniform in [0, 1).
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
    return last_possible;  // `u` can exceed the sum of the probabilities by rounding
}

// Samples outcomes until a player is to move or the game is over.
template <Playable S>
void settle_chance(S& state, Random& random) {
    if constexpr (S::has_chance)
        while (state.is_chance()) state.resolve(pick_outcome(state, random.uniform()));
}

}  // namespace joute
