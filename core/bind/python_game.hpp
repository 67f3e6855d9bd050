#pragma once

// A game written in Python as a model of `Playable`, so that every search runs on it.
//
// The state is a Python object (joute.State documents its interface). A move is an index into a table of Python
// objects, which the caller of the search owns. The GIL is held throughout: one thread, at Python's speed. A mistake in
// the game raises TypeError with the class and the attribute.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <vector>

#include "../game.hpp"
#include "text.hpp"

namespace joute {

namespace nb = nanobind;

class PythonGame {
public:
    struct Move {
        std::uint32_t index;  // into the table of moves
        bool operator==(const Move&) const = default;
    };

    // The move objects met in one search, each once. The caller of the search owns the table, so that it is freed with
    // the search and no two searches share it.
    class Moves {
    public:
        Move intern(nb::handle move) {
            if (PyObject* known = PyDict_GetItemWithError(index_of_.ptr(), move.ptr()))
                return {static_cast<std::uint32_t>(PyLong_AsUnsignedLong(known))};
            if (PyErr_Occurred()) throw nb::python_error();
            const auto index = static_cast<std::uint32_t>(objects_.size());
            index_of_[move] = index;
            objects_.push_back(nb::borrow(move));
            return {index};
        }
        const nb::object& operator[](Move move) const { return objects_[move.index]; }

    private:
        nb::dict index_of_;
        std::vector<nb::object> objects_;
    };

    static constexpr std::size_t max_moves = 4096;
    static constexpr std::size_t max_outcomes = 1024;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true;    // unless lists_every_move() is false
    static constexpr bool repeats = true;     // unless may_repeat() is false
    static constexpr bool has_chance = true;  // unless may_have_chance() is false
    using Offers = OfferList<offer::ListsEveryMove, offer::MayHaveChance, offer::MayRepeat>;

    PythonGame(nb::object state, Moves& moves) : state_(std::move(state)), moves_(&moves) {}
    nb::object object() const { return state_; }

    Player to_move() const {
        const auto player = whole_number<int>("to_move", "0 or 1");
        if (player != 0 && player != 1) complain("to_move", "must be 0 or 1, not " + std::to_string(player));
        return player;
    }
    int ply() const { return whole_number<int>("ply", "a whole number"); }
    int reversible_plies() const { return whole_number<int>("reversible_plies", "a whole number"); }
    std::uint64_t key() const { return whole_number<std::uint64_t>("key", "a whole number of 64 bits"); }
    bool may_repeat() const { return is_true("repeats"); }
    std::uint64_t repetition_key() const { return key(); }
    int repetitions_to_draw() const { return whole_number<int>("repetitions_to_draw", "a whole number"); }

    bool is_terminal() const { return is_true("is_terminal"); }
    Result result() const { return read_result("result"); }
    Result result_if_stopped() const { return read_result("result_if_stopped"); }

    void generate(MoveList<PythonGame>& moves, int /*generator*/ = 0) const {
        const nb::object legal = items("legal_moves", "moves", max_moves);
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(legal.ptr()); ++i)
            moves.push_back(intern(PySequence_Fast_GET_ITEM(legal.ptr(), i)));
    }
    bool is_legal(Move move) const { return nb::cast<bool>(state_.attr("is_legal")((*moves_)[move])); }
    Move random_move(Random& random) const {
        const nb::object legal = items("legal_moves", "moves", max_moves);
        const auto size = static_cast<std::uint32_t>(PySequence_Fast_GET_SIZE(legal.ptr()));
        if (size == 0) complain("legal_moves", "is empty although the game is not over (result is None)");
        return intern(PySequence_Fast_GET_ITEM(legal.ptr(), static_cast<Py_ssize_t>(random.below(size))));
    }
    void play(Move move) { become("after", state_.attr("after")((*moves_)[move])); }
    std::uint32_t code(Move move) const { return move.index; }

    bool may_have_chance() const { return is_true("has_chance"); }
    bool lists_every_move() const { return is_true("complete"); }
    bool is_chance() const { return is_true("is_chance"); }
    void outcomes(OutcomeList<PythonGame>& list) const {
        const nb::object probabilities = items("outcomes", "probabilities", max_outcomes);
        double sum = 0;
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(probabilities.ptr()); ++i) {
            const nb::handle item = PySequence_Fast_GET_ITEM(probabilities.ptr(), i);
            const double probability = PyFloat_AsDouble(item.ptr());
            if (PyErr_Occurred() || !(probability >= 0)) {
                forgive_type_error();
                complain("outcomes", "must list probabilities, not " + one_line(item));
            }
            sum += probability;
            list.push_back(probability);
        }
        if (std::abs(sum - 1) > 1e-6) complain("outcomes", "must sum to 1, not " + std::to_string(sum));
    }
    void resolve(int outcome) { become("resolve", state_.attr("resolve")(outcome)); }

private:
    // Clears a TypeError, which our own message replaces. Any other exception passes through, KeyboardInterrupt above
    // all.
    static void forgive_type_error() {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
        PyErr_Clear();
    }
    [[noreturn]] void complain(const char* attribute, const std::string& why) const {
        throw nb::type_error((class_name(state_) + "." + attribute + " " + why).c_str());
    }
    [[noreturn]] void complain(const char* attribute, const std::string& expected, nb::handle value) const {
        complain(attribute, "must be " + expected + ", not " + one_line(value) + " (" + class_name(value) + ")");
    }

    template <class T>
    T whole_number(const char* attribute, const char* expected) const {
        const nb::object value = state_.attr(attribute);
        const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
        if (!number.is_valid()) forgive_type_error();
        T read{};
        if (!number.is_valid() || !nb::try_cast(number, read, false)) complain(attribute, expected, value);
        return read;
    }
    bool is_true(const char* attribute) const {
        const nb::object value = state_.attr(attribute);
        const int truth = PyObject_IsTrue(value.ptr());
        if (truth < 0) throw nb::python_error();
        return truth != 0;
    }
    Result read_result(const char* attribute) const {
        const nb::object value = state_.attr(attribute);
        Result read;
        if (!nb::try_cast(value, read, false)) complain(attribute, "a joute.Result where the game ends", value);
        return read;
    }
    // Returns the attribute as a list or tuple. Sets and generators are refused: a seed must reproduce a game, so moves
    // need a fixed order.
    nb::object items(const char* attribute, const char* what, std::size_t most) const {
        const nb::object value = state_.attr(attribute);
        if (!PySequence_Check(value.ptr())) complain(attribute, std::string("a list or tuple of ") + what, value);
        nb::object sequence = nb::steal(PySequence_Fast(value.ptr(), "not a sequence"));
        if (!sequence.is_valid()) throw nb::python_error();
        const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence.ptr()));
        if (size > most)
            complain(attribute,
                     "lists " + std::to_string(size) + " " + what + "; a search takes at most " + std::to_string(most));
        return sequence;
    }
    Move intern(nb::handle move) const {
        if (PyObject_Hash(move.ptr()) == -1) {
            forgive_type_error();
            complain("legal_moves", "must list hashable moves, not " + one_line(move) + " (" + class_name(move) + ")");
        }
        return moves_->intern(move);
    }
    void become(const char* method, nb::object next) {
        if (!next.type().is(state_.type()) && !nb::hasattr(next, "legal_moves"))
            complain(method, "must return a position, not " + one_line(next) + " (" + class_name(next) + ")");
        state_ = std::move(next);
    }

    nb::object state_;
    Moves* moves_;
};

static_assert(ChancePlayable<PythonGame>);

}  // namespace joute
