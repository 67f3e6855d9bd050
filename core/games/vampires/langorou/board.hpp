#pragma once

// A position as Langorou sees it: both sides' groups and the houses, and what the line of play has scored.

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "../vampires.hpp"
#include "options.hpp"

namespace joute {

// The side that searches, and the other.
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

// Who arrives where, in the order in which it is settled.
void list_arrivals(const VampiresTurn& turn, LangorouOptions::Merge merge, LangorouArrivals& arrivals);

class LangorouBoard {
public:
    using Cell = VampiresCell;
    using Place = VampiresPlace;

    LangorouBoard() = default;
    // Copies what is used.
    LangorouBoard(const LangorouBoard& other) { *this = other; }
    LangorouBoard& operator=(const LangorouBoard& other);

    // As the mover of a game's position sees it.
    void set_up(const Vampires& state, const LangorouOptions& options);

    std::span<const Cell> groups(LangorouSide side) const { return list(static_cast<std::size_t>(side)); }
    std::span<const Cell> houses() const { return list(humans); }
    // Sets of houses differ in it.
    std::uint64_t houses_key() const { return keys_[humans]; }
    std::uint64_t key() const {
        return keys_[0] ^ keys_[1] ^ keys_[humans] ^ (mover_ == LangorouSide::own ? 0 : enemy_moves);
    }
    LangorouSide mover() const { return mover_; }
    int plies() const { return plies_; }  // since the root
    double cumulative() const { return cumulative_; }
    // How many units own has more, in a byte each if they are counted so.
    int lead() const { return counted(0) - counted(1); }
    int units(LangorouSide side) const { return units_[static_cast<std::size_t>(side)]; }
    bool is_extinct(LangorouSide side) const { return size_[static_cast<std::size_t>(side)] == 0; }

    // The mover's orders leave their cells, a turn of the line is over; then they arrive.
    void depart(std::span<const VampiresOrder> orders);
    void pass_on() { mover_ = other_side(mover_); }

    // Who meets those who arrive: houses or the mover's enemies; null for nobody.
    const Cell* defender(Place place) const;
    static bool is_house(const Cell& cell) { return static_cast<std::size_t>(cell.kind()) == humans; }
    // The mover's units arrive where nobody, or a group of theirs, is.
    void join(Place place, int count);
    // So many attackers are left on the cell of a defender, or minus so many defenders.
    void settle(Place place, int left);

private:
    static constexpr std::size_t humans = 2, room = vampires_max_occupied + VampiresTurn::room;
    static constexpr std::uint64_t enemy_moves = 0x9d39247e33776d41ULL;

    std::span<const Cell> list(std::size_t kind) const { return {cells_[kind].data(), size_[kind]}; }
    static std::uint64_t key_of(Cell cell) { return mix64(cell.bits + 0x9e3779b97f4a7c15ULL); }
    int counted(std::size_t side) const { return wraps_ ? units_[side] & vampires_max_count : units_[side]; }
    int held(int count) const { return wraps_ ? count & vampires_max_count : rules_->held(count); }

    std::size_t find(std::size_t kind, Place place) const;  // its size where there is none
    void change(std::size_t kind, std::size_t index, int count);
    void put(std::size_t kind, Place place, int count);
    void remove(std::size_t kind, std::size_t index);

    const VampiresRules* rules_ = nullptr;
    bool wraps_ = false;
    LangorouSide mover_ = LangorouSide::own;
    int plies_ = 0;
    double cumulative_ = 0;
    std::array<std::uint64_t, 3> keys_{};
    std::array<int, 3> units_{};
    std::array<std::size_t, 3> size_{};
    // By side, then houses; row by row, so that what is listed depends on the position alone.
    std::array<std::array<Cell, room>, 3> cells_;
};

}  // namespace joute
