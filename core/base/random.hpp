#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace joute {

// Scrambles 64 bits so that each input bit flips each output bit about half the time: the finaliser
// of SplitMix64 (Steele, Lea, Flood 2014). It is a bijection, so distinct inputs stay distinct.
constexpr std::uint64_t mix64(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// The only source of randomness in Joute: xoshiro256++ (Blackman & Vigna 2019), seeded by SplitMix64 as its authors
// advise. Implemented here, so that a seed gives the same numbers on every platform, which the distributions of the
// standard library do not guarantee.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed = 0) {
        for (auto& word : words_) word = mix64(seed += 0x9e3779b97f4a7c15ULL);
    }

    // The state of the generator, for saving and restoring it.
    using Words = std::array<std::uint64_t, 4>;
    explicit constexpr Random(const Words& words) : words_(words) {}
    constexpr const Words& words() const { return words_; }

    constexpr std::uint64_t next() {
        const std::uint64_t value = std::rotl(words_[0] + words_[3], 23) + words_[0];
        const std::uint64_t shifted = words_[1] << 17;
        words_[2] ^= words_[0];
        words_[3] ^= words_[1];
        words_[1] ^= words_[2];
        words_[0] ^= words_[3];
        words_[2] ^= shifted;
        words_[3] = std::rotl(words_[3], 45);
        return value;
    }

    // Exactly uniform in [0, bound), by multiplication and rejection (Lemire 2019). `bound` must not be 0.
    constexpr std::uint32_t below(std::uint32_t bound) {
        std::uint64_t product = (next() >> 32) * bound;
        if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
            const std::uint32_t threshold = (0u - bound) % bound;
            while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * bound;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

    // Uniform in [0, 1), with 53 random bits.
    constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    Words words_{};
};

// Random numbers for a Zobrist table, the same in every run and on every machine.
template <std::size_t Count>
constexpr std::array<std::uint64_t, Count> zobrist_numbers(std::uint64_t seed) {
    std::array<std::uint64_t, Count> numbers{};
    Random random(seed);
    for (auto& number : numbers) number = random.next();
    return numbers;
}

}  // namespace joute
