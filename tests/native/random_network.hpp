#pragma once

// A network for the sanitizer checks that answers at random, and its arrays.

#include <vector>

#include "selfplay/batch_search.hpp"
#include "selfplay/self_play.hpp"

namespace joute {

template <NetworkGame S>
class RandomNetwork {
public:
    RandomNetwork(const PositionWriter<S>& writer, int batch)
        : planes_(rows(batch) * static_cast<std::size_t>(writer.input_size())),
          legal_(rows(batch) * PositionWriter<S>::width * PositionWriter<S>::parts),
          priors_(rows(batch) * PositionWriter<S>::width),
          values_(rows(batch)) {}

    template <class Batch>
    void attach(Batch& batch) {
        batch.attach({planes_.data(), legal_.data(), priors_.data(), values_.data()});
    }
    // Any half-precision number with bits below those of 1 is between 0 and 1.
    void answer() {
        for (Half& prior : priors_) prior = static_cast<Half>(random_.below(half_of_one));
        for (Half& value : values_) value = static_cast<Half>(random_.below(half_of_one) | random_.below(2) << 15);
    }
    void step(SelfPlay<S>& pool) {
        pool.start();
        pool.wait();
        answer();
    }

private:
    static constexpr std::uint32_t half_of_one = 0x3c00;
    static std::size_t rows(int batch) { return static_cast<std::size_t>(batch); }

    Random random_{4};
    std::vector<std::uint8_t> planes_;
    std::vector<std::int16_t> legal_;
    std::vector<Half> priors_, values_;
};

}  // namespace joute
