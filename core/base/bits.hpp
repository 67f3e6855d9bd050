#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace joute {

// nth_bit_of_byte[rank][byte]: the index of the set bit of `byte` that has `rank` set bits below it.
inline constexpr auto nth_bit_of_byte = [] {
    std::array<std::array<std::uint8_t, 256>, 8> table{};
    for (int byte = 0; byte < 256; ++byte)
        for (int bit = 0, rank = 0; bit < 8; ++bit)
            if (byte >> bit & 1) table[rank++][byte] = static_cast<std::uint8_t>(bit);
    return table;
}();

// The index of the set bit of `word` that has `rank` set bits below it.
inline int nth_bit(std::uint64_t word, int rank) {
    // The prefix sums of the bit counts of all bytes, computed in parallel, find the byte; the table finds the bit.
    std::uint64_t sums = word - (word >> 1 & 0x5555555555555555);
    sums = (sums & 0x3333333333333333) + (sums >> 2 & 0x3333333333333333);
    sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101;
    const std::uint64_t ranks = static_cast<std::uint64_t>(rank) * 0x0101010101010101;
    // The bytes whose prefix sum is at most `rank` lie below the wanted one.
    const int shift = 8 * std::popcount(((ranks | 0x8080808080808080) - sums) & 0x8080808080808080);
    const int below = static_cast<int>(sums << 8 >> shift & 0xff);
    return shift + nth_bit_of_byte[rank - below][word >> shift & 0xff];
}

}  // namespace joute
