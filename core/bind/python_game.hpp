#pragma once

// A game written in Python as one more model of `Playable`, so that every search runs on it.
//
// The state is a Python object (joute.State says what it must offer), moves are small numbers that
// stand for interned Python objects. The GIL is held throughout: one thread, Python's speed.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <unordered_map>
#include <vector>

#include "../game.hpp"

namespace joute {

namespace nb = nanobind;

class PythonGame {
public:
    struct Move {
        std::uint32_t index;  // into the moves of this class of states
        bool operator==(const Move&) const = default;
    };

    static constexpr std::size_t max_moves = 4096;
    static constexpr std::size_t max_outcomes = 1024;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;
    static constexpr bool repeats = true;
    static constexpr bool has_chance = true;  // it may have; is_chance() asks

    explicit PythonGame(nb::object state) : state_(std::move(state)), moves_(&interned_moves(state_)) {}
    nb::object object() const { return state_; }
    nb::object move_object(Move move) const { return moves_->objects[move.index]; }

    Player to_move() const { return nb::cast<Player>(state_.attr("to_move")); }
    int ply() const { return nb::cast<int>(state_.attr("ply")); }
    int reversible_plies() const { return nb::cast<int>(state_.attr("reversible_plies")); }
    std::uint64_t key() const { return mix64(static_cast<std::uint64_t>(nb::hash(state_))); }

    bool is_terminal() const { return nb::cast<bool>(state_.attr("is_terminal")); }
    Result result() const { return nb::cast<Result>(state_.attr("result")); }
    Result result_if_stopped() const { return nb::cast<Result>(state_.attr("result_if_stopped")); }

    void generate(MoveList<PythonGame>& moves, int /*generator*/ = 0) const {
        for (nb::handle move : state_.attr("legal_moves")) moves.push_back(moves_->intern(move));
    }
    bool is_legal(Move move) const { return nb::cast<bool>(state_.attr("is_legal")(move_object(move))); }
    Move random_move(Random& random) const {
        const nb::object legal = state_.attr("legal_moves");
        return moves_->intern(legal[random.below(static_cast<std::uint32_t>(nb::len(legal)))]);
    }
    void play(Move move) { state_ = state_.attr("after")(move_object(move)); }
    std::uint32_t code(Move move) const { return move.index; }

    bool is_chance() const { return nb::cast<bool>(state_.attr("is_chance")); }
    void outcomes(OutcomeList<PythonGame>& list) const {
        for (nb::handle probability : state_.attr("outcomes")) list.push_back(nb::cast<double>(probability));
    }
    void resolve(int outcome) { state_ = state_.attr("resolve")(outcome); }

private:
    struct Moves {
        nb::dict index_of;
        std::vector<nb::object> objects;

        Move intern(nb::handle move) {
            if (index_of.contains(move)) return {nb::cast<std::uint32_t>(index_of[move])};
            const auto index = static_cast<std::uint32_t>(objects.size());
            index_of[move] = index;
            objects.push_back(nb::borrow(move));
            return {index};
        }
    };

    // Never freed, like the rules of native games: a class of states outlives every search on it.
    static Moves& interned_moves(nb::handle state) {
        static auto& tables = *new std::unordered_map<PyObject*, Moves>;
        const nb::handle type = state.type();
        const auto [entry, is_new] = tables.try_emplace(type.ptr());
        if (is_new) type.inc_ref();
        return entry->second;
    }

    nb::object state_;
    Moves* moves_;
};

static_assert(ChancePlayable<PythonGame>);

}  // namespace joute
