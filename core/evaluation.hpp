#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "game.hpp"

namespace joute {

// How a game ends if both play their best from here.
struct KnownEnd {
    int outcome;  // for the first player
    int plies;    // until then
};

// Where an evaluation serves if none is named. Of a game's evaluations each role belongs to one; where no evaluation
// has a role, the first is greedy, the last the default, and the default the engine's.
struct EvaluationRoles {
    bool greedy = false;      // of agents that look one move ahead, and of `evaluate`
    bool by_default = false;  // of searches
    bool engine = false;      // of the game's own engine
};

// A heuristic: how good a position that is not over looks to one player; one that is over too, where a search is told
// so (ends=eval).
//
// A plain function pointer, so that a search switches heuristics at run time without becoming another
// template. It is always asked *for the root player* of a search, because a heuristic may be
// one-sided: the value for one player need not be minus the value for the other.
//
// `accumulator` is memory the heuristic keeps along a line of play, `accumulator_size` bytes owned by
// the search: `start` fills it at the root, `update` carries it over a move, `resolve` over the outcome of
// a random event (a heuristic without `resolve` is started anew there). A heuristic that needs
// no memory leaves all three null and reads the state alone. `params` points to the heuristic's parameter
// struct, or is null where it has none.
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

    // What moves are ordered by, where that is not the value: something cheaper that reads the state alone.
    double (*order)(const S& state, Player for_player) = nullptr;

    // How the game ends from here, where that is known; what the game has repeated before is not. Alpha-beta asks where
    // it would look so many plies further.
    std::optional<KnownEnd> (*known)(const S& state) = nullptr;
    int least_known_depth = 1;

    // Whether the value depends on how the position was reached. Then a table must not keep it.
    bool depends_on_path = false;
    // Or all that the value depends on beside the position, as a number: then a table tells such positions apart.
    std::uint64_t (*key)(const S& state, const void* accumulator) = nullptr;
    // No value lies beyond plus or minus this; 0 where nothing is known. Chance is pruned by it, and in
    // games of chance it is what a win is worth.
    double bound = 0;

    // The value of a single position.
    double of(const S& state, const void* params, Player for_player) const {
        std::vector<std::byte> accumulator(accumulator_size);
        if (start) start(state, accumulator.data(), params);
        return value(state, accumulator.data(), params, for_player);
    }
};

// The evaluation of a game's table that has a role; null where none has, an error where two have.
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
