#pragma once

// The positions that lead to where a search stands: those of the game before it, then those of its own line.
//
// A position is a draw where it
//   * stood on the line of the search already, the root included. Once is enough: whoever gained by going round could
//     do so again, so nothing is lost by looking no further, and a search that may go round for ever sees nothing else.
//     This holds also where the rules know no such draw. Where chance has a say nobody can insist on going round, and
//     only the rules count.
//   * occurs as often, the past of the game included, as the rules say.
// The root itself is never asked about.

#include <algorithm>
#include <optional>
#include <vector>

#include "../game.hpp"

namespace joute {

// For games in which nothing comes back: no memory, no code.
template <Playable S>
class LineKeys {
public:
    LineKeys() = default;
    LineKeys(const S&, Past) {}
    void note(const S&, int) {}
    bool is_draw(const S&, int) const { return false; }
    static constexpr std::uint64_t past_draws() { return 0; }
    static bool agrees(Past, int) { return true; }
    static bool agrees(Past, int, int, const S&) { return true; }
};

template <Playable S>
    requires S::repeats
class LineKeys<S> {
public:
    LineKeys() = default;
    LineKeys(const S& root, Past past) {
        if (!may_repeat(root)) return;
        is_on_ = true;
        once_is_enough_ = !may_have_chance(root);
        to_draw_ = root.repetitions_to_draw();
        if (to_draw_ > 0) keys_.assign(past.begin(), past.end());
        root_ = keys_.size();
        note(root, 0);
        mix_past_draws();
    }

    // A position stands `ply` moves from the root, where it takes the place of what stood there before. Those above it
    // have been noted. A position that chance has yet to decide is none.
    void note(const S& state, int ply) {
        if (!is_on_ || is_chance(state)) return;
        const std::size_t here = root_ + static_cast<std::size_t>(ply);
        if (here >= keys_.size()) [[unlikely]]
            keys_.resize(2 * here + 64);
        keys_[here] = state.repetition_key();
    }

    // Whether the position that was noted there is a draw.
    bool is_draw(const S& state, int ply) const {
        if (!is_on_) return false;
        const std::size_t here = root_ + static_cast<std::size_t>(ply);
        const int reversible = state.reversible_plies();
        // With no irreversible move on the line, the whole past counts: a state read from text does not know how long
        // its own is.
        const std::size_t oldest = reversible < ply ? here - static_cast<std::size_t>(std::max(reversible, 0)) : 0;
        int occurrences = 1;
        for (std::size_t i = here; i-- > oldest;) {
            if (keys_[i] != keys_[here]) continue;
            if (++occurrences == to_draw_ || (once_is_enough_ && i >= root_)) return true;
        }
        return false;
    }

    // A number for the positions that the game's own past makes draws wherever they come; 0 for none.
    std::uint64_t past_draws() const { return past_draws_; }

    // Whether a game that came by `past` to a position `plies` moves after the root may have come by this root.
    bool agrees(Past past, int plies) const {
        // More can come back than there was.
        if (std::ssize(past) - plies > static_cast<std::ptrdiff_t>(root_)) return false;
        for (std::size_t i = 0; is_on_ && i <= root_; ++i) {
            const auto known = place(past, plies, static_cast<int>(i) - static_cast<int>(root_));
            if (known && *known != keys_[i]) return false;
        }
        return true;
    }
    // The same of a position `ply` moves after the root.
    static bool agrees(Past past, int plies, int ply, const S& state) {
        const auto known = place(past, plies, ply);
        return !known || is_chance(state) || *known == state.repetition_key();
    }

private:
    // What a past says of the position `ply` moves after the root.
    static std::optional<std::uint64_t> place(Past past, int plies, int ply) {
        const auto index = std::ssize(past) - plies + ply;
        return index >= 0 && ply < plies ? std::optional(past[static_cast<std::size_t>(index)]) : std::nullopt;
    }

    void mix_past_draws() {
        std::vector<std::uint64_t> sorted(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(root_) + 1);
        std::ranges::sort(sorted);
        for (auto first = sorted.begin(); to_draw_ > 0 && first != sorted.end();) {
            const auto last = std::upper_bound(first, sorted.end(), *first);
            if (last - first >= to_draw_ - 1) past_draws_ ^= mix64(*first);
            first = last;
        }
    }

    bool is_on_ = false;
    bool once_is_enough_ = true;
    int to_draw_ = 0;
    std::size_t root_ = 0;             // its place among the keys
    std::vector<std::uint64_t> keys_;  // the past, the root, the line; then anything
    std::uint64_t past_draws_ = 0;
};

}  // namespace joute
