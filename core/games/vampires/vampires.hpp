#pragma once

// Vampires vs Werewolves: two species on a grid convert humans and fight each other; some battles are random.
//
// A turn is a set of orders, each of which moves a number of units from a cell to a neighbour. The rules, as numbered
// in the statement:
//   1. there is at least one order;  2. all orders concern own units;  3. no more units leave a cell than it holds;
//   4. each order goes to one of the eight neighbours, on the grid;  5. no cell is both left and entered;
//   6. each order moves one unit or more.
// All units that arrive on a cell fight as one group. A species without units has lost; at the ply limit the larger
// species wins. Reference: the server of the course (CentraleSupélec, 2020). board.hpp draws the board and defines its
// text, battle.hpp has the probabilities, rules.hpp the differences of other programs.
//
// A turn is written as its orders, `4.3-5.3x2+4.3-3.2x2`: two units of 4.3 go to 5.3 and two to 3.2.

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "../../game.hpp"
#include "rules.hpp"

namespace joute {

// The orders of a turn, sorted, with each pair of source and direction once. The few orders that searches need are
// stored inline. A longer turn, which a person or another program may play, is stored once in memory that is never
// freed.
class VampiresTurn {
public:
    static constexpr std::size_t room = 15;

    VampiresTurn() = default;
    // The orders must be sorted, with each pair of source and direction once.
    static VampiresTurn of(std::span<const VampiresOrder> sorted);

    std::span<const VampiresOrder> orders() const {
        if (size_ <= room) return {orders_.data(), size_};
        const VampiresOrder* elsewhere;
        std::memcpy(&elsewhere, orders_.data(), sizeof elsewhere);
        return {elsewhere, size_};
    }
    std::uint64_t hash() const {
        std::uint64_t hash = 0;
        for (const VampiresOrder order : orders()) hash = mix64(hash + order.bits + 0x9e3779b97f4a7c15ULL);
        return hash;
    }
    bool operator==(const VampiresTurn& other) const {
        return size_ == other.size_ && std::memcmp(orders_.data(), other.orders_.data(), used_bytes()) == 0;
    }

private:
    std::size_t used_bytes() const { return size_ <= room ? size_ * sizeof(VampiresOrder) : sizeof(VampiresOrder*); }

    std::array<VampiresOrder, room> orders_;
    std::uint32_t size_;
};

class VampiresFrame;
class VampiresChooser;

class Vampires {
public:
    using Rules = VampiresRules;
    using Frame = VampiresFrame;      // frame.hpp
    using Chooser = VampiresChooser;  // chooser.hpp
    using Kind = VampiresKind;
    using Place = VampiresPlace;
    using Cell = VampiresCell;
    using Order = VampiresOrder;
    using Move = VampiresTurn;

    static constexpr std::string_view name = "vampires";
    static constexpr std::size_t max_moves = 1024;
    static constexpr std::size_t max_outcomes = VampiresBattle::max_outcomes;
    // See candidates.hpp: towards useful targets; as in the paper's first player; the first plus every step near
    // enemies; and as in the paper's learning player.
    static constexpr std::array<std::string_view, 4> generators{"targets", "report", "contact", "single"};
    static constexpr bool complete = false;
    static constexpr bool repeats = false;  // the ply is part of the position, so none repeats
    static constexpr bool has_chance = true;
    static constexpr int policy_parts = 8;  // see frame.hpp
    using Offers = OfferList<offer::NoisyMoves, offer::FewOutcomes, offer::WhyIllegal, offer::PolicyParts,
                             offer::OwnFrame, offer::OwnChooser>;

    explicit Vampires(const Rules* rules) : Vampires(rules, rules->start) {}
    Vampires(const Vampires& other) : head_(other.head_) { copy_cells(other); }
    Vampires& operator=(const Vampires& other) {
        head_ = other.head_;
        if (this != &other) copy_cells(other);
        return *this;
    }

    const Rules* rules() const { return head_.rules; }
    int rows() const { return head_.rows; }
    int columns() const { return head_.columns; }
    int ply() const { return head_.ply; }
    // While a battle is pending, the player who attacked.
    Player to_move() const { return (head_.ply ^ static_cast<int>(is_chance())) & 1; }
    int reversible_plies() const { return 0; }
    // Includes the ply, because the value of a position depends on the plies left.
    std::uint64_t key() const { return head_.key ^ mix64(static_cast<std::uint64_t>(head_.ply) + ply_salt); }
    std::uint64_t recompute_key() const;

    Kind species(Player player) const {
        return static_cast<Kind>(static_cast<int>(player) ^ static_cast<int>(rules()->werewolves_first()));
    }
    std::span<const Cell> cells(Kind kind) const {
        const std::size_t begin = kind == Kind::vampires ? 0 : end_of(static_cast<std::size_t>(kind) - 1);
        return {cells_.data() + begin, end_of(static_cast<std::size_t>(kind)) - begin};
    }
    std::span<const Cell> groups(Player player) const { return cells(species(player)); }
    std::span<const Cell> houses() const { return cells(Kind::humans); }
    std::size_t occupied() const { return end_of(static_cast<std::size_t>(Kind::humans)); }
    // The occupants of a cell, without attackers; null if it is empty.
    const Cell* at(Place place) const {
        for (const Cell *cell = cells_.data(), *end = cell + occupied(); cell != end; ++cell)
            if (cell->place() == place) return cell;
        return nullptr;
    }
    bool is_inside(int x, int y) const { return x >= 0 && y >= 0 && x < columns() && y < rows(); }
    // The number of units of a player, including those that attack.
    int units(Player player) const {
        return head_.units[static_cast<std::size_t>(species(player))] +
               (is_chance() && player == to_move() ? head_.units[static_cast<std::size_t>(Kind::attackers)] : 0);
    }
    int humans() const { return head_.units[static_cast<std::size_t>(Kind::humans)]; }

    bool is_terminal() const {
        return !is_chance() && (head_.units[0] == 0 || head_.units[1] == 0 || head_.ply >= rules()->ply_limit());
    }
    Result result() const { return result_if_stopped(); }
    Result result_if_stopped() const;

    void generate(MoveList<Vampires>& moves, int generator = 0) const;
    bool is_legal(const Move& move) const;
    // The rule that a turn breaks, as a sentence; empty if the turn is legal or no player is to move.
    std::string why_illegal(const Move& move) const;
    // Noisy moves: attacks by whole groups that are certain to destroy an adjacent enemy.
    void noisy_moves(MoveList<Vampires>& moves) const;
    Move random_move(Random& random) const;
    void play(const Move& move);
    // Two moves of a position share a code with probability one in four billion; moves of one order never do.
    std::uint32_t code(const Move& move) const;
    void pass_turn() { ++head_.ply; }

    bool is_chance() const { return end_of(static_cast<std::size_t>(Kind::attackers)) > occupied(); }
    // The next pending battle, and its place.
    VampiresBattle battle() const;
    Place battlefield() const { return cells_[occupied()].place(); }
    void outcomes(OutcomeList<Vampires>& list) const { battle().outcomes(list); }
    void few_outcomes(OutcomeList<Vampires>& list, int most) const { battle().few_outcomes(list, most); }
    void resolve(int outcome);
    // The battle of `attackers` units of the mover against the occupants of a cell.
    VampiresBattle battle_against(Cell defender, int attackers) const {
        return {attackers, defender.count(), defender.kind() == Kind::humans, rules()->battles};
    }

    std::string text() const;
    static Vampires from_text(const Rules* rules, std::string_view text);
    static std::string move_text(const Move& move);
    // An order without a count moves the whole group.
    Move parse_move(std::string_view text) const;
    std::string diagram() const;
    // Builds a turn from orders in any sequence; orders with the same source and target are added up. Throws TextError
    // if they cannot form a turn.
    Move turn(std::span<const Order> orders) const;

    // Symmetry g swaps columns and rows (g & 4), then mirrors left and right (g & 1), then top and bottom (g & 2).
    Vampires transformed(int g) const;
    Move transformed(const Move& move, int g) const;

    bool operator==(const Vampires& other) const {
        return head_ == other.head_ && std::equal(cells_.begin(), cells_.begin() + size(), other.cells_.begin());
    }

private:
    struct Head {
        const Rules* rules;
        std::uint64_t key = 0;  // excludes the ply
        int ply = 0;
        std::uint8_t rows = 0, columns = 0;
        std::array<std::uint16_t, 4> ends{};   // the end of the cells of each kind
        std::array<std::uint16_t, 4> units{};  // the number of units of each kind
        bool operator==(const Head&) const = default;
    };
    // The rules that a turn may break, in the order of the statement, then the limits of the network protocol.
    enum class Fault { none, nothing_moves, not_own, too_many, off_grid, left_and_entered, nobody, crowd, cells };

    static constexpr std::uint64_t ply_salt = 0x5bd1e9955bd1e995ULL;

    Vampires(const Rules* rules, const VampiresBoard& board);
    void copy_cells(const Vampires& other) { std::memcpy(cells_.data(), other.cells_.data(), size() * sizeof(Cell)); }

    std::size_t end_of(std::size_t kind) const { return head_.ends[kind]; }
    std::size_t size() const { return end_of(static_cast<std::size_t>(Kind::attackers)); }
    std::uint64_t empty_key() const;
    static std::uint64_t cell_key(Cell cell) { return mix64(cell.bits + 0x9e3779b97f4a7c15ULL); }

    struct Finding {
        Fault fault = Fault::none;
        Place where = 0;
        int count = 0;
    };
    Finding first_fault(const Move& move) const;

    // Change or insert a cell.
    void set(const Cell* cell, int count);
    void put(Kind kind, Place place, int count);
    void take(const Cell* cell);
    // Units of a species arrive on a cell.
    void arrive(Kind kind, Place place, int count);

    Head head_;
    // Sorted. The cells of attackers come after the occupied cells and are at most as many.
    std::array<Cell, 2 * vampires_max_occupied> cells_;
};

}  // namespace joute
