#pragma once

// Thousands of games of a network against itself, in parallel.
//
// Every game has exactly one position in each batch. `start` passes the network's answers to the searches and runs each
// one, past the end of its move or of its game if need be, until it needs the network again. So batches have a fixed
// shape, and while the network evaluates the batch of one pool the threads work on another. Games depend neither on
// each other nor on the number of threads: the same seed and the same answers give the same games.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "../history.hpp"
#include "../search/network/batch.hpp"
#include "game_record.hpp"
#include "root_search.hpp"
#include "starts.hpp"
#include "thread_team.hpp"
#include "truth.hpp"

namespace joute {

struct SelfPlayCounters {
    std::uint64_t games = 0;
    std::uint64_t plies = 0;        // moves searched
    std::uint64_t positions = 0;    // moves that became targets
    std::uint64_t simulations = 0;  // of all finished searches
    std::uint64_t evaluations = 0;  // positions evaluated by the network

    static constexpr std::array members{&SelfPlayCounters::games, &SelfPlayCounters::plies,
                                        &SelfPlayCounters::positions, &SelfPlayCounters::simulations,
                                        &SelfPlayCounters::evaluations};
    void add(const SelfPlayCounters& other) {
        for (const auto member : members) this->*member += other.*member;
    }
};

template <NetworkGame S>
class SelfPlay {
public:
    // Every game begins at one of `starts`, drawn at random; all of them must fit the frame of the first. `make_truth`
    // may be empty (truth.hpp).
    SelfPlay(const SelfPlayOptions& options, std::vector<InPlay<S>> starts, const MakeTruth<S>& make_truth)
        : options_(options), starts_(std::move(starts)), writer_(InputFrame<S>::of(first_of(starts_), options.frame)) {
        options.check<S>();
        check_starts<S>(writer_.frame(), starts_);
        slots_.reserve(static_cast<std::size_t>(options.games));
        for (int i = 0; i < options.games; ++i) {
            auto& slot =
                slots_.emplace_back(options_, starts_[0], mix64(options.seed + static_cast<std::uint64_t>(i) * 977));
            if (options.stagger > 0)
                slot.lead = static_cast<int>(slot.random.below(static_cast<std::uint32_t>(options.stagger) + 1));
            begin_game(slot);
        }
        blocks_.resize((slots_.size() + block_size - 1) / block_size);
        const bool is_solved = make_truth && options.exact_from >= 0;
        for (int i = 0; i < options.threads; ++i) truths_.push_back(is_solved ? make_truth() : Truth<S>{});
        shares_ = std::vector<Share>(static_cast<std::size_t>(options.threads));
        team_ = std::make_unique<ThreadTeam>(options.threads);
    }
    ~SelfPlay() { team_.reset(); }  // first: its threads use the other members

    const PositionWriter<S>& writer() const { return writer_; }
    const SelfPlayOptions& options() const { return options_; }
    void attach(const BatchArrays& arrays) { arrays_ = arrays; }
    bool is_attached() const { return arrays_.planes; }

    void start() {
        if (is_running_) throw JouteError("start() was called again before wait()");
        is_running_ = true;
        for (auto& share : shares_) share.next = 0;
        team_->start([this](int thread) { run_share(static_cast<std::size_t>(thread)); });
    }
    void wait() {
        if (!is_running_) return;
        is_running_ = false;
        team_->wait();
        has_asked_ = true;
        for (Block& block : blocks_) {
            counters_.add(block.counters);
            block.counters = {};
            finished_.insert(finished_.end(), block.finished.begin(), block.finished.end());
            block.finished.clear();
        }
    }

    // Returns the records of the games that ended since the last call.
    Bytes take_games() { return std::exchange(finished_, {}); }
    const SelfPlayCounters& counters() const { return counters_; }

    // Takes effect from the next move of each game on.
    void set_simulations(int full, int fast) {
        if (full < 1 || fast < 1) throw JouteError("simulations and fast_simulations must be at least 1");
        options_.simulations = full;
        options_.fast_simulations = fast;
    }
    void set_repetition_penalty(double penalty) { options_.repetition_penalty = penalty; }
    // Games record the version of the network at their beginning. Those that began without one get this one. Versions
    // are not saved.
    void set_version(std::uint32_t version) {
        version_ = version;
        for (Slot& slot : slots_)
            if (!slot.version) slot.version = version;
    }

    // Saves the games in progress. Their searches restart, so that this pool continues
    // exactly like a pool that loads the games.
    Bytes save() {
        wait();
        Bytes bytes;
        append(bytes, static_cast<std::uint32_t>(slots_.size()));
        for (const auto member : SelfPlayCounters::members) append(bytes, counters_.*member);
        for (Slot& slot : slots_) {
            slot.lead = 0;
            append(bytes, static_cast<std::uint16_t>(slot.record.plies()));
            append(bytes, static_cast<std::uint8_t>(slot.is_full));
            if (starts_.size() > 1) append(bytes, slot.start);
            for (const std::uint64_t word : slot.random.words()) append(bytes, word);
            const Bytes& plies = slot.record.bytes();
            append(bytes, static_cast<std::uint32_t>(plies.size()));
            bytes.insert(bytes.end(), plies.begin(), plies.end());
            restart_search(slot);
        }
        has_asked_ = false;
        return bytes;
    }
    void load(std::span<const std::uint8_t> bytes) {
        wait();
        ByteReader reader(bytes);
        if (reader.read<std::uint32_t>() != slots_.size())
            throw JouteError("the saved games are from a pool of a different size");
        SelfPlayCounters counters;
        for (const auto member : SelfPlayCounters::members) counters.*member = reader.read<std::uint64_t>();
        std::vector<Slot> slots;
        slots.reserve(slots_.size());
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            Slot& slot = slots.emplace_back(options_, starts_[0], 0);
            const int plies = reader.read<std::uint16_t>();
            slot.is_full = reader.read<std::uint8_t>() != 0;
            if (starts_.size() > 1) slot.start = reader.read<std::uint16_t>();
            if (slot.start >= starts_.size()) throw JouteError("a record of self-play games is damaged");
            slot.game = starts_[slot.start];
            Random::Words words;
            for (auto& word : words) word = reader.read<std::uint64_t>();
            slot.random = Random(words);
            ByteReader played(reader.take(reader.read<std::uint32_t>()));
            RecordedPly<S> ply;
            for (int k = 0; k < plies; ++k) {
                GameRecord<S>::read(played, ply);
                GameRecord<S>::play(slot.game, ply, options_.generator);
                slot.record.add(ply);
            }
            if (slot.game.is_terminal()) throw JouteError("a record of self-play games is damaged");
            restart_search(slot);
        }
        slots_ = std::move(slots);
        counters_ = counters;
        finished_.clear();
        has_asked_ = false;
    }

private:
    static constexpr std::size_t block_size = 32;  // games a thread takes at a time

    struct Slot {
        Slot(const SelfPlayOptions& options, const InPlay<S>& begin, std::uint64_t seed)
            : game(begin), random(seed), search(options) {}
        InPlay<S> game;
        std::uint16_t start = 0;
        std::optional<std::uint32_t> version;
        Random random;
        RootSearch<S> search;
        GameRecord<S> record;
        bool is_full = true;  // whether this move is searched in full
        int lead = 0;         // the plies at the beginning of this game that are not searched
        bool leads() const { return record.plies() < lead; }
    };
    static constexpr std::size_t prefetched = 3;  // distance, in games

    struct alignas(64) Share {
        std::atomic<std::size_t> next = 0;  // the next block of this thread
    };
    struct alignas(64) Block {
        Bytes finished;
        SelfPlayCounters counters;
    };

    // A thread runs the same games in every batch, so that their memory stays in its cache. When its own blocks are
    // done, it takes blocks of the other threads.
    void run_share(std::size_t thread) {
        const std::size_t threads = shares_.size();
        for (std::size_t k = 0; k < threads; ++k) {
            const std::size_t owner = (thread + k) % threads;
            for (std::size_t block; (block = owner + threads * shares_[owner].next++) < blocks_.size();)
                run_block(block, truths_[thread]);
        }
    }
    void run_block(std::size_t block, const Truth<S>& truth) {
        const std::size_t last = std::min(slots_.size(), (block + 1) * block_size);
        for (std::size_t i = block * block_size; i < last; ++i) {
            if (i + prefetched < last) slots_[i + prefetched].search.prefetch();
            run(i, blocks_[block], truth);
        }
    }

    void run(std::size_t i, Block& block, const Truth<S>& truth) {
        Slot& slot = slots_[i];
        if (has_asked_) slot.search.answer(arrays_, i);
        while (!slot.search.advance(slot.random)) finish_move(slot, block, truth);
        const int g = options_.symmetries
                          ? static_cast<int>(slot.random.below(static_cast<std::uint32_t>(writer_.symmetries())))
                          : 0;
        slot.search.ask(writer_, g, arrays_, i);
        ++block.counters.evaluations;
    }

    void finish_move(Slot& slot, Block& block, const Truth<S>& truth) {
        const auto moves = slot.search.moves();
        thread_local RecordedPly<S> ply;
        ply.outcomes.clear();
        ply.weights.clear();
        ply.exact.reset();
        ply.surprise = 0;
        ply.value = slot.search.value();
        ply.is_target = slot.is_full;
        if (truth && options_.exact_from >= 0 && slot.game.ply() >= options_.exact_from) ply.exact = truth(slot.game);
        const std::size_t chosen = slot.search.choice(slot.random, slot.game.ply());
        if (slot.is_full) {
            typename RootSearch<S>::Target target;
            std::array<std::uint8_t, S::max_moves> weights;
            slot.search.target(target, chosen, slot.game.ply());
            ply.surprise = slot.search.surprise(target);
            quantised({target.data(), moves.size()}, {weights.data(), moves.size()});
            for (std::size_t i = 0; i < moves.size(); ++i)
                if (weights[i] > 0) ply.weights.push_back({static_cast<typename RecordedPly<S>::Place>(i), weights[i]});
        }
        const auto move = moves[chosen].move;
        ply.move = static_cast<typename RecordedPly<S>::Place>(chosen);
        slot.game.play(move);
        FixedList<int, RecordedPly<S>::most_outcomes> outcomes;
        settle(slot, ply, &outcomes);
        slot.record.add(ply);
        ++block.counters.plies;
        block.counters.positions += slot.is_full;
        block.counters.simulations += static_cast<std::uint64_t>(slot.search.simulations());
        const bool is_stopped = (options_.max_plies > 0 && slot.game.ply() >= options_.max_plies) ||
                                slot.record.plies() == GameRecord<S>::most_plies;
        if (slot.game.is_terminal() || is_stopped) {
            const Result result = slot.game.is_terminal() ? slot.game.result() : slot.game.result_if_stopped();
            slot.record.finish(result, slot.version, recorded_start(starts_, slot.start), block.finished);
            ++block.counters.games;
            slot.search.forget();
            slot.lead = 0;
            begin_game(slot);
        } else {
            slot.search.follow(chosen, {outcomes.begin(), outcomes.size()}, slot.game);
            begin_move(slot);
        }
    }

    // Draws the outcomes of the random events after a move.
    void settle(Slot& slot, RecordedPly<S>& ply, FixedList<int, RecordedPly<S>::most_outcomes>* outcomes) {
        if constexpr (S::has_chance)
            while (slot.game.is_chance()) {
                const int outcome = pick_outcome(static_cast<const S&>(slot.game), slot.random.uniform());
                slot.game.resolve(outcome);
                ply.outcomes.push_back(static_cast<OutcomeNumber<S>>(outcome));
                if (outcomes) outcomes->push_back(outcome);
            }
    }

    void begin_game(Slot& slot) {
        slot.version = version_;
        do {
            if (starts_.size() > 1)
                slot.start = static_cast<std::uint16_t>(slot.random.below(static_cast<std::uint32_t>(starts_.size())));
            slot.game = starts_[slot.start];
            slot.record.clear();
            if (options_.random_plies > 0 && slot.random.uniform() < options_.random_share) play_at_random(slot);
        } while (slot.game.is_terminal());
        begin_move(slot);
    }

    void play_at_random(Slot& slot) {
        const auto plies = slot.random.below(static_cast<std::uint32_t>(options_.random_plies) + 1);
        for (std::uint32_t i = 0; i < plies && !slot.game.is_terminal(); ++i) {
            MoveList<S> moves;
            list_judged_moves(static_cast<const S&>(slot.game), options_.generator, moves);
            RecordedPly<S> ply;
            ply.move = static_cast<typename RecordedPly<S>::Place>(
                slot.random.below(static_cast<std::uint32_t>(moves.size())));
            slot.game.play(moves[ply.move]);
            settle(slot, ply, nullptr);
            slot.record.add(ply);
        }
    }

    void begin_move(Slot& slot) {
        slot.is_full = !slot.leads() && (options_.full_share >= 1 || slot.random.uniform() < options_.full_share);
        begin_search(slot);
    }
    void restart_search(Slot& slot) {
        slot.search.forget();
        begin_search(slot);
    }
    void begin_search(Slot& slot) {
        if (slot.leads())
            slot.search.begin(slot.game, 1, true);
        else
            slot.search.begin(slot.game, slot.is_full ? options_.simulations : options_.fast_simulations, slot.is_full);
    }

    SelfPlayOptions options_;
    std::vector<InPlay<S>> starts_;
    PositionWriter<S> writer_;
    std::vector<Slot> slots_;
    std::vector<Block> blocks_;
    std::vector<Truth<S>> truths_;
    BatchArrays arrays_;
    SelfPlayCounters counters_;
    Bytes finished_;
    std::optional<std::uint32_t> version_;  // of the network
    bool is_running_ = false;
    bool has_asked_ = false;     // whether the arrays hold answers to the last batch
    std::vector<Share> shares_;  // one per thread
    std::unique_ptr<ThreadTeam> team_;
};

}  // namespace joute
