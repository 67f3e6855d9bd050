#pragma once

// PUCT search guided by a network, for one position: the search of the agent `alphazero`.
//
// The network evaluates leaves in batches, several times faster than one by one. While a leaf waits for its batch, the
// simulations through it count as losses (virtual loss), so that the simulations of a batch take different paths. The
// batch size grows with the tree: the first simulations, on which all others build, are evaluated one by one.
//
// The network's answers are remembered by the network's input, so a position that is reached by several orders of
// moves, or in a later search, is evaluated once. A remembered answer takes its place in the batch, so the search is
// the same without the memory, only slower.
//
// On a clock, a search ends early once no further simulation can change the move (Limits::decided), and goes on for a
// while if the most visited move is in doubt (Limits::seconds_in_doubt).

#include <functional>
#include <vector>

#include "../../options.hpp"
#include "../search.hpp"
#include "answers.hpp"
#include "batch.hpp"
#include "tree.hpp"

namespace joute {

struct NetworkSearchOptions {
    enum class Symmetry { none, undone, scrambled };
    static constexpr std::array<std::string_view, 3> symmetry_names{"none", "undone", "scrambled"};

    int batch;  // maximum number of positions per network call
    PuctRule puct;
    bool reuse;  // keep the subtree of the new root, in games without repetition
    int generator;
    int few_outcomes;   // merge similar outcomes of a random event; 0 for all outcomes
    FrameChoice frame;  // of the network
    // Whether a leaf is shown to the network under a random symmetry, which is then undone in its policy; or not
    // undone, an error of a paper.
    Symmetry symmetry;
    std::uint64_t seed;  // of the symmetries
    std::size_t memory_mb;
    std::size_t remembered_mb;  // most memory of the network's answers; 0 remembers none

    static constexpr auto fields() {
        using O = NetworkSearchOptions;
        return std::tuple{
            Option<&O::batch>{"batch"},
            Option<&O::puct, &PuctRule::c>{"c_puct"},
            Option<&O::puct, &PuctRule::fpu_reduction>{"fpu_reduction"},
            Option<&O::reuse>{"reuse"},
            Option<&O::generator>{"generator"},
            Option<&O::few_outcomes>{"few_outcomes"},
            Option<&O::frame, &FrameChoice::encoding>{"encoding"},
            Option<&O::frame, &FrameChoice::rows>{"frame_rows"},
            Option<&O::frame, &FrameChoice::columns>{"frame_columns"},
            Option<&O::symmetry>{"symmetry", symmetry_names},
            Option<&O::seed>{"seed"},
            Option<&O::memory_mb>{"memory_mb"},
            Option<&O::remembered_mb>{"remembered_mb"},
        };
    }
};

// A batch for the network, with arrays as in BatchArrays.
struct NetworkRequest {
    std::size_t positions;
    InputShape shape;
    std::vector<std::uint8_t> planes;
    std::vector<std::int16_t> legal;
    std::vector<float> priors, values;
};

template <NetworkGame S>
class NetworkSearch : public Search<S> {
public:
    using typename Search<S>::Move;
    using typename Search<S>::SearchResult;
    using typename Search<S>::Watch;
    // Evaluates the request's positions: fills `priors` and `values`.
    using Evaluate = std::function<void(NetworkRequest&)>;

    NetworkSearch(const NetworkSearchOptions& options, Evaluate evaluate)
        : options_(options),
          evaluate_(std::move(evaluate)),
          random_(options.seed),
          answers_(options.remembered_mb << 20) {
        if (options.batch < 1) throw JouteError("batch must be at least 1");
        check_generator<S>(options.generator);
        // A batch may exceed the limit of memory, because only the tree before it is measured.
        const std::size_t batch_bytes =
            static_cast<std::size_t>(options.batch) * S::max_moves * sizeof(typename Tree::Edge);
        tree_.reserve((options.memory_mb << 20) + 2 * batch_bytes);
    }

    SearchResult run(const S& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        return run_after({}, root, limits, poll, watch);
    }

    SearchResult run_after(Past past, const S& root, const Limits& limits, const Poll& poll,
                           const Watch& watch) override {
        Limits longest = limits;
        longest.seconds += limits.seconds_in_doubt;
        Watchdog watchdog(longest, poll);
        const auto frame = InputFrame<S>::of(root, options_.frame);
        if (!writer_ || writer_->frame() != frame) {
            writer_.emplace(frame);
            answers_.clear();
            is_known_ = false;
        }
        if (!options_.reuse || !is_known_ || !find(root, past))
            tree_.reset(root, past, options_.generator, options_.few_outcomes);
        is_known_ = false;
        iterations_ = nodes_ = 0;
        deepest_ = 0;
        memory_full_ = false;
        if (tree_[Tree::root].kind == Tree::Kind::waiting) {
            leaves_.assign(1, {root, {}, Tree::root});
            judge(watchdog);
        }
        double next_watch = 0.1;
        while (!tree_[Tree::root].bounds.solved() && iterations_ < limits.iterations && nodes_ < limits.nodes) {
            const double elapsed = watchdog.seconds();
            std::uint64_t most = most_leaves(limits.seconds - elapsed);
            if (most == 0 && limits.seconds_in_doubt > 0 && is_in_doubt())
                most = most_leaves(longest.seconds - elapsed);
            if (watchdog.look() || most == 0) break;
            if (limits.decided && is_decided(simulations_left(limits, elapsed))) break;
            if (tree_.bytes() > (options_.memory_mb << 20)) {
                memory_full_ = true;
                break;
            }
            collect(limits, most);
            if (!leaves_.empty()) judge(watchdog);
            if (watch && watchdog.seconds() > next_watch) {
                watch(result());
                next_watch = watchdog.seconds() + 0.1;
            }
        }
        is_known_ = true;
        return result();
    }

    void forget() override {
        is_known_ = false;
        answers_.clear();
        random_ = Random(options_.seed);
    }

private:
    using Tree = NetworkTree<S>;
    using Index = typename Tree::Index;
    struct Leaf {
        S state;
        typename Tree::Path path;
        Index node;
    };

    // Runs simulations until a batch of leaves is full. Simulations that end in finished or proven positions need no
    // network and are backed up at once.
    void collect(const Limits& limits, std::uint64_t most) {
        leaves_.clear();
        for (std::uint64_t settled = 0; leaves_.size() < most && settled < most_settled;) {
            if (tree_[Tree::root].bounds.solved() || iterations_ + leaves_.size() >= limits.iterations ||
                nodes_ >= limits.nodes)
                return;
            Leaf leaf{tree_.root_state(), {}, 0};
            leaf.node = tree_.descend(leaf.state, leaf.path, nodes_,
                                      [&](Index node) { return puct_choice(tree_, node, options_.puct); });
            deepest_ = std::max(deepest_, static_cast<int>(leaf.path.size()));
            const auto& node = tree_[leaf.node];
            if (node.kind == Tree::Kind::waiting) {
                // Already in this batch: the tree is too small for a larger one.
                if (tree_.edge(leaf.path.back().edge).pending > 0) return;
                tree_.wait(leaf.path);
                leaves_.push_back(std::move(leaf));
            } else {
                iterations_ += tree_.back_up(leaf.path, leaf.node);
                ++settled;
            }
        }
    }

    // The most simulations that the limits leave room for, if they become no faster than twice the mean so far.
    std::uint64_t simulations_left(const Limits& limits, double elapsed) const {
        const std::uint64_t left = limits.iterations - iterations_;
        const double seconds = limits.seconds - elapsed;
        if (!(seconds < a_day) || iterations_ == 0) return left;
        const double most = 2 * static_cast<double>(iterations_) / std::max(elapsed, 1e-6) * std::max(seconds, 0.0);
        return std::min(left, static_cast<std::uint64_t>(most) + static_cast<std::uint64_t>(options_.batch));
    }
    // Whether no other move of the root can have the most visits after so many more simulations.
    bool is_decided(std::uint64_t simulations) const {
        const auto& node = tree_[Tree::root];
        const Index best = most_visited(tree_);
        if (!Tree::may_help(tree_.edge(best), node) || !Tree::is_worth_playing(tree_.edge(best), node)) return false;
        for (Index i = node.first_edge; i < node.first_edge + node.edges; ++i)
            if (i != best && tree_.edge(i).visits + simulations >= tree_.edge(best).visits) return false;
        return true;
    }
    // Whether another move of the root has a higher value than the most visited one, or nearly as many visits.
    bool is_in_doubt() const {
        const auto& node = tree_[Tree::root];
        const auto& best = tree_.edge(most_visited(tree_));
        const float value = Tree::value_of(best, node.mover);
        return std::ranges::any_of(tree_.edges_of(Tree::root), [&](const typename Tree::Edge& edge) {
            if (&edge == &best || edge.visits * least_rival < best.visits) return false;
            return Tree::value_of(edge, node.mover) > value ||
                   edge.visits * near_rival >= best.visits * (near_rival - 1);
        });
    }

    // The most leaves of the next batch: it must end within the seconds left, if a leaf takes as long as in the last
    // batch.
    std::uint64_t most_leaves(double seconds_left) const {
        const std::uint64_t visits = tree_[Tree::root].visits;
        const auto most =
            std::clamp<std::uint64_t>(visits / simulations_a_leaf, 1, static_cast<std::uint64_t>(options_.batch));
        if (seconds_left >= seconds_a_leaf_ * static_cast<double>(most)) return most;
        return seconds_left > 0 ? static_cast<std::uint64_t>(seconds_left / seconds_a_leaf_) : 0;
    }

    // Evaluates the leaves of the batch by the network and backs up their values.
    void judge(const Watchdog& watchdog) {
        const double began = watchdog.seconds();
        constexpr auto width = static_cast<std::size_t>(PositionWriter<S>::width);
        constexpr auto parts = static_cast<std::size_t>(PositionWriter<S>::parts);
        const auto input = static_cast<std::size_t>(writer_->input_size());
        request_.positions = leaves_.size();
        request_.shape = writer_->frame().shape();
        request_.planes.resize(leaves_.size() * input);
        request_.legal.resize(leaves_.size() * width * parts);
        request_.priors.assign(leaves_.size() * width, 0);
        request_.values.assign(leaves_.size(), 0);
        for (std::size_t row = 0; row < leaves_.size(); ++row) {
            MoveList<S> moves;
            tree_.list_moves(leaves_[row].node, leaves_[row].state, moves);
            using enum NetworkSearchOptions::Symmetry;
            const int g = options_.symmetry == none
                              ? 0
                              : static_cast<int>(random_.below(static_cast<std::uint32_t>(writer_->symmetries())));
            writer_->write_planes(leaves_[row].state, g, request_.planes.data() + row * input);
            writer_->write_legal(
                leaves_[row].state, moves.size(), [&](std::size_t i) { return moves[i]; },
                options_.symmetry == scrambled ? 0 : g, request_.legal.data() + row * width * parts);
        }
        evaluate(input, width * parts, width);
        const double seconds = (watchdog.seconds() - began) / static_cast<double>(leaves_.size());
        // A batch may take much longer than the one before it, where memory is allocated or the machine is busy.
        seconds_a_leaf_ = std::max(seconds, seconds_a_leaf_ * forgotten_a_batch);
        for (std::size_t row = 0; row < leaves_.size(); ++row) {
            const Leaf& leaf = leaves_[row];
            const std::span priors(request_.priors.data() + row * width, tree_[leaf.node].moves);
            make_probabilities(priors);
            const float value = request_.values[row];
            tree_.answer(leaf.node, [&](std::size_t i) { return priors[i]; }, value >= -1 && value <= 1 ? value : 0.0f);
            if (leaf.node == Tree::root) continue;
            tree_.stop_waiting(leaf.path);
            iterations_ += tree_.back_up(leaf.path, leaf.node);
        }
    }

    // Fills the priors and values of the request's rows: those that are not remembered by the network.
    void evaluate(std::size_t input, std::size_t legal, std::size_t width) {
        const auto key_of = [&](std::size_t row) {
            return answers_.key({request_.planes.data() + row * input, input},
                                {request_.legal.data() + row * legal, legal});
        };
        answers_.make_room();
        keys_.clear();
        rows_.clear();  // of the request before unknown rows are moved together
        for (std::size_t row = 0; row < leaves_.size(); ++row) {
            keys_.push_back(answers_.is_on() ? key_of(row) : 0);
            if (answers_.is_on() && answers_.knows(keys_[row])) continue;
            const std::size_t to = rows_.size();
            if (to != row) {
                std::copy_n(request_.planes.begin() + static_cast<std::ptrdiff_t>(row * input), input,
                            request_.planes.begin() + static_cast<std::ptrdiff_t>(to * input));
                std::copy_n(request_.legal.begin() + static_cast<std::ptrdiff_t>(row * legal), legal,
                            request_.legal.begin() + static_cast<std::ptrdiff_t>(to * legal));
            }
            rows_.push_back(row);
        }
        request_.positions = rows_.size();
        if (!rows_.empty()) {
            try {
                evaluate_(request_);
            } catch (...) {
                is_known_ = false;
                throw;
            }
        }
        if (!answers_.is_on()) return;
        // From the last row to the first, so that an answer is moved before another takes its place.
        for (std::size_t i = rows_.size(); i-- > 0;) {
            const std::size_t row = rows_[i];
            const std::span priors(request_.priors.data() + i * width, tree_[leaves_[row].node].moves);
            answers_.add(keys_[row], priors, request_.values[i]);
        }
        for (std::size_t row = 0; row < leaves_.size(); ++row)
            request_.values[row] = answers_.find(keys_[row], {request_.priors.data() + row * width, width});
    }

    // Normalizes priors. A user's network may return arbitrary numbers: those outside [0, 1] count as 0.
    static void make_probabilities(std::span<float> priors) {
        float sum = 0;
        for (float& prior : priors) {
            if (!(prior >= 0 && prior <= 1)) prior = 0;
            sum += prior;
        }
        for (float& prior : priors) prior = sum > 0 ? prior / sum : 1 / static_cast<float>(priors.size());
    }

    // Tree reuse: makes `wanted` the root if it is the old root or lies up to two moves below it.
    bool find(const S& wanted, Past past) {
        if constexpr (S::repeats) {
            return false;
        } else {
            std::vector<std::pair<Index, S>> below{{Tree::root, tree_.root_state()}};
            if (below[0].second == wanted) return true;
            for (int moves = 0; moves < 2; ++moves) {
                std::vector<std::pair<Index, S>> next;
                for (const auto& [index, state] : below) enter_all(index, state, next);
                for (const auto& [index, state] : next)
                    if (state == wanted && tree_.keep(index, wanted, past)) return true;
                below = std::move(next);
            }
            return false;
        }
    }
    void enter_all(Index index, const S& state, std::vector<std::pair<Index, S>>& positions) const {
        const auto& node = tree_[index];
        if (node.kind != Tree::Kind::open && node.kind != Tree::Kind::chance) return;
        const auto edges = tree_.edges_of(index);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (edges[i].child == 0) continue;
            S after = state;
            if (node.kind == Tree::Kind::open) after.play(edges[i].move);
            if constexpr (S::has_chance)
                if (node.kind == Tree::Kind::chance) after.resolve(edges[i].outcome);
            if (tree_[edges[i].child].kind == Tree::Kind::chance)
                enter_all(edges[i].child, after, positions);
            else
                positions.emplace_back(edges[i].child, after);
        }
    }

    SearchResult result() const {
        const auto& root = tree_[Tree::root];
        const auto edges = tree_.edges_of(Tree::root);
        const Index best = most_visited(tree_) - root.first_edge;
        SearchResult result;
        result.proven = root.bounds.solved();
        result.depth = deepest_;
        result.nodes = nodes_;
        result.iterations = iterations_;
        result.memory_full = memory_full_;
        for (std::size_t i = 0; i < edges.size(); ++i) result.moves.push_back(result_of(edges[i], root));
        std::swap(result.moves[0], result.moves[best]);
        std::stable_sort(result.moves.begin() + 1, result.moves.end(), [](const auto& a, const auto& b) {
            return a.visits != b.visits ? a.visits > b.visits : a.value > b.value;
        });
        result.value = result.moves[0].value;
        return result;
    }
    MoveResult<Move> result_of(const typename Tree::Edge& edge, const typename Tree::Node& root) const {
        // A move without visits and without a proof gets the network's value of the position.
        const float value = edge.visits > 0 || edge.bounds.solved() ? Tree::value_of(edge, root.mover)
                                                                    : Tree::value_for(root, root.mover);
        MoveResult<Move> found{.move = edge.move,
                               .value = (value + 1) / 2,
                               .visits = edge.visits,
                               .lower = edge.bounds.lower_for(root.mover),
                               .upper = edge.bounds.upper_for(root.mover),
                               .line = {edge.move}};
        for (Index index = edge.child; index != 0 && tree_[index].kind == Tree::Kind::open;) {
            const typename Tree::Edge* next = nullptr;
            for (const auto& candidate : tree_.edges_of(index))
                if (candidate.visits > 0 && (!next || candidate.visits > next->visits)) next = &candidate;
            if (!next) break;
            found.line.push_back(next->move);
            index = next->child;
        }
        return found;
    }

    static constexpr double a_day = 86400;
    static constexpr double forgotten_a_batch = 0.9;  // how fast the slowest batch is forgotten
    static constexpr std::uint32_t least_rival = 4;   // a rival has at least this share of the best move's visits: 1/4
    static constexpr std::uint32_t near_rival = 8;    // and nearly as many if at most 1/8 of them are missing
    static constexpr std::uint64_t simulations_a_leaf = 8;  // the batch grows by one leaf per 8 visits of the root
    static constexpr std::uint64_t most_settled = 1024;  // simulations without the network between checks of the clock

    NetworkSearchOptions options_;
    Evaluate evaluate_;
    Random random_;
    std::optional<PositionWriter<S>> writer_;
    Tree tree_;
    bool is_known_ = false;  // whether the tree is that of a search that ended without an exception
    std::vector<Leaf> leaves_;
    NetworkRequest request_;
    NetworkAnswers answers_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::size_t> rows_;
    std::uint64_t iterations_ = 0, nodes_ = 0;
    int deepest_ = 0;
    bool memory_full_ = false;
    double seconds_a_leaf_ = 0;  // of a recent batch, which may be that of an earlier search
};

}  // namespace joute
