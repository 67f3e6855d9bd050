#pragma once

// Optional members of a game ("offers"), beyond the `Playable` concept of game.hpp.
//
// A game lists the offers it implements, and searches test for them by concept:
//
//   class Connect4 {
//       using Offers = OfferList<offer::NoisyMoves, offer::TacticalMove>;
//       void noisy_moves(MoveList<Connect4>& moves) const;
//       …
//
//   if constexpr (HasNoisyMoves<S>) state.noisy_moves(moves);
//
// The list and the members must agree: a member that is misspelt, has another type or is not listed is a compile error.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "base/fixed_list.hpp"
#include "base/random.hpp"

namespace joute {

// The moves that a playout prefers to a random one. `win`: a move that wins at once. `block`: also a move that prevents
// an immediate win of the opponent. `fork`: also a move that makes two threats, of which the opponent can stop only
// one.
enum class Tactics { none, win, block, fork };

template <class... Listed>
struct OfferList {
    template <class Offer>
    static constexpr bool lists = (std::is_same_v<Offer, Listed> || ...);
};

// One struct per offer; `fits<S>` is true if S has its members.
namespace offer {

// All move codes are below `codes`, so tables index by code. For other games, tables hash the codes.
struct Codes {
    template <class S>
    static constexpr bool fits = requires {
        { S::codes } -> std::convertible_to<std::size_t>;
    };
};

// A code of the move as written, whatever its effect on the board.
struct MoveCode {
    template <class S>
    static constexpr bool fits = requires(const S& state, typename S::Move move) {
        { state.move_code(move) } -> std::same_as<std::uint32_t>;
    };
};

// A fast version of search/tactics.hpp that also finds forks.
struct TacticalMove {
    template <class S>
    static constexpr bool fits = requires(const S& state, Tactics tactics, Random& random) {
        { state.tactical_move(tactics, random) } -> std::same_as<std::optional<typename S::Move>>;
    };
};

// Appends the noisy moves, which quiescence search tries.
struct NoisyMoves {
    template <class S>
    static constexpr bool fits = requires(const S& state, FixedList<typename S::Move, S::max_moves>& moves) {
        { state.noisy_moves(moves) } -> std::same_as<void>;
    };
};

// Hints for the order of moves: a number for each move, higher for more promising ones. Appends them to an empty list.
struct MoveHints {
    template <class S>
    static constexpr bool fits = requires(const S& state, const FixedList<typename S::Move, S::max_moves>& moves,
                                          FixedList<std::uint8_t, S::max_moves>& hints) {
        { state.hint_at(moves, hints) } -> std::same_as<void>;
    };
};

// Passes the turn although the rules do not allow it, for null-move pruning. Never called when the game is over. No
// position before it counts as repeated: in games that repeat, reversible_plies() is 0 afterwards.
struct NullMove {
    template <class S>
    static constexpr bool fits = requires(S& state) {
        { state.play_null() } -> std::same_as<void>;
    };
};

// The number of moves of the default generator, without listing them.
struct MoveCount {
    template <class S>
    static constexpr bool fits = requires(const S& state) {
        { state.move_count() } -> std::same_as<std::size_t>;
    };
};

// An upper bound of the plies that the game can still last. A search to that depth sees only finished games.
struct PliesLeft {
    template <class S>
    static constexpr bool fits = requires(const S& state) {
        { state.plies_left() } -> std::same_as<int>;
    };
};

// Before ply `symmetric_plies`, symmetric positions may share table entries. `canonical()` returns their common key and
// the symmetry that maps this position to the canonical one. `turned_code` maps a move's code by a symmetry, and
// `inverse` returns the inverse symmetry.
struct SharedSymmetries {
    template <class S>
    static constexpr bool fits = requires(const S& state, std::uint32_t code, int g) {
        { S::symmetric_plies } -> std::convertible_to<int>;
        { state.canonical().key } -> std::convertible_to<std::uint64_t>;
        { state.canonical().symmetry } -> std::convertible_to<int>;
        { S::turned_code(code, g) } -> std::same_as<std::uint32_t>;
        { S::inverse(g) } -> std::same_as<int>;
    };
};

// `generate` and `play` also work after the end of the game.
struct PlaysOn {
    template <class S>
    static constexpr bool fits = requires { requires S::plays_on; };
};

// Like `outcomes`, but with similar outcomes merged: one outcome gets the probability of all, the others get 0. The
// smaller `most`, the fewer remain.
struct FewOutcomes {
    template <class S>
    static constexpr bool fits = requires(const S& state, FixedList<double, S::max_outcomes>& outcomes, int most) {
        { state.few_outcomes(outcomes, most) } -> std::same_as<void>;
    };
};

// The rule that a move breaks, as a sentence; empty if there is none to name.
struct WhyIllegal {
    template <class S>
    static constexpr bool fits = requires(const S& state, typename S::Move move) {
        { state.why_illegal(move) } -> std::same_as<std::string>;
    };
};

// The maximum number of policy indices of a move, if it is more than one.
struct PolicyParts {
    template <class S>
    static constexpr bool fits = requires {
        { S::policy_parts } -> std::convertible_to<int>;
    };
};

// The game's own class of frames (core/input_frame.hpp), for boards of many sizes or several encodings of a position.
struct OwnFrame {
    template <class S>
    static constexpr bool fits = requires { typename S::Frame; };
};

// The game's own class of choosers (core/chooser.hpp), by which learners choose moves that have parts.
struct OwnChooser {
    template <class S>
    static constexpr bool fits = requires { typename S::Chooser; };
};

// Planes that describe a finished game to `mover`, one number for each cell of the network's input: who owns it, what
// it is worth. A network that learns to foresee them learns more from a game than its result. `ending_scale` multiplies
// the bytes.
struct EndingPlanes {
    template <class S>
    static constexpr bool fits = requires(const S& state, int mover, std::span<std::int8_t> planes) {
        { S::ending_planes } -> std::convertible_to<int>;
        { S::ending_scale } -> std::convertible_to<float>;
        { state.describe_ending(mover, planes) } -> std::same_as<void>;
    };
};

// Run-time versions of `complete`, `has_chance` and `repeats`, for games where they depend on the rules.
struct ListsEveryMove {
    template <class S>
    static constexpr bool fits = requires(const S& state) {
        { state.lists_every_move() } -> std::same_as<bool>;
    };
};
struct MayHaveChance {
    template <class S>
    static constexpr bool fits = requires(const S& state) {
        { state.may_have_chance() } -> std::same_as<bool>;
    };
};
struct MayRepeat {
    template <class S>
    static constexpr bool fits = requires(const S& state) {
        { state.may_repeat() } -> std::same_as<bool>;
    };
};

}  // namespace offer

// Whether a game has an offer. Fails to compile if its list and its members disagree.
template <class S, class Offer>
consteval bool has_offer() {
    constexpr bool is_listed = S::Offers::template lists<Offer>;
    constexpr bool is_there = Offer::template fits<S>;
    static_assert(
        is_there || !is_listed,
        "this game lists an offer whose member it does not have: core/offers.hpp shows its name and its type");
    static_assert(is_listed || !is_there, "this game has the member of an offer that it does not list in `Offers`");
    return is_listed;
}

using KnownOffers =
    OfferList<offer::Codes, offer::MoveCode, offer::TacticalMove, offer::NoisyMoves, offer::MoveHints, offer::NullMove,
              offer::MoveCount, offer::PliesLeft, offer::SharedSymmetries, offer::PlaysOn, offer::FewOutcomes,
              offer::WhyIllegal, offer::PolicyParts, offer::OwnFrame, offer::OwnChooser, offer::EndingPlanes,
              offer::ListsEveryMove, offer::MayHaveChance, offer::MayRepeat>;

template <class S, class... Offer>
consteval bool check_offers(OfferList<Offer...>) {
    (has_offer<S, Offer>(), ...);
    return true;
}

// A game with a list of offers. Fails to compile if an offer and the game's members disagree.
template <class S>
concept ListsOffers = requires { typename S::Offers; } && check_offers<S>(KnownOffers{});

template <class S>
concept HasCodes = has_offer<S, offer::Codes>();
template <class S>
concept HasMoveCode = has_offer<S, offer::MoveCode>();
template <class S>
concept HasTacticalMove = has_offer<S, offer::TacticalMove>();
template <class S>
concept HasNoisyMoves = has_offer<S, offer::NoisyMoves>();
template <class S>
concept HasMoveHints = has_offer<S, offer::MoveHints>();
template <class S>
concept HasNullMove = has_offer<S, offer::NullMove>();
template <class S>
concept HasMoveCount = has_offer<S, offer::MoveCount>();
template <class S>
concept HasPliesLeft = has_offer<S, offer::PliesLeft>();
template <class S>
concept HasSharedSymmetries = has_offer<S, offer::SharedSymmetries>();
template <class S>
concept HasPlaysOn = has_offer<S, offer::PlaysOn>();
template <class S>
concept HasFewOutcomes = has_offer<S, offer::FewOutcomes>();
template <class S>
concept HasWhyIllegal = has_offer<S, offer::WhyIllegal>();
template <class S>
concept HasPolicyParts = has_offer<S, offer::PolicyParts>();
template <class S>
concept HasOwnFrame = has_offer<S, offer::OwnFrame>();
template <class S>
concept HasOwnChooser = has_offer<S, offer::OwnChooser>();
template <class S>
concept HasEndingPlanes = has_offer<S, offer::EndingPlanes>();
template <class S>
concept HasListsEveryMove = has_offer<S, offer::ListsEveryMove>();
template <class S>
concept HasMayHaveChance = has_offer<S, offer::MayHaveChance>();
template <class S>
concept HasMayRepeat = has_offer<S, offer::MayRepeat>();

}  // namespace joute
