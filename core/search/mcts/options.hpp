#pragma once

// The options of Monte-Carlo tree search. Names are those of agent specs; src/joute/agents/mcts.py describes each
// option.

#include <array>
#include <string_view>

#include "../../options.hpp"
#include "playout_policy.hpp"

namespace joute {

enum class Bonus { ucb1, ucb1_tuned, ucb1_tuned_listed, puct };
inline constexpr std::array<std::string_view, 4> bonus_names{"ucb1", "ucb1-tuned", "ucb1-tuned-listed", "puct"};

// The weight of the AMAF mean. `position`: sqrt(k / (3N + k)), with N visits of the position. `move`: the same with n
// visits of the move. `bias`: m / (m + n + bias m n), with m AMAF visits, which is Gelly & Silver's optimum for
// bias = 4 b², where b is the bias of the AMAF mean, and Cazenave's choice.
enum class Schedule { position, move, bias };
inline constexpr std::array<std::string_view, 3> schedule_names{"position", "move", "bias"};

// The key of AMAF statistics: the effect of the move, separately for each player, or the move as written, for both.
enum class AmafKey { effect, move };
inline constexpr std::array<std::string_view, 2> amaf_key_names{"effect", "move"};

// The order of the children, in which untried moves are selected. Expansion adds all moves as children in both cases;
// specs call the orders `one` and `all`.
enum class UntriedOrder { random, generated };
inline constexpr std::array<std::string_view, 2> expand_names{"one", "all"};

// The reward of a finished game: win and loss; the margin scaled to [0, 1]; the margin; or the points (Result::points).
enum class Reward { win, scaled, margin, points };
inline constexpr std::array<std::string_view, 4> reward_names{"win", "scaled", "margin", "points"};
constexpr bool is_share(Reward reward) { return reward == Reward::win || reward == Reward::scaled; }

enum class Credit { mover, root };
inline constexpr std::array<std::string_view, 2> credit_names{"mover", "root"};

enum class Solver { off, choose, prune };
inline constexpr std::array<std::string_view, 3> solver_names{"off", "choose", "prune"};

enum class FinalMove { visits, value, secure };
inline constexpr std::array<std::string_view, 3> final_move_names{"visits", "value", "secure"};

enum class Priors { uniform, evaluation };
inline constexpr std::array<std::string_view, 2> prior_names{"uniform", "eval"};

struct MctsOptions {
    Bonus bonus;
    double c;
    bool amaf;
    double ref;  // AMAF statistics of the closest position on the path with more visits; 0: of the position (RAVE)
    Schedule schedule;
    double k;
    double bias;
    AmafKey amaf_key;
    Priors priors;
    double prior_temperature;
    bool untried_first;  // try every move once before comparing; off: the value of an untried move is `fpu`
    double fpu;          // first-play urgency
    UntriedOrder expand;
    PlayoutOptions playout;
    double implicit;  // weight of the evaluation backed up by minimax, beside the mean
    double mix;       // weight of the evaluation beside the playout's result; 1: no playout, except from a chance node
    double eval_scale;  // the evaluation that means odds of e to 1, or 73% of wins
    Reward reward;
    double margin_scale;   // the margin that is worth a full win
    Credit credit;         // `root` gives every node the root player's reward: an error of a student's paper
    bool expand_finished;  // grow the tree below finished games: an error of a student's paper
    Solver solver;
    bool decisive;  // at expansion, find the moves that end the game at once
    bool reuse;     // keep the subtree of the new root between searches
    FinalMove final_move;
    int generator;
    int threads;
    std::size_t memory_mb;
    std::uint64_t seed;

    static constexpr auto fields() {
        using O = MctsOptions;
        using P = PlayoutOptions;
        return std::tuple{
            Option<&O::bonus>{"bonus", bonus_names},
            Option<&O::c>{"c"},
            Option<&O::amaf>{"amaf"},
            Option<&O::ref>{"ref"},
            Option<&O::schedule>{"schedule", schedule_names},
            Option<&O::k>{"k"},
            Option<&O::bias>{"bias"},
            Option<&O::amaf_key>{"amaf_key", amaf_key_names},
            Option<&O::priors>{"priors", prior_names},
            Option<&O::prior_temperature>{"prior_temperature"},
            Option<&O::untried_first>{"untried_first"},
            Option<&O::fpu>{"fpu"},
            Option<&O::expand>{"expand", expand_names},
            Option<&O::playout, &P::moves>{"playout", playout_names},
            Option<&O::playout, &P::tactics>{"tactics", tactics_names},
            Option<&O::playout, &P::epsilon>{"epsilon"},
            Option<&O::playout, &P::max_plies>{"playout_plies"},
            Option<&O::implicit>{"implicit"},
            Option<&O::mix>{"mix"},
            Option<&O::eval_scale>{"eval_scale"},
            Option<&O::reward>{"reward", reward_names},
            Option<&O::margin_scale>{"margin_scale"},
            Option<&O::credit>{"credit", credit_names},
            Option<&O::expand_finished>{"expand_finished"},
            Option<&O::solver>{"solver", solver_names},
            Option<&O::decisive>{"decisive"},
            Option<&O::reuse>{"reuse"},
            Option<&O::final_move>{"final_move", final_move_names},
            Option<&O::generator>{"generator"},
            Option<&O::threads>{"threads"},
            Option<&O::memory_mb>{"memory_mb"},
            Option<&O::seed>{"seed"},
        };
    }
};

}  // namespace joute
