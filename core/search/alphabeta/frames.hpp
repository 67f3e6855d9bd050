#pragma once

// The search stack: one frame for each position on the current line, from the root down. Frames lie on the heap,
// because move lists of thousands of moves would exhaust the native stack.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "../../table.hpp"
#include "move_order.hpp"
#include "star.hpp"

namespace joute {

// The additional data of a chance state; empty in games without chance.
template <Playable S>
struct FrameEvent {};
template <Playable S>
    requires S::has_chance
struct FrameEvent<S> {
    OutcomeList<S> probabilities;
    FixedList<std::uint16_t, S::max_outcomes> order;  // the possible outcomes, the likeliest first
    Expectation<S::max_outcomes> expectation;

    void sort_outcomes() {
        order.clear();
        for (std::size_t i = 0; i < probabilities.size(); ++i)
            if (probabilities[i] > 0) order.push_back(static_cast<std::uint16_t>(i));
        std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
            return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
        });
    }
};

template <Playable S>
struct Frame {
    explicit Frame(const S& root) : state(root) {}

    S state;
    Player mover = 0;
    int ply = 0;                       // moves from the root
    std::uint64_t key = 0;             // in the transposition table
    int symmetry = 0;                  // maps the position to the one that the table stores
    std::byte* accumulator = nullptr;  // of the evaluation; null if it has none
    std::array<std::uint32_t, 2> killers{TableEntry::no_code, TableEntry::no_code};
    std::vector<typename S::Move> line;  // the principal variation from here
    std::vector<RankedMove> ranked;
    bool is_after_null = false;  // whether a null move led here
    bool looks_ahead = false;    // whether the moves without a score are yet to be evaluated for ordering
    MoveList<S> moves;
    [[no_unique_address]] FrameEvent<S> event;
};

template <Playable S>
class Frames {
public:
    using Move = typename S::Move;

    // Reserves room for `plies` moves and about as many random events.
    Frames(const S& root, std::size_t plies, const Evaluation<S>* evaluation, const void* params)
        : evaluation_(evaluation && evaluation->start ? evaluation : nullptr), params_(params) {
        most_ = S::has_chance ? 2 * plies + 64 : plies + 2;
        frames_.reserve(most_);
        if (evaluation_) {
            stride_ = evaluation_->accumulator_size / sizeof(Block) + 1;
            accumulators_.resize(stride_ * most_);
        }
        add_frame(root).mover = root.to_move();
        if (evaluation_) evaluation_->start(root, frames_[0].accumulator, params_);
    }

    Frame<S>& operator[](std::size_t level) { return frames_[level]; }
    const Frame<S>& operator[](std::size_t level) const { return frames_[level]; }

    // Plays a move into the next frame, which it returns.
    Frame<S>& play(std::size_t level, Move move) {
        const Frame<S>& frame = frames_[level];
        Frame<S>& next = copy_to_next(level);
        next.state.play(move);
        next.mover = next.state.to_move();
        next.is_after_null = false;
        ++next.ply;
        if (!evaluation_) return next;
        if (evaluation_->update)
            evaluation_->update(frame.state, move, next.state, copy_accumulator(frame, next), params_);
        else
            evaluation_->start(next.state, next.accumulator, params_);
        return next;
    }

    // Passes the turn into the next frame, which it returns.
    Frame<S>& play_null(std::size_t level)
        requires HasNullMove<S>
    {
        Frame<S>& next = copy_to_next(level);
        next.state.play_null();
        next.mover = next.state.to_move();
        next.is_after_null = true;
        ++next.ply;
        if (evaluation_) evaluation_->start(next.state, next.accumulator, params_);
        return next;
    }

    // Resolves the random event into the next frame, which it returns.
    Frame<S>& resolve(std::size_t level, int outcome)
        requires S::has_chance
    {
        const Frame<S>& frame = frames_[level];
        Frame<S>& next = copy_to_next(level);
        next.state.resolve(outcome);
        next.mover = next.state.to_move();
        next.is_after_null = false;
        if (!evaluation_) return next;
        if (evaluation_->resolve)
            evaluation_->resolve(frame.state, outcome, next.state, copy_accumulator(frame, next), params_);
        else
            evaluation_->start(next.state, next.accumulator, params_);
        return next;
    }

    // Sets the principal variation of this frame: the move, then the variation of the next frame.
    void lead(std::size_t level, Move move) {
        auto& line = frames_[level].line;
        const auto& rest = frames_[level + 1].line;
        line.assign(1, move);
        line.insert(line.end(), rest.begin(), rest.end());
    }

private:
    // Aligned, because evaluations may use vector instructions on their accumulators.
    struct alignas(64) Block {
        std::byte bytes[64];
    };

    // Frames are constructed when a line first reaches their level, because few lines reach the maximum. Their memory
    // is reserved from the start, so references stay valid.
    Frame<S>& add_frame(const S& state) {
        Frame<S>& frame = frames_.emplace_back(state);
        if (evaluation_) frame.accumulator = accumulators_[(frames_.size() - 1) * stride_].bytes;
        return frame;
    }

    Frame<S>& copy_to_next(std::size_t level) {
        if (level + 1 == frames_.size()) return add_next(level);
        Frame<S>& next = frames_[level + 1];
        next.state = frames_[level].state;
        next.ply = frames_[level].ply;
        return next;
    }
    Frame<S>& add_next(std::size_t level) {
        if (frames_.size() == most_)
            throw JouteError("the search reached a line of " + std::to_string(frames_.size()) +
                             " moves and random events, the most that it can hold; check that every random event of "
                             "this game leads to a position where a player moves");
        Frame<S>& next = add_frame(frames_[level].state);
        next.ply = frames_[level].ply;
        return next;
    }
    std::byte* copy_accumulator(const Frame<S>& frame, Frame<S>& next) {
        std::memcpy(next.accumulator, frame.accumulator, evaluation_->accumulator_size);
        return next.accumulator;
    }

    std::vector<Frame<S>> frames_;
    std::vector<Block> accumulators_;
    std::size_t most_ = 0;             // maximum number of frames
    std::size_t stride_ = 0;           // blocks per accumulator
    const Evaluation<S>* evaluation_;  // null if the evaluation has no accumulator
    const void* params_;
};

}  // namespace joute
