#pragma once

// Proves whether the value of an Avalam position reaches a given number. See solver.hpp.

#include <algorithm>
#include <array>
#include <cstdint>

#include "../../search/proof_table.hpp"
#include "islands.hpp"

namespace joute::avalam_live {

// A table entry of a position: bounds of its value for the mover, and a good move.
struct Proof {
    std::uint64_t key = 0;
    std::int16_t lower = 0, upper = 0;
    std::uint8_t size = 0;      // of the position; measures the work of its proof
    std::uint8_t move[2] = {};  // in the prover's encoding
};
using Proofs = ProofTable<Proof>;

class Prover {
public:
    // Provers may share a table if their salts differ. Islands of at most `largest` towers become games; `largest` is
    // reduced if they take too much memory.
    struct Setting {
        int tower, five;  // values of a tower and of a five
        int largest;
        std::uint64_t salt;
        std::size_t games_bytes;
    };
    Prover(Proofs& table, const Setting& setting);

    // Null-window search: returns a bound of the mover's future gain, a lower bound >= `need` or an upper bound <
    // `need`. Throws Stopped at a limit.
    int gain(const Position& position, int need, Effort& effort);

private:
    using Id = Games::Id;

    // A position: the towers of large islands, the games of small ones, and a number already decided.
    struct Node {
        Position towers;
        std::array<Id, 24> games;  // any two are deeper than `deepest_sum` together; each has >= 3 towers
        int game_count = 0;
        int number = 0;
        std::uint64_t key = 0;
    };
    struct Move {
        Cells from, to;  // a move of towers; 0 for a move in a game
        int game;        // index in the node's games; -1 for a move of towers
        Games::Option option;
        int index;  // of the option in its game
        int ordering_score;
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
    // The node's games from the view of the other side: the part that all moves have in common.
    Node swapped_games(const Node& node);
    // Computes the node after a move, for the other side. Returns the immediate gain, minus the number of the next
    // node.
    int play(const Node& node, const Node& swapped, const Move& move, Node& next);
    int ordering_score(const Position& position, Cells from, Cells to) const;
    void reward(const Position& position, const Move& move);
    std::uint32_t& history(Cells from, Cells to) {
        return history_[static_cast<std::size_t>(std::countr_zero(from))]
                       [static_cast<std::size_t>(std::countr_zero(to))];
    }

    Proofs& table_;
    Setting setting_;
    Games games_;
    Effort* effort_ = nullptr;  // valid during a call
    std::array<std::array<std::uint32_t, 64>, 64> history_{};
};

}  // namespace joute::avalam_live
