#pragma once

// Nested Rollout Policy Adaptation (Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree
// Search", IJCAI 2011). NRPA builds no tree; it learns a playout policy.
//
// A policy gives every move a weight w, and a playout samples moves with probability proportional to exp(w). Level 0 is
// one playout. Level l calls level l-1 `iterations` times, each time with a copy of its policy; `lower_iterations` is
// another number of calls for all levels but the highest. A level keeps the best sequence returned so far and, after
// each call, changes its policy by one step of size `alpha` along the gradient of that sequence's log-likelihood:
//
//      w[chosen] += alpha,   w[m] -= alpha * p(m) for every legal m,   p from before the step.
//
// NRPA is a method for one player: its records (Morpion Solitaire, crosswords) have no opponent. This file has two
// versions for two players.
//
// Plain, the usual transfer: both sides sample from the policy, a sequence scores 1, 0.5 or 0 for the player at the
// root, and both sides adapt to the best sequence. The opponent thereby learns to help the root player, and the search
// finds moves that win against bad replies. This version exists for comparison.
//
// `corrected`: each side learns from its own results.
//   * At each level each player keeps the best sequence by its own score, and adapts only its own moves in it. A lost
//     game is not learned from.
//   * A win is kept until the opponent finds a refutation: a newer game that leaves the kept sequence by a move of the
//     opponent, and ends worse, replaces it. Otherwise a win against weak replies would be reinforced for ever.
//   * The move played is the one with the best mean score over the playouts of all levels. A single sequence depends
//     too much on the opponent's random moves, and two policies that respond to each other need not converge, which is
//     why fictitious play averages too (Brown 1951).
// In Connect Four with 32 iterations at level 2, plain makes 45% mistakes and corrected 15%; random play makes
// 67% (docs/searches.md).

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../base/huge_array.hpp"
#include "../base/numeric.hpp"
#include "../options.hpp"
#include "search.hpp"

namespace joute {

struct NrpaOptions {
    // The key of a weight. `state`: a move in one position. `code`: a player's move in any position, as in Rosin's
    // domains; it generalises, but confuses positions.
    enum class Key { state, code };
    static constexpr std::array<std::string_view, 2> key_names{"state", "code"};

    int level;             // 1..8
    int iterations;        // at the highest level
    int lower_iterations;  // at each level below it; 0: `iterations`
    double alpha;
    Key key;
    bool corrected;
    std::uint64_t seed;
    int max_plies;  // a longer playout stops and is scored by result_if_stopped()
    std::size_t memory_mb;

    static constexpr auto fields() {
        using O = NrpaOptions;
        return std::tuple{
            Option<&O::level>{"level"},
            Option<&O::iterations>{"iterations"},
            Option<&O::lower_iterations>{"lower_iterations"},
            Option<&O::alpha>{"alpha"},
            Option<&O::key>{"key", key_names},
            Option<&O::corrected>{"corrected"},
            Option<&O::seed>{"seed"},
            Option<&O::max_plies>{"max_plies"},
            Option<&O::memory_mb>{"memory_mb"},
        };
    }
};

// Weights by 64-bit key; unknown keys have weight 0. An open-addressing table in one block of memory, so that it is
// fast to copy. It stores exp(w) instead of w: playouts read weights far more often than adapting writes them, and a
// step of the weight becomes a multiplication.
//
// A table at its memory limit ignores new keys. Growing and copying take long for a large table, so they ask
// `must_stop` and then leave the work undone.
class NrpaPolicy {
public:
    using MustStop = std::function<bool()>;

    explicit NrpaPolicy(std::size_t max_bytes) : max_bytes_(max_bytes) { clear(); }

    double odds(std::uint64_t key) const {
        const Slot& slot = slots_[find(key)];
        return slot.key == 0 ? 1 : slot.odds;
    }
    double weight(std::uint64_t key) const { return natural_log(odds(key)); }

    // w += log(factor)
    void scale(std::uint64_t key, double factor, const MustStop& must_stop) {
        std::size_t at = find(key);
        if (slots_[at].key == 0) {
            if (2 * (used_ + 1) > size_) {
                if (!grow(must_stop)) return;
                at = find(key);
            }
            slots_[at] = {nonzero(key), 1};
            ++used_;
        }
        // Clamped, so that the sum over a position's moves cannot overflow.
        slots_[at].odds = std::clamp(slots_[at].odds * factor, 1e-300, 1e300);
    }

    // Becomes a copy of `other`; without a meaning if it must stop.
    void copy(const NrpaPolicy& other, const MustStop& must_stop) {
        if (slots_.size() < other.size_) allocate(other.size_);
        size_ = other.size_;
        used_ = other.used_;
        full_ = other.full_;
        for (std::size_t i = 0; i < size_ && !must_stop(); i += slots_copied_a_step)
            std::copy_n(other.slots_.data() + i, std::min(slots_copied_a_step, size_ - i), slots_.data() + i);
    }

    void clear() {
        allocate(first_slots);
        used_ = 0;
        full_ = false;
    }
    std::size_t size() const { return used_; }
    std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
    bool full() const { return full_; }

private:
    struct Slot {
        std::uint64_t key;  // 0 marks a free slot
        double odds;
    };
    static constexpr std::size_t first_slots = 256;
    // Each about the work of a step of a playout: a new slot may be on a page that was never touched.
    static constexpr std::size_t slots_moved_a_step = 4, slots_copied_a_step = 64;

    static std::uint64_t nonzero(std::uint64_t key) { return key == 0 ? 1 : key; }

    // Free slots, zeroed by the system page by page when they are first touched. calloc() may zero all at once.
    void allocate(std::size_t slots) {
        slots_ = HugeArray<Slot>(slots, false);
        size_ = slots;
    }

    // The slot of a key, or the free slot where it belongs. At most half of the slots are used, so there is one.
    std::size_t find(std::uint64_t key) const {
        key = nonzero(key);
        const std::size_t mask = size_ - 1;
        std::size_t at = key & mask;
        while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }

    bool grow(const MustStop& must_stop) {
        if (2 * size_ * sizeof(Slot) > max_bytes_) {
            full_ = true;
            return false;
        }
        if (must_stop()) return false;  // before any memory is taken: the caller goes on with other keys
        NrpaPolicy larger(max_bytes_);
        larger.allocate(2 * size_);
        for (std::size_t i = 0; i < size_; ++i) {
            if (i % slots_moved_a_step == 0 && must_stop()) return false;
            if (slots_[i].key != 0) larger.slots_[larger.find(slots_[i].key)] = slots_[i];
        }
        larger.used_ = used_;
        *this = std::move(larger);
        return true;
    }

    std::size_t max_bytes_;
    HugeArray<Slot> slots_;
    std::size_t size_ = 0;  // slots in use, a power of two
    std::size_t used_ = 0;
    bool full_ = false;
};

// A game with all data for adapting a policy to it. Replaying the moves instead would not reproduce random events.
template <class Move>
struct NrpaSequence {
    struct Step {
        std::uint64_t state;         // key of the position
        std::uint32_t first, count;  // range of its legal moves in `codes`
        std::uint32_t chosen;        // index of the move played, relative to `first`
        Player player;
        Move move;
    };

    std::vector<Step> steps;
    std::vector<std::uint32_t> codes;
    std::size_t certain = 0;               // number of steps before the first random event
    std::array<double, 2> scores{-1, -1};  // for each player: 1, 0.5 or 0; negative: no game yet

    bool played() const { return scores[0] >= 0; }
    double score(Player player) const { return scores[static_cast<std::size_t>(player)]; }
    std::uint32_t chosen_code(const Step& step) const { return codes[step.first + step.chosen]; }
    void clear() {
        steps.clear();
        codes.clear();
        certain = 0;
        scores = {-1, -1};
    }
    static std::size_t bytes(std::size_t steps, std::size_t codes) {
        return steps * sizeof(Step) + codes * sizeof(std::uint32_t);
    }
};

// The key of a move in the policy. Moves of one position have different codes, and so different keys.
inline std::uint64_t nrpa_key(NrpaOptions::Key kind, std::uint64_t state, Player player, std::uint32_t code) {
    const std::uint64_t owner = kind == NrpaOptions::Key::state ? state : mix64(static_cast<std::uint64_t>(player) + 1);
    return mix64(owner + 0x9e3779b97f4a7c15ULL * (code + std::uint64_t{1}));
}

// Adapts the policy by one step of size `alpha` towards the moves of the players for whom `learns` is true. All
// probabilities are those of the policy before the step, even if a key occurs twice. `factors` is scratch space. Leaves
// the rest undone if it must stop.
template <class Move>
void nrpa_adapt(NrpaPolicy& policy, const NrpaSequence<Move>& sequence, NrpaOptions::Key kind, double alpha,
                std::array<bool, 2> learns, std::vector<double>& factors, const NrpaPolicy::MustStop& must_stop) {
    factors.resize(sequence.codes.size());
    const auto key_of = [&](const auto& step, std::uint32_t i) {
        return nrpa_key(kind, step.state, step.player, sequence.codes[step.first + i]);
    };
    for (const auto& step : sequence.steps) {
        if (!learns[static_cast<std::size_t>(step.player)]) continue;
        if (must_stop()) return;
        double* const factor = factors.data() + step.first;
        double sum = 0;
        for (std::uint32_t i = 0; i < step.count; ++i) sum += factor[i] = policy.odds(key_of(step, i));
        // Most moves that were not chosen have the same odds, so the last exponential is reused: it takes most of the
        // time.
        double last_odds = -1, last_factor = 0;
        for (std::uint32_t i = 0; i < step.count; ++i) {
            const double odds = factor[i];
            if (i == step.chosen) {
                factor[i] = exponential(alpha * (1 - odds / sum));
                continue;
            }
            if (odds != last_odds) last_factor = exponential(-alpha * odds / sum);
            last_odds = odds;
            factor[i] = last_factor;
        }
    }
    for (const auto& step : sequence.steps) {
        if (!learns[static_cast<std::size_t>(step.player)]) continue;
        if (must_stop()) return;
        for (std::uint32_t i = 0; i < step.count; ++i)
            if (const double factor = factors[step.first + i]; factor != 1)
                policy.scale(key_of(step, i), factor, must_stop);
    }
}

// Ends after iterations * lower_iterations^(level - 1) playouts or at a limit, with the best sequence so far.
template <Playable S>
class Nrpa : public Search<S> {
public:
    using typename Search<S>::Move;
    using typename Search<S>::SearchResult;
    using typename Search<S>::Watch;
    using Sequence = NrpaSequence<Move>;

    explicit Nrpa(const NrpaOptions& options) : options_(options), random_(options.seed) {
        if (options.level < 1 || options.level > 8) throw std::invalid_argument("nrpa: level must be 1 to 8");
        if (options.iterations < 1) throw std::invalid_argument("nrpa: iterations must be at least 1");
        if (options.lower_iterations < 0) throw std::invalid_argument("nrpa: lower_iterations must not be negative");
        if (!(options.alpha > 0) || options.alpha > 100)
            throw std::invalid_argument("nrpa: alpha must be above 0 and at most 100");
        if (options.max_plies < 1) throw std::invalid_argument("nrpa: max_plies must be at least 1");
        if (options.memory_mb < 1) throw std::invalid_argument("nrpa: memory_mb must be at least 1");
        forget();
    }
    Nrpa(const Nrpa&) = delete;
    Nrpa& operator=(const Nrpa&) = delete;

    // Runs share no policy, only allocated memory, which this releases.
    void forget() override {
        const auto levels = static_cast<std::size_t>(options_.level);
        // A quarter of the memory is for sequences: two per level and the playout's, with the scratch space of adapting
        // and the slack of vectors that grow by doubling. The rest is divided into one share per policy and one share
        // for the second table that exists while a table grows.
        const std::size_t memory = options_.memory_mb << 20;
        max_sequence_bytes_ = memory / 4 / (2 * levels + 3) / 3;
        policies_.clear();
        policies_.shrink_to_fit();
        for (std::size_t level = 0; level <= levels; ++level) policies_.emplace_back(memory / 4 * 3 / (levels + 1));
        best_ = std::vector<std::array<Sequence, 2>>(levels + 1);
        playout_ = {};
        factors_ = {};
    }

    SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        Watchdog watchdog(limits, poll);
        begin(root, limits, watchdog);
        double told_at = 0;
        const std::function<void()> tell = [&] {
            if (!watch || watchdog.seconds() < told_at + 0.1) return;
            watch(result());
            told_at = watchdog.seconds();
        };
        improve(options_.level, tell);
        return result();
    }

    // Memory of policies and sequences, in bytes.
    std::size_t bytes() const {
        std::size_t sum = factors_.capacity() * sizeof(double) + bytes_of(playout_);
        for (const NrpaPolicy& policy : policies_) sum += policy.bytes();
        for (const auto& pair : best_) sum += bytes_of(pair[0]) + bytes_of(pair[1]);
        return sum;
    }

private:
    void begin(const S& root, const Limits& limits, Watchdog& watchdog) {
        root_ = &root;
        limits_ = limits;
        watchdog_ = &watchdog;
        random_ = Random(options_.seed);
        nodes_ = playouts_ = 0;
        stopped_ = false;
        memory_full_ = false;
        root_moves_.clear();
        root.generate(root_moves_, 0);
        tried_.assign(root_moves_.size(), {});
        policies_.back().clear();
    }

    // Runs one level with the policy policies_[level] and leaves its best sequences in best_[level]. The recursion is
    // as deep as the level. Calls `tell` after each iteration of each level.
    void improve(int level, const std::function<void()>& tell) {
        NrpaPolicy& policy = policies_[static_cast<std::size_t>(level)];
        auto& best = best_[static_cast<std::size_t>(level)];
        for (Sequence& sequence : best) sequence.clear();
        const bool is_highest = level == options_.level || options_.lower_iterations == 0;
        const int calls = is_highest ? options_.iterations : options_.lower_iterations;
        for (int i = 0; i < calls; ++i) {
            if (level == 1) {
                play_out(policy);
                if (!stopped_) offer(best, playout_);
            } else {
                policies_[static_cast<std::size_t>(level - 1)].copy(policy, must_stop_);
                improve(level - 1, tell);
                offer(best, best_[static_cast<std::size_t>(level - 1)]);
            }
            if (stopped_) return;
            adapt(policy, best);
            tell();
        }
    }

    // Plays one game by the policy into playout_. A game cut off by a limit does not count.
    void play_out(const NrpaPolicy& policy) {
        playout_.clear();
        if (playouts_ >= limits_.iterations) stopped_ = true;
        S state = *root_;
        std::size_t root_move = 0;
        bool certain = true, room = true;
        for (int ply = 0; ply < options_.max_plies && !stopped_ && !state.is_terminal(); ++ply) {
            moves_.clear();
            state.generate(moves_, 0);
            const std::size_t chosen = draw(policy, state);
            if (ply == 0) root_move = chosen;
            // A game too long for its memory is played to the end, but its last moves are not recorded.
            room = room && Sequence::bytes(playout_.steps.size() + 1, playout_.codes.size() + moves_.size()) <=
                               max_sequence_bytes_;
            if (room) keep(state, chosen);
            if (!enter(state, moves_[chosen])) return;
            certain = certain && !is_chance(state);
            if (certain) playout_.certain = playout_.steps.size();
            settle_chance(state, random_);
        }
        if (!stopped_) score(state, root_move);
    }

    // Samples the index of a move from moves_ and leaves the codes of all moves in codes_.
    std::size_t draw(const NrpaPolicy& policy, const S& state) {
        const std::uint64_t key = state.key();
        const Player player = state.to_move();
        codes_.clear();
        odds_.clear();
        double sum = 0;
        for (const auto move : moves_) {
            codes_.push_back(state.code(move));
            odds_.push_back(policy.odds(nrpa_key(options_.key, key, player, codes_[codes_.size() - 1])));
            sum += odds_[odds_.size() - 1];
        }
        double u = random_.uniform() * sum;
        for (std::size_t i = 0; i + 1 < odds_.size(); ++i) {
            if (u < odds_[i]) return i;
            u -= odds_[i];
        }
        return odds_.size() - 1;
    }

    void keep(const S& state, std::size_t chosen) {
        playout_.steps.push_back({.state = state.key(),
                                  .first = static_cast<std::uint32_t>(playout_.codes.size()),
                                  .count = static_cast<std::uint32_t>(codes_.size()),
                                  .chosen = static_cast<std::uint32_t>(chosen),
                                  .player = state.to_move(),
                                  .move = moves_[chosen]});
        playout_.codes.insert(playout_.codes.end(), codes_.begin(), codes_.end());
    }

    bool enter(S& state, Move move) {
        if (nodes_ >= limits_.nodes) {
            stopped_ = true;
            return false;
        }
        state.play(move);
        ++nodes_;
        stopped_ = watchdog_->must_stop();
        return !stopped_;
    }

    void score(const S& state, std::size_t root_move) {
        const Result result = state.is_terminal() ? state.result() : state.result_if_stopped();
        for (const Player player : {0, 1})
            playout_.scores[static_cast<std::size_t>(player)] = (1 + result.outcome_for(player)) / 2.0;
        ++playouts_;
        ++tried_[root_move].visits;
        tried_[root_move].score += playout_.score(root_->to_move());
    }

    using Best = std::array<Sequence, 2>;  // by player; plain NRPA uses only the root player's

    void offer(Best& best, const Sequence& game) {
        for (const Player player : {0, 1})
            if (keeps_for(player) && is_better(game, best[static_cast<std::size_t>(player)], player))
                best[static_cast<std::size_t>(player)] = game;
    }
    // Swaps instead of copying: the level below clears its sequences before it uses them again.
    void offer(Best& best, Best& found) {
        for (const Player player : {0, 1}) {
            auto &kept = best[static_cast<std::size_t>(player)], &other = found[static_cast<std::size_t>(player)];
            if (keeps_for(player) && is_better(other, kept, player)) std::swap(kept, other);
        }
    }
    bool keeps_for(Player player) const { return options_.corrected || player == root_->to_move(); }

    bool is_better(const Sequence& game, const Sequence& kept, Player player) const {
        if (!game.played()) return false;
        return game.score(player) >= kept.score(player) || (options_.corrected && refutes(game, kept, player));
    }

    // Whether the first difference between the games is a move of the opponent.
    static bool refutes(const Sequence& game, const Sequence& kept, Player player) {
        const std::size_t common = std::min(game.steps.size(), kept.steps.size());
        for (std::size_t i = 0; i < common; ++i) {
            const auto &a = game.steps[i], &b = kept.steps[i];
            if (a.state != b.state) return false;  // a random event differs
            if (game.chosen_code(a) != kept.chosen_code(b)) return a.player != player;
        }
        return false;
    }

    void adapt(NrpaPolicy& policy, const Best& best) {
        for (const Player player : {0, 1}) {
            const Sequence& game = best[static_cast<std::size_t>(player)];
            if (!game.played() || (options_.corrected && game.score(player) == 0)) continue;
            const std::array<bool, 2> learns{!options_.corrected || player == 0, !options_.corrected || player == 1};
            nrpa_adapt(policy, game, options_.key, options_.alpha, learns, factors_, must_stop_);
        }
        memory_full_ = memory_full_ || policy.full();
    }

    SearchResult result() const {
        const Sequence& best = best_.back()[static_cast<std::size_t>(root_->to_move())];
        SearchResult result;
        for (std::size_t i = 0; i < root_moves_.size(); ++i) {
            const Tried& tried = tried_[i];
            // The value of an untried move is 0.5.
            result.moves.push_back({.move = root_moves_[i],
                                    .value = tried.visits ? tried.score / static_cast<double>(tried.visits) : 0.5,
                                    .visits = tried.visits,
                                    .line = {root_moves_[i]}});
        }
        std::stable_sort(result.moves.begin(), result.moves.end(), [&](const auto& a, const auto& b) {
            const double of_a = rank(best, a), of_b = rank(best, b);
            return of_a != of_b ? of_a > of_b : a.visits > b.visits;
        });
        if (!best.steps.empty() && result.moves[0].move == best.steps[0].move)
            for (std::size_t i = 1; i < best.certain; ++i) result.moves[0].line.push_back(best.steps[i].move);
        result.value = result.moves[0].value;
        result.depth = static_cast<int>(best.steps.size());
        result.nodes = nodes_;
        result.iterations = playouts_;
        result.memory_full = memory_full_;
        return result;
    }

    double rank(const Sequence& best, const MoveResult<Move>& tried) const {
        if (options_.corrected) return tried.visits ? tried.value : -1;
        if (!best.steps.empty() && best.steps[0].move == tried.move) return std::numeric_limits<double>::infinity();
        return policies_.back().odds(nrpa_key(options_.key, root_->key(), root_->to_move(), root_->code(tried.move)));
    }

    static std::size_t bytes_of(const Sequence& sequence) {
        return Sequence::bytes(sequence.steps.capacity(), sequence.codes.capacity());
    }

    struct Tried {
        std::uint64_t visits = 0;
        double score = 0;  // the sum, for the root player
    };

    NrpaOptions options_;
    std::size_t max_sequence_bytes_;
    std::vector<NrpaPolicy> policies_;  // by level; level 0 uses the policy of level 1
    std::vector<Best> best_;            // by level
    Sequence playout_;
    std::vector<double> factors_;
    MoveList<S> moves_;
    FixedList<std::uint32_t, S::max_moves> codes_;
    FixedList<double, S::max_moves> odds_;

    const S* root_ = nullptr;  // during a run
    MoveList<S> root_moves_;
    std::vector<Tried> tried_;
    Limits limits_;
    Watchdog* watchdog_ = nullptr;
    const NrpaPolicy::MustStop must_stop_ = [this] { return stopped_ = stopped_ || watchdog_->must_stop(); };
    Random random_;
    std::uint64_t nodes_ = 0, playouts_ = 0;
    bool stopped_ = false, memory_full_ = false;
};

}  // namespace joute
