#pragma once

// A game in progress: a position with the repetition keys of the positions since the last irreversible move.
//
// A State is a bare position, so that searches copy little. Code that plays games (the referee, records, protocols, the
// user interface) holds a WithHistory<State> instead, which detects the draw by repetition. Searches are templates over
// the bare State and receive the history as a `Past` (search/line_keys.hpp).

#include <algorithm>
#include <vector>

#include "game.hpp"

namespace joute {

// Equality compares only the positions: two games with the same position and different histories are equal, even if one
// of them is over by repetition. A position read from text has no history. A position transformed by a symmetry has
// none either, because keys cannot be transformed; if the game is over by repetition, the transformed position gets a
// history of its own key, so that it is over too.
template <Game S>
    requires S::repeats
class WithHistory : public S {
public:
    using typename S::Move;
    using typename S::Rules;

    explicit WithHistory(const Rules* rules) : S(rules) {}
    explicit WithHistory(const S& state) : S(state) {}
    WithHistory(const S& state, Past past) : S(state) {
        if (S::repetitions_to_draw() == 0) return;
        past_.assign(past.begin(), past.end());
        count();
    }

    // Empty if the rules have no draw by repetition.
    Past past() const { return past_; }
    // Whether the position has occurred often enough for a draw.
    bool is_repeated() const { return is_repeated_; }

    bool is_terminal() const { return S::is_terminal() || is_repeated_; }
    Result result() const { return is_drawn() ? drawn_by_repetition : S::result(); }
    Result result_if_stopped() const { return is_drawn() ? drawn_by_repetition : S::result_if_stopped(); }
    bool is_legal(Move move) const { return !is_repeated_ && S::is_legal(move); }

    void play(Move move) {
        go_on([&] { S::play(move); });
    }
    void pass_turn()
        requires requires(S& state) { state.pass_turn(); }
    {
        go_on([&] { S::pass_turn(); });
    }
    void resolve(int outcome)
        requires S::has_chance
    {
        S::resolve(outcome);
        arrive();
    }

    static WithHistory from_text(const Rules* rules, std::string_view text) {
        return WithHistory(S::from_text(rules, text));
    }

    WithHistory transformed(int g) const
        requires NetworkGame<S>
    {
        if (g == 0) return *this;
        const S image = S::transformed(g);
        if (!is_repeated_) return WithHistory(image);
        return {image, std::vector(static_cast<std::size_t>(S::repetitions_to_draw() - 1), image.repetition_key())};
    }
    Move transformed(Move move, int g) const
        requires NetworkGame<S>
    {
        return S::transformed(move, g);
    }

    bool operator==(const WithHistory& other) const { return static_cast<const S&>(*this) == other; }

private:
    // Any other end of the game takes precedence over a repetition.
    bool is_drawn() const { return is_repeated_ && !S::is_terminal(); }

    template <class Step>
    void go_on(const Step& step) {
        if (S::repetitions_to_draw() > 0) past_.push_back(S::repetition_key());
        step();
        arrive();
    }
    void arrive() {
        if (is_chance(static_cast<const S&>(*this))) return;
        if (S::reversible_plies() == 0) past_.clear();
        count();
    }
    void count() {
        const auto before = std::count(past_.begin(), past_.end(), S::repetition_key());
        is_repeated_ = before > 0 && before + 1 >= S::repetitions_to_draw();
    }

    std::vector<std::uint64_t> past_;
    bool is_repeated_ = false;
};

// The type of a game in progress: WithHistory<S> if positions can repeat, otherwise S.
template <Game S>
struct InPlayOf {
    using type = S;
};
template <Game S>
    requires S::repeats
struct InPlayOf<S> {
    using type = WithHistory<S>;
};
template <Game S>
using InPlay = typename InPlayOf<S>::type;

// The inverse of InPlay: the bare State of a game in progress.
template <class S>
struct BareOf {
    using type = S;
};
template <class S>
struct BareOf<WithHistory<S>> {
    using type = S;
};
template <class S>
using Bare = typename BareOf<S>::type;

template <class S>
const Bare<S>& bare(const S& state) {
    return state;
}

}  // namespace joute
