#pragma once

// How a learner chooses a turn of Vampires vs Werewolves: order by order.
//
// An action is an order to one group, or the end of the turn. The actions are numbered like the policy of the encoding
// `full` (frame.hpp): (direction × 4 + amount) × cells + the cell that units leave. The amount is a share of the units
// of the cell that have no orders yet: all; the fewest that are certain to convert or destroy what is on the target; at
// least half; one. The last number ends the turn, which also ends when no more orders are legal.
//
// Orders that send the same number of units are one action, the first of these. Units with orders are shown by two
// planes: how many leave a cell, and how many enter it. What a turn does depends on these numbers alone.

#include <vector>

#include "../../chooser.hpp"
#include "frame.hpp"

namespace joute {

class VampiresChooser {
public:
    static constexpr int planes = 2;
    static int actions(const VampiresFrame& frame) { return end_of_turn(frame) + 1; }

    void begin(const Vampires& state, const VampiresFrame& frame);
    void end();

    std::span<const std::uint32_t> legal() const { return legal_; }
    std::optional<VampiresTurn> take(const Vampires& state, const VampiresFrame& frame, std::size_t index);
    void encode(const Vampires& state, const VampiresFrame& frame, std::span<std::uint8_t> input) const;
    std::string text(const Vampires& state, std::size_t index) const;

private:
    static constexpr int amounts = 4;
    // The order that stands for the end of the turn; orders move at least one unit.
    static constexpr VampiresOrder no_order{0};

    static int end_of_turn(const VampiresFrame& frame) {
        const InputShape shape = frame.shape();
        return static_cast<int>(vampires_directions) * amounts * shape.rows * shape.columns;
    }
    void list(const Vampires& state, const VampiresFrame& frame);
    void add(VampiresOrder order);

    std::vector<VampiresOrder> given_;    // the orders of the turn so far, each way once
    std::vector<VampiresOrder> options_;  // the order of each legal action
    std::vector<std::uint32_t> legal_;
};

}  // namespace joute
