#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "game.hpp"

namespace joute {

// The end of a game under best play from a position.
struct KnownEnd {
    int outcome;  // for the first player
    int plies;    // until the end
};

// The use of an evaluation if the user names none. At most one evaluation of a game has a given role. If none has
// it, the greedy role falls to the first evaluation, the default role to the last, and the engine role to the default.
struct EvaluationRoles {
    bool greedy = false;      // agents that look one move ahead, and `evaluate`
    bool by_default = false;  // searches
    bool engine = false;      // the game's own engine
};

// An evaluation function: estimates how good a position is for one player. The game must not be over there, unless the
// search evaluates finished games (ends=eval).
//
// It consists of plain function pointers, so that a search selects an evaluation at run time and is not a template over
// it. A search always calls it for the *root player*, because an evaluation may be one-sided: the value for one player
// need not be minus the value for the other.
//
// `accumulator` is memory of `accumulator_size` bytes, owned by the search, for incremental updates along a line:
// `start` fills it at the root, `update` updates it after a move, `resolve` after the outcome of a random event.
// Without `update` or `resolve`, `start` is called again there. An evaluation without incremental data leaves all three
// null and reads only the state. `params` points to as many numbers as the evaluation has `weights`, or to a struct of
// its own if it has none; null for the usual ones.
template <Playable S>
struct Evaluation {
    std::string_view name;
    std::string_view help;
    EvaluationRoles roles = {};
    double (*value)(const S& state, const void* accumulator, const void* params, Player for_player);

    std::size_t accumulator_size = 0;
    void (*start)(const S& state, void* accumulator, const void* params) = nullptr;
    void (*update)(const S& before, typename S::Move move, const S& after, void* accumulator,
                   const void* params) = nullptr;
    void (*resolve)(const S& before, int outcome, const S& after, void* accumulator, const void* params) = nullptr;

    // A cheaper value for move ordering that reads only the state; null: `value` is used.
    double (*order)(const S& state, Player for_player) = nullptr;

    // The end of the game under best play, if known; it ignores the repetitions of the game's history. Alpha-beta calls
    // it at nodes with a remaining depth of at least `least_known_depth`.
    std::optional<KnownEnd> (*known)(const S& state) = nullptr;
    int least_known_depth = 1;

    // Whether the value depends on the path to the position. Then the transposition table must not return values.
    bool depends_on_path = false;
    // A hash of everything beyond the position that the value depends on, as part of the table key; null: nothing.
    std::uint64_t (*key)(const S& state, const void* accumulator) = nullptr;
    // All values lie in [-bound, bound]; 0: no bound is known. Chance pruning needs it, and in games of chance it is
    // the value of a win.
    double bound = 0;
    // Whether a value takes much longer than a lookup in memory. Alpha-beta then remembers the values of a search by
    // the keys of the positions. Not for evaluations that depend on the path or have a `key`.
    bool is_slow = false;
    // The numbers that a search may replace, at their usual values.
    std::span<const double> weights = {};

    // The weights at `params`.
    static const double* weights_at(const void* params, std::span<const double> usual) {
        return params ? static_cast<const double*>(params) : usual.data();
    }

    // Evaluates a single position, without incremental updates.
    double of(const S& state, const void* params, Player for_player) const {
        std::vector<std::byte> accumulator(accumulator_size);
        if (start) start(state, accumulator.data(), params);
        return value(state, accumulator.data(), params, for_player);
    }
};

// The evaluation in a game's table that has a role; null if none has it. Throws if two have it.
template <Playable S, std::size_t Count>
constexpr const Evaluation<S>* in_role(const std::array<Evaluation<S>, Count>& table, bool EvaluationRoles::* role) {
    const Evaluation<S>* found = nullptr;
    for (const auto& evaluation : table) {
        if (!(evaluation.roles.*role)) continue;
        if (found)
            throw JouteError("the evaluations " + std::string(found->name) + " and " + std::string(evaluation.name) +
                             " have the same role");
        found = &evaluation;
    }
    return found;
}

}  // namespace joute
