#pragma once

// Predicts the final lead in points: the engine's evaluation, with one weight for each feature of the position.

#include <memory>

#include "../../evaluation.hpp"
#include "features.hpp"

namespace joute {

// In hundredths of a point. Fitted to the results of self-play (core/games/divercite/fit/fit.cpp).
struct DiverciteWeights {
    std::array<std::array<std::int16_t, DiverciteFeatures::count>, DiverciteFeatures::phases> of_phase;
};

// The same weights, with the three weights of a city summed in advance: one table lookup per city.
class DiverciteProspects {
public:
    explicit DiverciteProspects(const DiverciteWeights& weights) : weights_(weights) {
        for (std::size_t phase = 0; phase < cities_.size(); ++phase)
            for (int number = 0; number < DiverciteFeatures::City::count; ++number) {
                int sum = 0;
                for (const int feature : DiverciteFeatures::of_city(DiverciteFeatures::City(number)))
                    sum += weights.of_phase[phase][static_cast<std::size_t>(feature)];
                cities_[phase][static_cast<std::size_t>(number)] = static_cast<std::int16_t>(sum);
            }
    }

    // The value for the player to move, in hundredths of a point.
    int value(const Divercite& state) const {
        const auto phase = static_cast<std::size_t>(DiverciteFeatures::phase_of(state));
        const auto& weights = weights_.of_phase[phase];
        const auto& cities = cities_[phase];
        const Player mover = state.to_move();
        int sum = 100 * (state.points(mover) - state.points(opponent(mover)));
        DiverciteFeatures::for_each(
            state, [&](int number) { sum += cities[static_cast<std::size_t>(number)]; },
            [&](int feature) { sum += weights[static_cast<std::size_t>(feature)]; });
        return sum;
    }

private:
    DiverciteWeights weights_;
    std::array<std::array<std::int16_t, DiverciteFeatures::City::count>, DiverciteFeatures::phases> cities_;
};

}  // namespace joute
