#pragma once

// The options that the checks start from: the plain form of each search, with the memory and the sizes of a small test.

#include <numbers>

#include "search/alphabeta/values.hpp"
#include "search/mcts/options.hpp"
#include "search/nested.hpp"
#include "search/network/search.hpp"
#include "search/nrpa.hpp"
#include "selfplay/options.hpp"

namespace joute {

// Returns a copy with other values in some fields: with(plain_nrpa, &NrpaOptions::level, 1, &NrpaOptions::seed, 7).
template <class Options>
constexpr Options with(Options options) {
    return options;
}
template <class Options, class Field, class Value, class... Others>
constexpr Options with(Options options, Field Options::* field, Value value, Others... others) {
    options.*field = static_cast<Field>(value);
    return with(options, others...);
}

inline constexpr AlphaBetaOptions plain_alphabeta{.table = AlphaBetaOptions::TableUse::full,
                                                  .memory_mb = 64,
                                                  .table_depth = 2,
                                                  .accept_deeper = false,
                                                  .bare_table = false,
                                                  .symmetries = false,
                                                  .pruning = true,
                                                  .pvs = true,
                                                  .killers = true,
                                                  .history = true,
                                                  .hints = 0,
                                                  .deepening = true,
                                                  .aspiration = false,
                                                  .aspiration_window = 1,
                                                  .order_by_evaluation = false,
                                                  .order_by_value = false,
                                                  .quiescence = 0,
                                                  .extend = 0,
                                                  .reductions = 0,
                                                  .reduce_root = false,
                                                  .late_moves = 0,
                                                  .null_depth = 0,
                                                  .plain_root = false,
                                                  .ends = AlphaBetaOptions::Ends::outcome,
                                                  .win_value = 0,
                                                  .chance = AlphaBetaOptions::ChancePruning::star1,
                                                  .few_outcomes = 0,
                                                  .generator = 0,
                                                  .wide_depth = 0,
                                                  .lines = 1,
                                                  .threads = 1};

inline constexpr MctsOptions plain_mcts{
    .bonus = Bonus::ucb1,
    .c = std::numbers::sqrt2,
    .amaf = false,
    .ref = 0,
    .schedule = Schedule::bias,
    .k = 1000,
    .bias = 1e-5,
    .amaf_key = AmafKey::effect,
    .priors = Priors::uniform,
    .prior_temperature = 1,
    .untried_first = true,
    .fpu = 1,
    .expand = UntriedOrder::random,
    .playout = {.moves = PlayoutMoves::uniform, .tactics = Tactics::none, .epsilon = 0.1, .max_plies = 10'000},
    .implicit = 0,
    .mix = 0,
    .eval_scale = 1,
    .reward = Reward::win,
    .margin_scale = 1,
    .credit = Credit::mover,
    .expand_finished = false,
    .solver = Solver::off,
    .decisive = false,
    .reuse = false,
    .final_move = FinalMove::visits,
    .generator = 0,
    .threads = 1,
    .memory_mb = 256,
    .seed = 0};

inline constexpr NrpaOptions plain_nrpa{.level = 2,
                                        .iterations = 50,
                                        .lower_iterations = 0,
                                        .alpha = 1,
                                        .key = NrpaOptions::Key::state,
                                        .corrected = false,
                                        .seed = 0,
                                        .max_plies = 1000,
                                        .memory_mb = 64};

inline constexpr NestedOptions plain_nested{
    .level = 2, .discount = 0.95, .cut_on_win = false, .seed = 0, .max_plies = 1000};

inline constexpr PuctRule plain_puct{.c = 1.25, .fpu_reduction = 0.25};

inline constexpr NetworkSearchOptions plain_network_search{.batch = 4,
                                                           .puct = plain_puct,
                                                           .reuse = true,
                                                           .generator = 0,
                                                           .few_outcomes = 0,
                                                           .frame = {},
                                                           .symmetry = NetworkSearchOptions::Symmetry::none,
                                                           .seed = 0,
                                                           .memory_mb = 256,
                                                           .remembered_mb = 0};

inline constexpr SelfPlayOptions plain_self_play{.games = 40,
                                                 .threads = 1,
                                                 .seed = 0,
                                                 .search = SelfPlayOptions::Kind::gumbel,
                                                 .simulations = 8,
                                                 .gumbel = {.considered = 16, .c_visit = 50, .c_scale = 1},
                                                 .puct = plain_puct,
                                                 .noise_share = 0.25,
                                                 .noise_alpha = 1,
                                                 .temperature = 1,
                                                 .temperature_plies = 30,
                                                 .reuse = true,
                                                 .symmetries = true,
                                                 .scrambled = false,
                                                 .greedy_targets = false,
                                                 .generator = 0,
                                                 .few_outcomes = 0,
                                                 .frame = {},
                                                 .full_share = 1,
                                                 .fast_simulations = 8,
                                                 .random_share = 0,
                                                 .random_plies = 0,
                                                 .exact_from = -1,
                                                 .max_plies = 0,
                                                 .stagger = 0,
                                                 .repetition_penalty = 0};

}  // namespace joute
