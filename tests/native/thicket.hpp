#pragma once

// A game of random numbers that exposes hidden assumptions of a search. Positions are the nodes of a random graph, so
// they recur at other depths; the player to move, the number of moves, the ends of the game and the chance nodes are
// drawn for each node. A player may move several times in a row, chance nodes may follow each other, and some outcomes
// have probability 0. With `Repeats` the game declares that positions repeat, and some moves are irreversible: the
// nodes are on two floors, and no move leads down.

#include <array>
#include <string_view>

#include "evaluation.hpp"
#include "game.hpp"

namespace joute {

template <bool Chance, bool Repeats = false>
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
    static constexpr bool repeats = Repeats;
    static constexpr bool has_chance = Chance;
    using Offers = OfferList<offer::NoisyMoves>;

    static constexpr int nodes = Repeats ? 12 : 60;

    Thicket(std::uint64_t seed, std::uint32_t node, int to_draw = 0) : seed_(seed), node_(node), to_draw_(to_draw) {}

    Player to_move() const { return drawn(1, 2); }
    int ply() const { return ply_; }
    int reversible_plies() const { return reversible_plies_; }
    std::uint64_t repetition_key() const { return key(); }
    int repetitions_to_draw() const { return to_draw_; }
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
    void noisy_moves(MoveList<Thicket>& moves) const {
        for (std::uint8_t branch = 0; branch <= drawn(6, 4); ++branch)
            if (drawn(20 + branch, 2)) moves.push_back({branch});
    }
    bool is_legal(Move move) const { return move.branch <= drawn(6, 4); }
    Move random_move(Random& random) const {
        return {static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(1 + drawn(6, 4))))};
    }
    void play(Move move) {
        const bool was_above = is_above();
        go_to(30 + move.branch);
        events_ = 0;
        ++ply_;
        reversible_plies_ = is_above() == was_above ? reversible_plies_ + 1 : 0;
    }
    std::uint32_t code(Move move) const { return move.branch; }

    bool is_chance() const { return Chance && events_ < 2 && drawn(7, 4) == 0; }
    void outcomes(OutcomeList<Thicket>& list) const {
        static constexpr std::array<std::array<double, 3>, 4> choices{
            {{1.0 / 2, 1.0 / 3, 1.0 / 6}, {0.25, 0, 0.75}, {0, 0, 1}, {0.125, 0.375, 0.5}}};
        for (const double probability : choices[static_cast<std::size_t>(drawn(8, 4))]) list.push_back(probability);
    }
    void resolve(int outcome) {
        const bool was_above = is_above();
        go_to(40 + outcome);
        ++events_;
        if (is_above() != was_above) reversible_plies_ = 0;
    }

    // One-sided: the value for one player is not minus the value for the other. In [-1, 1].
    double looks_to(Player player) const { return drawn(50 + player, 17) / 8.0 - 1; }

    bool operator==(const Thicket& other) const { return node_ == other.node_ && events_ == other.events_; }

private:
    bool is_above() const { return Repeats && node_ >= nodes / 2; }
    void go_to(int what) {
        const bool was_above = is_above();
        node_ = static_cast<std::uint32_t>(drawn(what, nodes));
        if (was_above && !is_above()) node_ += nodes / 2;
    }

    int drawn(int what, int below) const {
        const auto number = mix64(mix64(seed_ + node_) + static_cast<std::uint64_t>(what));
        return static_cast<int>(number % static_cast<std::uint64_t>(below));
    }

    std::uint64_t seed_;
    std::uint32_t node_;
    std::uint32_t events_ = 0;  // successive chance events
    int ply_ = 0;
    int reversible_plies_ = 0;
    int to_draw_;
};

static_assert(Playable<Thicket<false>> && ChancePlayable<Thicket<true>>);
static_assert(Playable<Thicket<false, true>> && ChancePlayable<Thicket<true, true>>);

// The node's value, and an accumulated sum over moves and events that must equal it.
template <bool Chance, bool Repeats = false>
inline constexpr Evaluation<Thicket<Chance, Repeats>> thicket_evaluation{
    .name = "looks",
    .help = "",
    .value = [](const Thicket<Chance, Repeats>& state, const void* accumulator, const void*, Player player) -> double {
        const bool is_right = *static_cast<const double*>(accumulator) == state.looks_to(0);
        return is_right ? state.looks_to(player) : 1e9;
    },
    .accumulator_size = sizeof(double),
    .start = [](const Thicket<Chance, Repeats>& state, void* accumulator,
                const void*) { *static_cast<double*>(accumulator) = state.looks_to(0); },
    .update =
        [](const Thicket<Chance, Repeats>& before, auto, const Thicket<Chance, Repeats>& after, void* accumulator,
           const void*) {
            double& sum = *static_cast<double*>(accumulator);
            sum += after.looks_to(0) - before.looks_to(0);
        },
    .resolve =
        [](const Thicket<Chance, Repeats>& before, int, const Thicket<Chance, Repeats>& after, void* accumulator,
           const void*) {
            double& sum = *static_cast<double*>(accumulator);
            sum += after.looks_to(0) - before.looks_to(0);
        },
    .bound = 1,
};

}  // namespace joute
