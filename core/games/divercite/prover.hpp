#pragma once

// Proves whether the final value of a Divercité position reaches a given number. See solver.hpp.

#include <array>
#include <cstdint>
#include <vector>

#include "../../search/limits.hpp"
#include "../../search/proof_table.hpp"
#include "bounds.hpp"

namespace joute::divercite_live {

// A table entry: bounds of the future gain, White's minus Black's, and a good move.
struct Proof {
    std::uint64_t key = 0;
    std::int32_t lower : 24 = 0;
    std::uint32_t move : 8 = 0;
    std::int32_t upper : 24 = 0;
    std::uint32_t size : 8 = 0;  // plies left
};
static_assert(sizeof(Proof) == 16);
using Proofs = ProofTable<Proof>;

// The quantity that the prover bounds.
enum class Aim {
    points,       // White's points minus Black's
    ladder,       // points and, below them, all tie-breaks
    twos_or_two,  // 1 if White leads by two points or more, or leads in twos with all above equal; else 0
};

class Prover {
public:
    // Provers of different aims may share a table.
    Prover(Proofs& table, Aim aim);

    const Cities& cities() const { return cities_; }
    // Null-window search: returns a bound of the final value, a lower bound >= `need` or an upper bound < `need`.
    // Throws Stopped at a limit.
    int worth(const Position& position, int need, Effort& effort);
    // All legal moves, best ordering score first.
    std::vector<Divercite::Move> in_order(const Position& position) const;
    // The final value if both players always play the move with the best ordering score.
    int guess(Position position) const;

private:
    struct Move {
        Divercite::Move move;
        int ordering_score;
    };
    struct Moves {
        std::array<Move, Divercite::max_moves> list;
        int count = 0;
    };
    // The colours that matter; all others are equivalent.
    struct Cares {
        int cities, resources;
    };

    int search(const Position& position, int need);
    int search_moves(const Position& position, Moves& moves, int need, Proof& proof);
    int last_ply(const Position& position) const;
    // Convert a final value, and bounds of it, to the aim.
    int final(int worth) const;
    int final_upper(int worth) const;
    int final_lower(int worth) const;
    Cares cares(const Position& position) const;
    std::uint32_t live_cells(const Position& position) const;
    std::uint64_t key(const Position& position, const Cares& cares, std::uint32_t live) const;
    void list_moves(const Position& position, const Cares& cares, std::uint32_t live, int best, Moves& moves) const;
    void reward(const Position& position, Divercite::Move move);

    Proofs& table_;
    Aim aim_;
    const Cities& cities_;
    Effort* effort_ = nullptr;  // valid during a call
    std::array<std::array<std::uint32_t, Divercite::codes>, 2> history_{};
};

}  // namespace joute::divercite_live
