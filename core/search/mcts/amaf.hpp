#pragma once

// All moves as first (AMAF): a second mean for each move of a position, over all simulations through the position in
// which the player made the move there or later (RAVE, Gelly & Silver 2007). MctsWorker blends the two means.
// Every expanded node has a table with a slot for every move code of each player (amaf_key=move: one slot for both).

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "options.hpp"
#include "tree.hpp"

namespace joute {

template <Playable S>
class AllMovesAsFirst {
public:
    using Move = typename S::Move;
    static constexpr std::size_t slots = 2 * code_slots<S>;

    explicit AllMovesAsFirst(const MctsOptions& options)
        : key_(options.amaf_key), schedule_(options.schedule), k_(options.k), bias_(options.bias) {}

    // Throws if the game does not support the AMAF key.
    void check_key() const {
        if constexpr (!HasMoveCode<S>)
            if (key_ == AmafKey::move)
                throw JouteError("amaf_key=move does not work in this game; use amaf_key=effect");
    }

    // The slot of a move in the tables.
    std::uint32_t slot(const S& state, const Move& move) const {
        if constexpr (HasMoveCode<S>)
            if (key_ == AmafKey::move) return static_cast<std::uint32_t>(code_slot<S>(state.move_code(move)));
        return static_cast<std::uint32_t>(static_cast<std::size_t>(state.to_move()) * code_slots<S> +
                                          code_slot<S>(state.code(move)));
    }

    // The weight of the AMAF mean in the value of a move.
    double weight(double position_visits, double move_visits, double amaf_visits) const {
        switch (schedule_) {
            case Schedule::position:
                return std::sqrt(k_ / (3 * position_visits + k_));
            case Schedule::move:
                return std::sqrt(k_ / (3 * move_visits + k_));
            case Schedule::bias:
                break;
        }
        return amaf_visits / (amaf_visits + move_visits + bias_ * amaf_visits * move_visits);
    }

    // Adds the reward of each move made at a position or later to the position's table, for every position with
    // children on the path. A slot that is used several times counts once, with the reward of the player who used it
    // last. `path` holds the steps from the root down, `played` the moves of the whole simulation, those of the path
    // first.
    template <class Path, class Line>
    void back_up(const MctsTree<Move>& tree, const Path& path, const Line& played,
                 const std::array<double, 2>& rewards) {
        using Kind = typename MctsNode<Move>::Kind;
        ++stamp_;
        later_.clear();
        std::size_t next = played.size();
        const auto add_until = [&](std::size_t first) {
            while (next > first) {
                const auto& p = played[--next];
                if (seen_[p.amaf_slot] == stamp_) continue;
                seen_[p.amaf_slot] = stamp_;
                later_.push_back({p.amaf_slot, static_cast<float>(rewards[static_cast<std::size_t>(p.player)])});
            }
        };
        // `played` has no entries for the outcomes of random events.
        std::size_t moves_before = 0;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) moves_before += tree[path[i].node].kind != Kind::chance;
        for (std::size_t i = path.size(); i-- > 0;) {
            const auto& node = tree[path[i].node];
            add_until(moves_before);
            if (node.children && node.kind != Kind::chance) {
                Amaf* table = tree.amaf(path[i].node);
                for (const Later& later : later_) table[later.slot].add(later.reward);
            }
            if (i > 0 && tree[path[i - 1].node].kind != Kind::chance) --moves_before;
        }
    }

private:
    struct Later {
        std::uint32_t slot;
        float reward;
    };

    AmafKey key_;
    Schedule schedule_;
    double k_, bias_;
    std::vector<Later> later_;                 // moves made at the current position or later, each once
    std::array<std::uint32_t, slots> seen_{};  // the stamp of the last simulation that used a slot
    std::uint32_t stamp_ = 0;
};

}  // namespace joute
