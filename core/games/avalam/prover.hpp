#pragma once

// Tells on which side of a number the worth of an Avalam position lies. See solver.hpp.

#include <algorithm>
#include <array>
#include <cstdint>

#include "../../search/proof_table.hpp"
#include "islands.hpp"

namespace joute::avalam_live {

// What is known of a position: bounds of its worth to the mover, and a good move.
struct Proof {
    std::uint64_t key = 0;
    std::int16_t lower = 0, upper = 0;
    std::uint8_t size = 0;      // of the position: a measure of its work
    std::uint8_t move[2] = {};  // meaningful to the prover
};
using Proofs = ProofTable<Proof>;

class Prover {
public:
    // Two provers may share a table if their salts differ. Islands of at most `largest` towers become games; `largest`
    // shrinks where these take too much memory.
    struct Setting {
        int tower, five;  // what they are worth
        int largest;
        std::uint64_t salt;
        std::size_t games_bytes;
    };
    Prover(Proofs& table, const Setting& setting);

    // A bound of what the position still brings the mover, on the side of `need` where that lies: at least `need`, or
    // less. Throws Stopped at a limit.
    int gain(const Position& position, int need, Effort& effort);

private:
    using Id = Games::Id;

    // A position: towers of large islands, games, and a number that is sure.
    struct Node {
        Position towers;
        std::array<Id, 24> games;  // those beyond `deepest_sum` together: each has three towers or more
        int game_count = 0;
        int number = 0;
        std::uint64_t key = 0;
    };
    struct Move {
        Cells from, to;  // of towers, or none
        int game;        // which one of the node's
        Games::Option option;
        int index;  // of the option
        int promise;
    };
    struct Moves {
        std::array<Move, 640> list;
        std::size_t count = 0;
    };
    struct Bounds {
        int lower, upper;
    };

    void join(Node& node, Games::Shifted game);
    void take_towers(Node& node, const Position& towers);
    void finish_key(Node& node) const;
    Bounds sure_bounds(const Node& node) const;
    int size(const Node& node) const;

    int search(const Node& node, int need);
    int search_moves(const Node& node, Moves& moves, int need, Proof& entry);
    void list_moves(const Node& node, const Proof* known, Moves& moves) const;
    // The node that all moves leave in the games' part, seen by the other side.
    Node swapped_games(const Node& node);
    // What a move leaves to the other side; returns what it gains at once, the next node's number included.
    int play(const Node& node, const Node& swapped, const Move& move, Node& next);
    int promise(const Position& position, Cells from, Cells to) const;
    void reward(const Position& position, const Move& move);
    std::uint32_t& history(Cells from, Cells to) {
        return history_[static_cast<std::size_t>(std::countr_zero(from))]
                       [static_cast<std::size_t>(std::countr_zero(to))];
    }

    Proofs& table_;
    Setting setting_;
    Games games_;
    Effort* effort_ = nullptr;  // during a call
    std::array<std::array<std::uint32_t, 64>, 64> history_{};
};

}  // namespace joute::avalam_live
