#pragma once

// Runs the search of self-play on many given positions in parallel. Matches between networks, and error counts over
// many positions, then take little longer than the network itself.

#include <numeric>

#include "../search/network/batch.hpp"
#include "../search/search.hpp"
#include "root_search.hpp"
#include "thread_team.hpp"

namespace joute {

template <NetworkGame S>
class BatchSearch {
public:
    using SearchResult = joute::SearchResult<typename S::Move>;

    // Searches positions that the frame of `start` holds.
    BatchSearch(const SelfPlayOptions& options, const S& start)
        : options_(options), writer_(InputFrame<S>::of(start, options.frame)), team_(options.threads) {
        options.check<S>();
    }

    const PositionWriter<S>& writer() const { return writer_; }
    const SelfPlayOptions& options() const { return options_; }
    void attach(const BatchArrays& arrays) { arrays_ = arrays; }
    bool is_attached() const { return arrays_.planes; }

    // Starts the searches. The frame must hold each position, and a player must be to move in it.
    void begin(std::span<const InPlay<S>> games) {
        if (games.size() > static_cast<std::size_t>(options_.games))
            throw JouteError("there are more positions than the batch holds");
        searches_.clear();
        waiting_.clear();
        for (const auto& game : games) {
            auto& slot = searches_.emplace_back(options_, mix64(options_.seed + searches_.size()));
            slot.search.begin(game, options_.simulations, false);
            slot.is_active = true;
        }
    }

    // Runs every search until it needs the network, writes those positions and returns their number; 0 if all searches
    // have ended.
    std::size_t collect() {
        in_parallel(searches_.size(), [&](std::size_t i) {
            Slot& slot = searches_[i];
            if (slot.is_active) slot.is_active = slot.search.advance(slot.random);
        });
        waiting_.clear();
        for (std::size_t i = 0; i < searches_.size(); ++i)
            if (searches_[i].is_active) waiting_.push_back(i);
        in_parallel(waiting_.size(), [&](std::size_t row) {
            Slot& slot = searches_[waiting_[row]];
            const auto symmetries = static_cast<std::uint32_t>(writer_.symmetries());
            const int g = options_.symmetries ? static_cast<int>(slot.random.below(symmetries)) : 0;
            slot.search.ask(writer_, g, arrays_, row);
        });
        return waiting_.size();
    }
    void deliver() {
        in_parallel(waiting_.size(), [&](std::size_t row) { searches_[waiting_[row]].search.answer(arrays_, row); });
        waiting_.clear();
    }

    // The results of the finished searches.
    std::vector<SearchResult> results() {
        std::vector<SearchResult> results;
        for (Slot& slot : searches_) results.push_back(result(slot));
        return results;
    }
    // The policy target that self-play would record for each position.
    std::vector<std::vector<float>> targets() {
        std::vector<std::vector<float>> targets;
        for (Slot& slot : searches_) {
            typename RootSearch<S>::Target target;
            const int ply = slot.search.tree().root_state().ply();
            slot.search.target(target, slot.search.choice(slot.random, ply), ply);
            targets.emplace_back(target.begin(), target.begin() + std::ssize(slot.search.moves()));
        }
        return targets;
    }

private:
    struct Slot {
        Slot(const SelfPlayOptions& options, std::uint64_t seed) : search(options), random(seed) {}
        RootSearch<S> search;
        Random random;
        bool is_active = false;
    };

    template <class Work>
    void in_parallel(std::size_t count, const Work& work) {
        if (options_.threads == 1 || count < 2) {
            for (std::size_t i = 0; i < count; ++i) work(i);
            return;
        }
        std::atomic<std::size_t> next = 0;
        team_.start([&](int) {
            for (std::size_t i; (i = next++) < count;) work(i);
        });
        team_.wait();
    }

    SearchResult result(Slot& slot) const {
        using Tree = NetworkTree<S>;
        const auto& tree = slot.search.tree();
        const auto& root = tree[Tree::root];
        SearchResult result;
        result.value = (slot.search.value() + 1) / 2;
        result.proven = root.bounds.solved();
        result.iterations = static_cast<std::uint64_t>(slot.search.simulations());
        result.nodes = slot.search.nodes();
        if (root.kind == Tree::Kind::waiting) throw JouteError("the searches of this batch have not finished");
        std::vector<std::size_t> order(slot.search.moves().size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const std::size_t chosen = slot.search.choice(slot.random, 1 << 20);
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            if ((a == chosen) != (b == chosen)) return a == chosen;
            return slot.search.moves()[a].visits > slot.search.moves()[b].visits;
        });
        for (const std::size_t i : order) {
            const auto& edge = slot.search.moves()[i];
            result.moves.push_back({.move = edge.move,
                                    .value = (Tree::value_of(edge, root.mover) + 1) / 2,
                                    .visits = edge.visits,
                                    .lower = edge.bounds.lower_for(root.mover),
                                    .upper = edge.bounds.upper_for(root.mover),
                                    .line = {edge.move}});
        }
        return result;
    }

    SelfPlayOptions options_;
    PositionWriter<S> writer_;
    std::vector<Slot> searches_;
    std::vector<std::size_t> waiting_;
    BatchArrays arrays_;
    ThreadTeam team_;
};

}  // namespace joute
