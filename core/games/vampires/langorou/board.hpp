#pragma once

// A position in Langorou's search: both sides' groups, the houses, and the cumulative score of the line.

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "../vampires.hpp"
#include "options.hpp"

namespace joute {

// The side at the root of the search, and its opponent.
enum class LangorouSide : std::uint8_t { own, enemy };
constexpr LangorouSide other_side(LangorouSide side) {
    return side == LangorouSide::own ? LangorouSide::enemy : LangorouSide::own;
}

// Units that arrive on a cell together.
struct LangorouArrival {
    VampiresPlace place;
    int count;
};
using LangorouArrivals = FixedList<LangorouArrival, VampiresTurn::room>;

// The arrivals of a turn, in the order in which they are resolved.
void list_arrivals(const VampiresTurn& turn, LangorouOptions::Merge merge, LangorouArrivals& arrivals);

class LangorouBoard {
public:
    using Cell = VampiresCell;
    using Place = VampiresPlace;

    LangorouBoard() = default;
    // Copies only the used part.
    LangorouBoard(const LangorouBoard& other) { *this = other; }
    LangorouBoard& operator=(const LangorouBoard& other);

    // Sets up a position of the game from the view of its mover.
    void set_up(const Vampires& state, const LangorouOptions& options);

    std::span<const Cell> groups(LangorouSide side) const { return list(static_cast<std::size_t>(side)); }
    std::span<const Cell> houses() const { return list(humans); }
    // The hash key of the set of houses.
    std::uint64_t houses_key() const { return keys_[humans]; }
    std::uint64_t key() const {
        return keys_[0] ^ keys_[1] ^ keys_[humans] ^ (mover_ == LangorouSide::own ? 0 : enemy_moves);
    }
    LangorouSide mover() const { return mover_; }
    int plies() const { return plies_; }  // since the root
    double cumulative() const { return cumulative_; }
    // The lead of `own` in units; with `wrap`, each total is counted in a byte.
    int lead() const { return counted(0) - counted(1); }
    int units(LangorouSide side) const { return units_[static_cast<std::size_t>(side)]; }
    bool is_extinct(LangorouSide side) const { return size_[static_cast<std::size_t>(side)] == 0; }

    // A turn of the line: the mover's orders leave their cells, the units arrive, and then pass_on() ends the turn.
    void depart(std::span<const VampiresOrder> orders);
    void pass_on() { mover_ = other_side(mover_); }

    // The occupants that arriving units would fight, houses or the mover's enemies; null if there are none.
    const Cell* defender(Place place) const;
    static bool is_house(const Cell& cell) { return static_cast<std::size_t>(cell.kind()) == humans; }
    // The mover's units arrive on an empty cell or on a group of their own.
    void join(Place place, int count);
    // Resolves a battle: `left` attackers remain on the defender's cell, or -`left` defenders.
    void settle(Place place, int left);

private:
    static constexpr std::size_t humans = 2, room = vampires_max_occupied + VampiresTurn::room;
    static constexpr std::uint64_t enemy_moves = 0x9d39247e33776d41ULL;

    std::span<const Cell> list(std::size_t kind) const { return {cells_[kind].data(), size_[kind]}; }
    static std::uint64_t key_of(Cell cell) { return mix64(cell.bits + 0x9e3779b97f4a7c15ULL); }
    int counted(std::size_t side) const { return wraps_ ? units_[side] & vampires_max_count : units_[side]; }
    int held(int count) const { return wraps_ ? count & vampires_max_count : rules_->held(count); }

    std::size_t find(std::size_t kind, Place place) const;  // size_[kind] if there is none
    void change(std::size_t kind, std::size_t index, int count);
    void put(std::size_t kind, Place place, int count);
    void remove(std::size_t kind, std::size_t index);

    const VampiresRules* rules_ = nullptr;
    bool wraps_ = false;
    double cum_alpha_ = 0;
    LangorouSide mover_ = LangorouSide::own;
    int plies_ = 0;
    double cumulative_ = 0;
    std::array<std::uint64_t, 3> keys_{};
    std::array<int, 3> units_{};
    std::array<std::size_t, 3> size_{};
    // Own, enemy, houses; each row by row, so that the order of moves depends only on the position.
    std::array<std::array<Cell, room>, 3> cells_;
};

}  // namespace joute
