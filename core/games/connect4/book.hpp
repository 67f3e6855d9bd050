#pragma once

// The opening book: the exact score of every position of one ply.
//
// Every reachable position of that ply is in the book, so a look-up never has to say "not here" and
// keys need not be stored. Scores are kept in a retrieval structure (Botelho, Pagh, Ziviani 2007; the
// arrangement of Xor filters, Graf & Lemire 2020): a key picks one slot in each of three blocks, and the
// XOR of the three is its score. That is about 1.23 slots of 5 bits a position at ply 11. Positions that a look
// one move ahead decides are left out.

#include <cstdint>
#include <span>
#include <vector>

#include "../../base/poll.hpp"
#include "solver_bits.hpp"

namespace joute {

class Connect4Book {
public:
    // Reads a book; throws TextError if the bytes are not one, or are damaged.
    explicit Connect4Book(std::vector<std::uint8_t> bytes);

    int plies() const { return plies_; }
    std::size_t positions() const { return positions_; }
    // The score of a position of that ply that `positions_of_ply` lists; of others, anything.
    int score(const connect4::Position& position) const;

    // All positions of a ply that a look one move ahead does not decide, one of each mirrored pair,
    // in a fixed order that keeps like positions together.
    static std::vector<connect4::Position> positions_of_ply(int plies, const Poll& poll = {});
    // The book of a ply, given those positions and their scores.
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
