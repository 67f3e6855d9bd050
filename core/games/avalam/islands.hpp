#pragma once

// The value of a small island of Avalam in combination with any other islands.
//
// An island is a game whose moves are open to both players and whose gains (a tower covered, a five made) do not depend
// on the player who moves: Max wants a high sum, Min a low one. Players alternate over the whole board, not within each
// island, and must move. So the value of an island depends on the other islands, and a move without gain may be useful
// as a tempo. Islands are therefore compared in every context X: G >= H means that V(X + G) >= V(X + H) for all X, with
// either player to move. This holds if
//
//   * each Min move G -> G' is matched by one H -> H' with G' >= H', or answered by a Max move G' -> G'' with G'' >= H;
//   * each Max move H -> H' is matched by one G -> G' with G' >= H', or answered by a Min move H' -> H'' with G >= H'';
//   * G alone is worth at least as much as H alone, with either player to move.
//
// The proof is by induction over X + G + H: Max plays in X + G as in X + H, and the last condition covers an exhausted
// X. Two simplifications follow. A dominated move can be removed: a move whose game is no better than that of another
// move. A game that equals a game two of its moves lead to is replaced by that game: two moves without gain cancel, and
// so do two pairs of towers that the first player to move there takes. The 15,032 islands of up to six towers that
// occur in a thousand random games from ply 20 on, and below them, reduce to 2,232 games, and sums of games have few
// moves.
//
// G >= H needs equal Grundy values: beside a game in which nobody wants to move first, the remaining moves are Nim, and
// a different value loses that fight for the tempo in some context. With this test, and by asking only whether a
// handicap suffices, 0.26 million comparisons remained of 3.09 million on the late positions of three thousand games.

#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../base/huge_array.hpp"
#include "../../search/limits.hpp"
#include "live.hpp"

namespace joute::avalam_live {

// Thrown when the games exceed their memory limit.
struct TooManyGames {};

// A hash map from 64-bit keys other than 0 to small values. It grows in small steps, so that no insertion takes long:
// every insertion copies a few slots of the old table to the new one, and until all are copied, keys that the new table
// lacks are looked up in the old one.
template <class Value>
class FlatMap {
public:
    Value* find(std::uint64_t key) {
        if (Slot& slot = slots_[place(slots_, key)]; slot.key) return &slot.value;
        if (copied_ == old_.size()) return nullptr;
        Slot& slot = old_[place(old_, key)];
        return slot.key ? &slot.value : nullptr;
    }
    // The key must be new.
    Value& insert(std::uint64_t key, Value value) {
        if (2 * ++count_ > slots_.size()) grow();
        for (int i = 0; i < slots_a_step && copied_ < old_.size(); ++i, ++copied_)
            if (const Slot& slot = old_[copied_]; slot.key) slots_[place(slots_, slot.key)] = slot;
        Slot& slot = slots_[place(slots_, key)];
        slot = {key, value};
        return slot.value;
    }
    std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

private:
    struct Slot {
        std::uint64_t key = 0;
        Value value{};
    };
    using Slots = HugeArray<Slot>;  // its size is a power of two
    static constexpr std::size_t first_size = 256;
    static constexpr int slots_a_step = 8;  // two would be enough to copy all before the next growth

    // The slot that holds the key, or the free slot for it.
    static std::size_t place(const Slots& slots, std::uint64_t key) {
        std::size_t i = key * 0x9e3779b97f4a7c15 >> (std::countl_zero(slots.size()) + 1);
        while (slots[i].key && slots[i].key != key) i = (i + 1) & (slots.size() - 1);
        return i;
    }
    void grow() {
        old_ = Slots(2 * slots_.size(), false);
        std::swap(old_, slots_);
        copied_ = 0;
    }

    Slots slots_ = Slots(first_size, false), old_;
    std::size_t copied_ = 0;  // slots of the old table
    std::size_t count_ = 0;
};

// The games met so far, each in the simplest form found and shifted so that its value is 0 if Min moves first.
class Games {
public:
    using Id = std::uint32_t;
    static constexpr Id nothing = 0;  // the game without moves

    // The sum of a game and a number.
    struct Shifted {
        int number = 0;
        Id id = nothing;
    };
    struct Option {
        std::int16_t gain;
        Id id;
        auto operator<=>(const Option&) const = default;
    };
    struct Game {
        std::uint32_t first;           // index of its first option; Max's options come first
        std::uint16_t of_max, of_min;  // number of options of each player
        std::int16_t max_first;        // value if Max moves first
        std::int16_t least, most;      // value if both players help Min, or help Max
        std::uint8_t grundy, depth;    // depth: the largest number of moves it can last
        Id negative;                   // the game with the players swapped; computed on demand
        std::uint64_t hash;            // of its form; independent of the other games
    };

    // `tower` and `five` are the values of a tower and a five of Max.
    Games(int tower, int five, std::size_t most_bytes);

    // The game of an island in which Max owns the towers of `own`.
    Shifted of_island(const Position& island, Effort& effort);
    Shifted sum(Id a, Id b, Effort& effort);
    Shifted negative(Id id, Effort& effort);

    const Game& operator[](Id id) const { return games_[id]; }
    std::span<const Option> max_options(Id id) const { return {options_.data() + games_[id].first, games_[id].of_max}; }
    std::span<const Option> min_options(Id id) const {
        return {options_.data() + games_[id].first + games_[id].of_max, games_[id].of_min};
    }
    int tower() const { return tower_; }
    int five() const { return five_; }

private:
    static constexpr Id unknown = ~Id{0};
    // The known range of the handicap h for which a + h >= b: fails up to `fails`, holds from `holds` on.
    struct Handicap {
        std::int16_t fails, holds;
    };

    // Whether a + handicap >= b.
    bool beats(Id a, int handicap, Id b, Effort& effort);
    bool can_match(Id a, int handicap, Id b, Effort& effort);
    void drop_dominated(std::vector<Option>& options, bool for_max, Effort& effort);
    Shifted simplest(std::vector<Option> of_max, std::vector<Option> of_min, int grundy, Effort& effort);
    Id add(const std::vector<Option>& of_max, const std::vector<Option>& of_min, int grundy);
    // Returns an equal game that two moves of this one lead to, or the game itself.
    Id after_two_moves(Id id, Effort& effort);

    int tower_, five_;
    std::size_t most_bytes_;
    std::vector<Game> games_;
    std::vector<Option> options_;
    FlatMap<Shifted> islands_, sums_;
    FlatMap<Id> forms_;
    FlatMap<Handicap> handicaps_;
};

}  // namespace joute::avalam_live
