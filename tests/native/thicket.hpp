#pragma once

// A game made of random numbers, to catch a search that takes things for granted. Positions are the
// nodes of a random graph, so they come back at other depths; who moves, how many moves there are,
// where the game ends and where chance decides is drawn for each node. A player may move several times
// in a row, an event may follow an event, and some outcomes have probability 0. With `Repeats` a search is told that
// they come back, and some moves are irreversible: the nodes lie on two floors, and there is no way down.

#include <array>
#include <string_view>

#include "evaluation.hpp"
#include "game.hpp"

namespace joute {

template <bool Chance>
class Thicket {
public:
    struct Move {
        std::uint8_t branch;
        bool operator==(const Move&) const = default;
    };

    static constexpr std::size_t max_moves = 4;
    static constexpr std::size_t max_outcomes = 3;
    static constexpr std::array<std::string_view, 2> generators{"all", "some"};
    static constexpr bool complete = true;
    static constexpr bool repeats = true;
    static constexpr bool has_chance = Chance;

    Thicket(std::uint64_t seed, std::uint32_t node) : seed_(seed), node_(node) {}

    Player to_move() const { return drawn(1, 2); }
    int ply() const { return ply_; }
    int reversible_plies() const { return ply_; }
    std::uint64_t key() const { return mix64(mix64(seed_) ^ (std::uint64_t{node_} << 8 | events_)); }

    bool is_terminal() const { return !is_chance() && drawn(2, 8) == 0; }
    Result result() const {
        const int outcome = drawn(3, 3) - 1;
        return {.outcome = outcome, .score = 10 * outcome + drawn(4, 5), .margin = drawn(5, 9) - 4, .decided_by = ""};
    }
    Result result_if_stopped() const { return result(); }

    void generate(MoveList<Thicket>& moves, int generator = 0) const {
        const int count = 1 + drawn(6, 4);
        for (std::uint8_t branch = 0; branch < count; ++branch)
            if (generator == 0 || branch != 1) moves.push_back({branch});
    }
    void loud_moves(MoveList<Thicket>& moves) const {
        for (std::uint8_t branch = 0; branch <= drawn(6, 4); ++branch)
            if (drawn(20 + branch, 2)) moves.push_back({branch});
    }
    bool is_legal(Move move) const { return move.branch <= drawn(6, 4); }
    Move random_move(Random& random) const {
        return {static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(1 + drawn(6, 4))))};
    }
    void play(Move move) {
        node_ = static_cast<std::uint32_t>(drawn(30 + move.branch, nodes));
        events_ = 0;
        ++ply_;
    }
    std::uint32_t code(Move move) const { return move.branch; }

    bool is_chance() const { return Chance && events_ < 2 && drawn(7, 4) == 0; }
    void outcomes(OutcomeList<Thicket>& list) const {
        static constexpr std::array<std::array<double, 3>, 4> choices{
            {{1.0 / 2, 1.0 / 3, 1.0 / 6}, {0.25, 0, 0.75}, {0, 0, 1}, {0.125, 0.375, 0.5}}};
        for (const double probability : choices[static_cast<std::size_t>(drawn(8, 4))]) list.push_back(probability);
    }
    void resolve(int outcome) {
        node_ = static_cast<std::uint32_t>(drawn(40 + outcome, nodes));
        ++events_;
    }

    // One-sided: the value for one player is not minus that for the other. In [-1, 1].
    double looks_to(Player player) const { return drawn(50 + player, 17) / 8.0 - 1; }

    bool operator==(const Thicket& other) const { return node_ == other.node_ && events_ == other.events_; }

private:
    static constexpr int nodes = 60;

    int drawn(int what, int below) const {
        const auto number = mix64(mix64(seed_ + node_) + static_cast<std::uint64_t>(what));
        return static_cast<int>(number % static_cast<std::uint64_t>(below));
    }

    std::uint64_t seed_;
    std::uint32_t node_;
    std::uint32_t events_ = 0;  // in a row
    int ply_ = 0;
};

static_assert(Playable<Thicket<false>> && ChancePlayable<Thicket<true>>);

// What it looks like, and a sum kept over moves and events that must come out right.
template <bool Chance>
inline constexpr Evaluation<Thicket<Chance>> thicket_evaluation{
    .name = "looks",
    .help = "",
    .value = [](const Thicket<Chance>& state, const void* accumulator, const void*, Player player) -> double {
        const bool is_right = *static_cast<const double*>(accumulator) == state.looks_to(0);
        return is_right ? state.looks_to(player) : 1e9;
    },
    .accumulator_size = sizeof(double),
    .start = [](const Thicket<Chance>& state, void* accumulator,
                const void*) { *static_cast<double*>(accumulator) = state.looks_to(0); },
    .update =
        [](const Thicket<Chance>& before, auto, const Thicket<Chance>& after, void* accumulator, const void*) {
            double& sum = *static_cast<double*>(accumulator);
            sum += after.looks_to(0) - before.looks_to(0);
        },
    .resolve =
        [](const Thicket<Chance>& before, int, const Thicket<Chance>& after, void* accumulator, const void*) {
            double& sum = *static_cast<double*>(accumulator);
            sum += after.looks_to(0) - before.looks_to(0);
        },
    .bound = 1,
};

}  // namespace joute
