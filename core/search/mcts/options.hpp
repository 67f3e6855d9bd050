#pragma once

// What Monte-Carlo tree search may be told. Names are those of specs: src/joute/agents/mcts.py describes each.

#include <array>
#include <limits>
#include <numbers>
#include <string_view>

#include "playout_policy.hpp"

namespace joute {

enum class Bonus { ucb1, ucb1_tuned, ucb1_tuned_listed, puct };
inline constexpr std::array<std::string_view, 4> bonus_names{"ucb1", "ucb1-tuned", "ucb1-tuned-listed", "puct"};

// How the weight of the AMAF mean falls: sqrt(k / (3N + k)) with the visits of the position, the same with
// the visits of the move, or m / (m + n + bias m n) with m AMAF visits, which is Gelly & Silver's optimum for
// bias = 4 b² and Cazenave's choice.
enum class Schedule { position, move, bias };
inline constexpr std::array<std::string_view, 3> schedule_names{"position", "move", "bias"};

// Under which key AMAF statistics are kept: the move's effect for each player, or the move as it is written.
enum class AmafKey { effect, move };
inline constexpr std::array<std::string_view, 2> amaf_key_names{"effect", "move"};

enum class Expand { one, all };
inline constexpr std::array<std::string_view, 2> expand_names{"one", "all"};

// Win and loss; the margin cut to [0, 1]; or as they are, the margin or the points (Result::points).
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

// The plain algorithm of Kocsis & Szepesvári; agents say what they want (src/joute/agents/mcts.py).
struct MctsOptions {
    Bonus bonus = Bonus::ucb1;
    double c = std::numbers::sqrt2;
    bool amaf = false;
    double ref = 0;  // 0: statistics of the position itself, RAVE
    Schedule schedule = Schedule::bias;
    double k = 1000;
    double bias = 1e-5;
    AmafKey amaf_key = AmafKey::effect;
    Priors priors = Priors::uniform;
    double prior_temperature = 1;
    bool untried_first = true;  // otherwise a move without a visit counts as `fpu`
    double fpu = 1;
    Expand expand = Expand::one;  // a random untried move first, or the first that was generated
    PlayoutOptions playout;
    double implicit = 0;    // weight of the evaluation backed up by minimax beside the mean
    double mix = 0;         // weight of the evaluation beside the playout's result; 1 plays nothing out
    double eval_scale = 1;  // the evaluation that means odds of e to 1
    Reward reward = Reward::win;
    double margin_scale = 1;        // the margin that is worth a full win
    Credit credit = Credit::mover;  // `root` credits every node with the root player's reward: an error
    bool expand_finished = false;   // goes on below finished games: an error
    Solver solver = Solver::off;
    bool decisive = false;  // looks for moves that end the game as soon as a position joins the tree
    bool reuse = false;     // keeps the subtree of the position that came about
    FinalMove final_move = FinalMove::visits;
    int generator = 0;
    int threads = 1;
    std::size_t memory_mb = 256;
    std::uint64_t seed = 0;
};

}  // namespace joute
