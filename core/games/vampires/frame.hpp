#pragma once

// How networks see Vampires vs Werewolves.
//
// A board of any size lies in the top left corner of a frame; the first plane marks its cells (the mask). All numbers
// take the mover's view. Three encodings:
//
//   full     34 planes: units and humans as shares and logarithms, the thresholds of certain battles and the odds of
//            others against every cell in reach, the race for houses, totals, and plies left
//   raw      the three planes of the paper's learning player: units of the mover, of the opponent, and humans
//   masked   the same, with the mask before them and the plies left after them
//
// The policy has a plane of logits for each kind of order, over the cells that units leave. A turn's logit is the sum
// over its orders. In `full` a kind of order is a direction and how many units go: all; just enough to convert or
// destroy what is on the target; at least half; fewer. A last plane serves turns without orders, by their groups. In
// the other encodings a kind of order is a direction, and there is no such plane.

#include "../../input_frame.hpp"
#include "vampires.hpp"

namespace joute {

class VampiresFrame {
public:
    static constexpr std::array<std::string_view, 3> encodings{"full", "raw", "masked"};
    static constexpr int most_moves = 128;

    // Throws JouteError if the board is larger than the frame, or the frame has more policy indices than a network's
    // batches can number.
    static VampiresFrame of(const Vampires& state, const FrameChoice& choice = {});

    InputShape shape() const { return {planes(), rows_, columns_}; }
    float scale(int plane) const;
    bool is_masked() const { return encoding_ != Encoding::raw; }
    int policy_size() const { return kinds() * cells(); }
    // Exchanging rows and columns maps only a square to itself.
    int symmetries() const { return rows_ == columns_ ? VampiresRules::symmetries : VampiresRules::symmetries / 2; }
    // On an oblong frame, symmetries from 4 on map to indices of the frame with rows and columns exchanged.
    int map_input(int index, int g) const { return index / cells() * cells() + turned(index % cells(), g); }
    int map_policy(int index, int g) const {
        return turned_kind(index / cells(), g) * cells() + turned(index % cells(), g);
    }

    bool holds(const Vampires& state) const { return state.rows() <= rows_ && state.columns() <= columns_; }
    void encode(const Vampires& state, std::span<std::uint8_t> input) const;
    void policy_indices(const Vampires& state, const VampiresTurn& turn, PolicyIndices& indices) const;

    bool operator==(const VampiresFrame&) const = default;

private:
    enum class Encoding : std::uint8_t { full, raw, masked };
    // How many of its units a group sends.
    enum class Amount : std::uint8_t { all, enough, most, few };
    static constexpr int amounts = 4;
    static constexpr int full_planes = 34;

    VampiresFrame(Encoding encoding, int rows, int columns) : encoding_(encoding), rows_(rows), columns_(columns) {}

    int cells() const { return rows_ * columns_; }
    int planes() const { return encoding_ == Encoding::full ? full_planes : encoding_ == Encoding::raw ? 3 : 5; }
    int order_kinds() const {
        return encoding_ == Encoding::full ? vampires_directions * amounts : vampires_directions;
    }
    int kinds() const { return order_kinds() + (encoding_ == Encoding::full ? 1 : 0); }
    int place_index(VampiresPlace place) const { return place_y(place) * columns_ + place_x(place); }
    int turned(int cell, int g) const;
    int turned_kind(int kind, int g) const;
    int order_kind(const Vampires& state, VampiresOrder order) const;
    static Amount amount(const Vampires& state, VampiresOrder order);

    Encoding encoding_;
    int rows_, columns_;
};

}  // namespace joute
