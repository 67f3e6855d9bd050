#pragma once

// Small islands of Avalam as what they are worth beside anything else.
//
// An island is a game whose moves are open to both players, and whose gains (a tower covered, a five made) are the
// same whoever makes the move: Max wants their sum high, Min low. Players alternate over the whole board, not in
// each island, and must move: what an island is worth depends on the company it is in, and a move that gains
// nothing may be needed. So islands are compared in any company X, and V(X + G) >= V(X + H) whoever begins,
// written G >= H, holds if
//
//   * each Min move G -> G' is matched by one H -> H' with G' >= H', or answered by a Max move G' -> G'' with G'' >= H;
//   * each Max move H -> H' is matched by one G -> G' with G' >= H', or answered by a Min move H' -> H'' with G >= H'';
//   * G alone is worth at least as much as H alone, whoever begins.
//
// The proof is by induction over X + G + H: Max plays in X + G as in X + H, and the last condition is for when X is
// used up. It follows that a move to a game that another move's is better than can be left out, and that a game which
// equals one that two of its moves lead to is that game: two moves that gain nothing cancel, and so do two pairs of
// towers that whoever comes first takes. Of 15,032 islands of up to six towers, all that occur in a thousand random
// games from ply 20 on and below them, 2,232 games are left, and sums of games need few moves.
//
// G >= H needs equal Grundy values, as moves beside something where nobody wants to move first are Nim: another
// value loses that battle in some company. With this, and by asking only whether a handicap suffices, 0.26 million
// comparisons were left of 3.09 million on the late positions of three thousand games.

#include <compare>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "../../search/limits.hpp"
#include "live.hpp"

namespace joute::avalam_live {

// Thrown where games would take more memory than they may.
struct TooManyGames {};

// From 64 bits, not all 0, to a small value.
template <class Value>
class FlatMap {
public:
    Value* find(std::uint64_t key) {
        Slot& slot = slots_[place(key)];
        return slot.key ? &slot.value : nullptr;
    }
    Value& insert(std::uint64_t key, Value value) {
        if (2 * ++count_ > slots_.size()) grow();
        Slot& slot = slots_[place(key)];
        slot = {key, value};
        return slot.value;
    }
    std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

private:
    struct Slot {
        std::uint64_t key = 0;
        Value value{};
    };
    static constexpr int first_bits = 8;

    // Where the key is, or would be.
    std::size_t place(std::uint64_t key) const {
        std::size_t i = key * 0x9e3779b97f4a7c15 >> shift_;
        while (slots_[i].key && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
        return i;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        --shift_;
        for (const Slot& slot : old)
            if (slot.key) slots_[place(slot.key)] = slot;
    }

    std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << first_bits);
    std::size_t count_ = 0;
    int shift_ = 64 - first_bits;
};

// The games that occurred, each in the simplest form found, and shifted so that it is worth 0 if Min begins.
class Games {
public:
    using Id = std::uint32_t;
    static constexpr Id nothing = 0;  // the game without moves

    // A game plus a number.
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
        std::uint32_t first;           // where its options begin, Max's first
        std::uint16_t of_max, of_min;  // how many they are
        std::int16_t max_first;        // its worth if Max begins
        std::int16_t least, most;      // its worth if both help Min, or Max
        std::uint8_t grundy, depth;    // the depth is the most moves it can last
        Id negative;                   // with the players swapped; unknown until asked for
        std::uint64_t hash;            // of its form: does not depend on what else occurred
    };

    // What a tower and a five of Max's are worth, and the most memory.
    Games(int tower, int five, std::size_t most_bytes);

    // The game of an island; Max owns `own`.
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
    // A game plus this is at least as good as another: known to fail up to one number and to hold from another on.
    struct Handicap {
        std::int16_t fails, holds;
    };

    // Whether a + handicap >= b.
    bool beats(Id a, int handicap, Id b, Effort& effort);
    bool can_match(Id a, int handicap, Id b, Effort& effort);
    void drop_dominated(std::vector<Option>& options, bool for_max, Effort& effort);
    Shifted simplest(std::vector<Option> of_max, std::vector<Option> of_min, int grundy, Effort& effort);
    Id add(const std::vector<Option>& of_max, const std::vector<Option>& of_min, int grundy);
    // A game equal to this one that two moves lead to, or the game itself.
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
