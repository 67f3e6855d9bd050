#pragma once

// The frame of a network: how it sees the positions of a game, and which of its outputs belong to a move.
//
// A game on a board of one size has a single frame, which its rules define (RulesFrame). A game on boards of many sizes
// defines its own class `Frame` with the same members. Its frame has a number of rows and columns, and every board that
// fits can be written into it, so that positions of different sizes share a batch. Such a game may also have several
// encodings of a position.

#include <string>

#include "game.hpp"

namespace joute {

// Selects a frame: an encoding by its index in `Frame::encodings`, and the size; 0 selects the default encoding and the
// board's own size.
struct FrameChoice {
    int encoding;
    int rows, columns;
    bool operator==(const FrameChoice&) const = default;
};

template <OneSizeNetworkGame S>
class RulesFrame {
public:
    // Names of the encodings; the first is the default.
    static constexpr std::array<std::string_view, 1> encodings{"planes"};
    // The maximum number of moves of a position that a network can judge.
    static constexpr int most_moves = static_cast<int>(S::max_moves);

    // The frame for the board of `state`. Throws JouteError if the game has no such frame.
    static RulesFrame of(const S& state, const FrameChoice& choice = {}) {
        if (choice != FrameChoice{}) throw JouteError(std::string(S::name) + " has one encoding and one size of board");
        return RulesFrame(state.rules());
    }

    InputShape shape() const { return rules_->input_shape(); }
    // The number that a network multiplies the bytes of a plane with: 1 unless the rules have a `plane_scale`.
    float scale(int plane) const {
        if constexpr (requires { rules_->plane_scale(plane); })
            return rules_->plane_scale(plane);
        else
            return 1;
    }
    // Whether the first plane marks the cells that belong to the board.
    bool is_masked() const { return false; }
    int policy_size() const { return rules_->policy_size(); }
    // The number of symmetries that map the frame to itself; and where they map inputs and policy indices.
    int symmetries() const { return rules_->symmetry_count(); }
    int map_input(int index, int g) const { return rules_->map_input(index, g); }
    int map_policy(int index, int g) const { return rules_->map_policy(index, g); }

    // Whether the frame can show a position.
    bool holds(const S& state) const { return state.rules() == rules_; }
    void encode(const S& state, std::span<std::uint8_t> input) const { state.encode(input); }
    void policy_indices(const S& state, const typename S::Move& move, PolicyIndices& indices) const {
        state.policy_indices(move, indices);
    }

    bool operator==(const RulesFrame&) const = default;

private:
    explicit RulesFrame(const typename S::Rules* rules) : rules_(rules) {}
    const typename S::Rules* rules_;
};

namespace detail {

template <class S>
struct FrameOf {
    using type = RulesFrame<S>;
};
template <HasOwnFrame S>
struct FrameOf<S> {
    using type = typename S::Frame;
};

}  // namespace detail

template <NetworkGame S>
using InputFrame = typename detail::FrameOf<S>::type;

// The planes that describe a finished game (offers.hpp); 0 if the game has none.
template <NetworkGame S>
constexpr int ending_planes = 0;
template <NetworkGame S>
    requires HasEndingPlanes<S>
constexpr int ending_planes<S> = S::ending_planes;

// Appends the moves of a position that a network judges: those of a generator, which lists promising moves first, as
// far as there is room for them.
template <NetworkGame S>
void list_judged_moves(const S& state, int generator, MoveList<S>& moves) {
    state.generate(moves, generator);
    moves.truncate(static_cast<std::size_t>(InputFrame<S>::most_moves));
}

}  // namespace joute
