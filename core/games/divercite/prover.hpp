#pragma once

// Tells on which side of a number the final worth of a Divercité position lies. See solver.hpp.

#include <array>
#include <cstdint>
#include <vector>

#include "../../search/limits.hpp"
#include "../../search/proof_table.hpp"
#include "bounds.hpp"

namespace joute::divercite_live {

// Bounds of what is still to come, White's less Black's, and a good move.
struct Proof {
    std::uint64_t key = 0;
    std::int32_t lower : 24 = 0;
    std::uint32_t move : 8 = 0;
    std::int32_t upper : 24 = 0;
    std::uint32_t size : 8 = 0;  // plies left
};
static_assert(sizeof(Proof) == 16);
using Proofs = ProofTable<Proof>;

// What the prover finds bounds of.
enum class Aim {
    points,       // White's points less Black's
    ladder,       // with all that breaks a tie below them
    twos_or_two,  // 1 where White is two points ahead or more, or ahead in twos alone; else 0
};

class Prover {
public:
    // Provers of different aims may share a table.
    Prover(Proofs& table, Aim aim);

    const Cities& cities() const { return cities_; }
    // A bound on the side of `need` where the final worth lies: at least `need`, or less. Throws Stopped at a limit.
    int worth(const Position& position, int need, Effort& effort);
    // All legal moves, those that promise most first.
    std::vector<Divercite::Move> in_order(const Position& position) const;
    // The final worth if both play what promises most.
    int guess(Position position) const;

private:
    struct Move {
        Divercite::Move move;
        int promise;
    };
    struct Moves {
        std::array<Move, Divercite::max_moves> list;
        int count = 0;
    };
    // Colours that make a difference; those outside are alike.
    struct Cares {
        int cities, resources;
    };

    int search(const Position& position, int need);
    int search_moves(const Position& position, Moves& moves, int need, Proof& proof);
    int last_ply(const Position& position) const;
    // By the aim: of a final worth, and of bounds of it.
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
    Effort* effort_ = nullptr;  // during a call
    std::array<std::array<std::uint32_t, Divercite::codes>, 2> history_{};
};

}  // namespace joute::divercite_live
