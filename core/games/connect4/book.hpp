#pragma once

// The opening book: the exact score of every position of one ply.
//
// The book covers every reachable position of that ply, so it need not detect unknown positions and stores no keys. The
// scores are in a retrieval structure (Botelho, Pagh, Ziviani 2007; laid out like Xor filters, Graf & Lemire 2020): a
// key selects one slot in each of three blocks, and the XOR of the three slots is its score. That takes about 1.23
// slots of 5 bits a position at ply 11. Positions decided by a one-move lookahead are left out.

#include <cstdint>
#include <span>
#include <vector>

#include "../../base/poll.hpp"
#include "solver_bits.hpp"

namespace joute {

class Connect4Book {
public:
    // Reads a book; throws TextError if the bytes are not a book or are damaged.
    explicit Connect4Book(std::vector<std::uint8_t> bytes);

    int plies() const { return plies_; }
    std::size_t positions() const { return positions_; }
    // The score of a position listed by `positions_of_ply`; arbitrary for any other position.
    int score(const connect4::Position& position) const;

    // All positions of a ply that a one-move lookahead does not decide, one of each mirrored pair, in a fixed order
    // that keeps similar positions together.
    static std::vector<connect4::Position> positions_of_ply(int plies, const Poll& poll = {});
    // Builds the book of a ply from those positions and their scores.
    static std::vector<std::uint8_t> pack(int plies, std::span<const connect4::Position> positions,
                                          std::span<const std::int8_t> scores);

private:
    struct Header;

    std::uint32_t slot(std::size_t index) const;

    std::vector<std::uint8_t> bytes_;
    int plies_ = 0;
    std::size_t positions_ = 0;
    std::uint64_t seed_ = 0;
    std::uint32_t block_size_ = 0;
    int bits_per_slot_ = 0;
    int lowest_score_ = 0;
};

}  // namespace joute
