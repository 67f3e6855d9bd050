#pragma once

// How a learner chooses a move: by actions, which are numbered once for a game.
//
// In most games an action is a move, and its number is the move's policy index, which takes the mover's view as the
// planes do. A game whose moves have parts defines its own class `Chooser` with the same members: a move is then chosen
// by several actions in a row, and planes of its own show the choice in progress.

#include <optional>
#include <span>
#include <string>

#include "input_frame.hpp"

namespace joute {

template <NetworkGame S>
class MoveChooser {
public:
    using Move = typename S::Move;

    // The number of planes that show a choice in progress.
    static constexpr int planes = 0;
    // The number of actions of the game; they are numbered from 0.
    static int actions(const InputFrame<S>& frame) { return frame.policy_size(); }

    // Begins the choice of a move in a position where a player is to move.
    void begin(const S& state, const InputFrame<S>& frame) {
        moves_.clear();
        legal_.clear();
        state.generate(moves_, 0);
        PolicyIndices indices;
        for (const Move& move : moves_) {
            indices.clear();
            frame.policy_indices(state, move, indices);
            legal_.push_back(indices[0]);
        }
    }
    // Without a choice, no action is legal.
    void end() { legal_.clear(); }

    // The legal actions, without duplicates.
    std::span<const std::uint32_t> legal() const { return {legal_.begin(), legal_.size()}; }
    // Takes the legal action with an index in `legal`. Returns the move if it is complete.
    std::optional<Move> take(const S&, const InputFrame<S>&, std::size_t index) { return moves_[index]; }
    // Writes the planes of the choice in progress.
    void encode(const S&, const InputFrame<S>&, std::span<std::uint8_t>) const {}
    // A legal action in the game's notation.
    std::string text(const S&, std::size_t index) const { return S::move_text(moves_[index]); }

private:
    MoveList<S> moves_;
    FixedList<std::uint32_t, S::max_moves> legal_;
};

namespace detail {

template <class S>
struct ChooserOf {
    using type = MoveChooser<S>;
};
template <HasOwnChooser S>
struct ChooserOf<S> {
    using type = typename S::Chooser;
};

}  // namespace detail

// A game with numbered actions: an action is a move, or the game has a chooser of its own.
template <class S>
concept ChoiceGame = NetworkGame<S> && (HasOwnChooser<S> || !HasPolicyParts<S>);

template <ChoiceGame S>
using Chooser = typename detail::ChooserOf<S>::type;

// The shape of an observation: the planes of the position, then those of the choice in progress.
template <ChoiceGame S>
InputShape observation_shape(const InputFrame<S>& frame) {
    InputShape shape = frame.shape();
    shape.planes += Chooser<S>::planes;
    return shape;
}

template <ChoiceGame S>
void observe(const S& state, const InputFrame<S>& frame, const Chooser<S>& chooser, std::span<std::uint8_t> planes) {
    const auto size = static_cast<std::size_t>(frame.shape().size());
    frame.encode(state, planes.first(size));
    chooser.encode(state, frame, planes.subspan(size));
}

}  // namespace joute
