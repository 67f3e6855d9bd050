#pragma once

// Detects repetitions: keeps the keys of the game's history before the root, then those of the search line.
//
// A position is a draw if
//   * it occurred before on the search line, the root included. One repetition is enough: a player who gains by a cycle
//     could go through it again, so the search loses nothing by stopping there, and without the rule it would search
//     little but cycles. This holds even if the rules have no draw by repetition. In games of chance no player can
//     force a cycle, so only the rules count.
//   * it has occurred as often as the rules require, the game's history included.
// The root itself is never tested.

#include <algorithm>
#include <optional>
#include <vector>

#include "../game.hpp"

namespace joute {

// For games without repetition: no memory, no code.
template <Playable S>
class LineKeys {
public:
    LineKeys() = default;
    LineKeys(const S&, Past) {}
    void note(const S&, int) {}
    bool is_draw(const S&, int) const { return false; }
    bool has_occurred(int) const { return false; }
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

    // Records the position `ply` moves from the root, replacing the one recorded there. All positions above it must be
    // recorded already. Chance states are not recorded.
    void note(const S& state, int ply) {
        if (!is_on_ || is_chance(state)) return;
        const std::size_t here = root_ + static_cast<std::size_t>(ply);
        if (here >= keys_.size()) [[unlikely]]
            keys_.resize(2 * here + 64);
        keys_[here] = state.repetition_key();
    }

    // Whether the position `ply` moves from the root, which was recorded last at this ply, is a draw by repetition.
    bool is_draw(const S& state, int ply) const {
        if (!is_on_) return false;
        const std::size_t here = root_ + static_cast<std::size_t>(ply);
        const int reversible = state.reversible_plies();
        // Without an irreversible move on the line the whole past counts: reversible_plies() of a state read from text
        // may be too low.
        const std::size_t oldest = reversible < ply ? here - static_cast<std::size_t>(std::max(reversible, 0)) : 0;
        int occurrences = 1;
        for (std::size_t i = here; i-- > oldest;) {
            if (keys_[i] != keys_[here]) continue;
            if (++occurrences == to_draw_ || (once_is_enough_ && i >= root_)) return true;
        }
        return false;
    }

    // Whether the position recorded `ply` moves from the root occurred before, on the line or in the game since its
    // last irreversible move.
    bool has_occurred(int ply) const {
        const auto here = keys_.begin() + static_cast<std::ptrdiff_t>(root_) + ply;
        return is_on_ && std::find(keys_.begin(), here, *here) != here;
    }

    // A hash of the positions whose next occurrence is a draw because of the game's history; 0 if there are none.
    std::uint64_t past_draws() const { return past_draws_; }

    // Whether `past`, the history of a position `plies` moves after the root, is consistent with this root and its
    // past.
    bool agrees(Past past, int plies) const {
        // The new past reaches further back than the one known here, so more positions may repeat.
        if (std::ssize(past) - plies > static_cast<std::ptrdiff_t>(root_)) return false;
        for (std::size_t i = 0; is_on_ && i <= root_; ++i) {
            const auto known = place(past, plies, static_cast<int>(i) - static_cast<int>(root_));
            if (known && *known != keys_[i]) return false;
        }
        return true;
    }
    // Whether `past` is consistent with `state` as the position `ply` moves after the root.
    static bool agrees(Past past, int plies, int ply, const S& state) {
        const auto known = place(past, plies, ply);
        return !known || is_chance(state) || *known == state.repetition_key();
    }

private:
    // The key in `past` of the position `ply` moves after the root; none if `past` does not contain it.
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

    bool is_on_ = false;  // whether positions of this game can repeat
    bool once_is_enough_ = true;
    int to_draw_ = 0;
    std::size_t root_ = 0;             // index of the root in keys_
    std::vector<std::uint64_t> keys_;  // the past, the root, the line; then unused entries
    std::uint64_t past_draws_ = 0;
};

}  // namespace joute
