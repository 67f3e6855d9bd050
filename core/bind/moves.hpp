#pragma once

// Moves between Python and the core: move objects, parsing of a player's input, and the messages for illegal moves.

#include <nanobind/nanobind.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "../game.hpp"
#include "text.hpp"
#include "tuples.hpp"

namespace joute {

namespace nb = nanobind;

// A move that the rules forbid. Becomes joute.IllegalMoveError in Python.
struct IllegalMove : JouteError {
    using JouteError::JouteError;
};

// Caches the Python objects of moves. Small moves are created once and shared, which makes `legal_moves` and
// comparisons cheap; they are never freed, like small integers in Python.
template <class Move>
class MoveObjects {
public:
    static nb::object of(const Move& move) {
        if constexpr (sizeof(Move) <= 2) {
            static auto& shared = *new std::vector<PyObject*>(std::size_t{1} << (8 * sizeof(Move)));
            std::size_t index = 0;
            std::memcpy(&index, &move, sizeof(Move));
            if (!shared[index]) shared[index] = nb::cast(move).release().ptr();
            return nb::borrow(shared[index]);
        } else {
            return nb::cast(move);
        }
    }
};

// The class joute._core.Moves, which module.cpp creates. Extensions of plug-ins use the same class.
inline PyTypeObject* moves_class() {
    static PyTypeObject* found = nullptr;  // a static local with an initialiser could deadlock with the GIL
    if (!found) [[unlikely]]
        found = imported_class("joute._core", "Moves");
    return found;
}

template <Game S>
nb::object list_of_moves(const MoveList<S>& moves) {
    nb::object items = nb::steal(PyList_New(static_cast<Py_ssize_t>(moves.size())));
    if (!items.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < moves.size(); ++i)
        PyList_SET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i),
                        MoveObjects<typename S::Move>::of(moves[i]).release().ptr());
    PyTypeObject* type = moves_class();
    nb::object list = nb::steal(type->tp_alloc(type, 0));
    if (!list.is_valid() || PyList_SetSlice(list.ptr(), 0, 0, items.ptr()) != 0) throw nb::python_error();
    return list;
}

template <Game S>
bool has_moves(const S& state) {
    return !state.is_terminal() && !is_chance(state);
}

template <Game S>
MoveList<S> moves_of(const S& state, int generator = 0) {
    MoveList<S> moves;
    if (has_moves(state)) state.generate(moves, generator);
    return moves;
}

// Builds "illegal move 4 at ply 12 of connect4; legal moves: 1 2 3". If there are too many
// moves to list and the text cannot be parsed, the message says why instead.
template <Game S>
IllegalMove illegal_move(const S& state, std::string_view move, std::string_view why_unreadable = "") {
    std::string message =
        "illegal move " + std::string(move) + " at ply " + std::to_string(state.ply()) + " of " + std::string(S::name);
    if (state.is_terminal()) return IllegalMove(message + ": the game is over");
    if (is_chance(state)) return IllegalMove(message + ": a random event is pending; resolve it first");
    // More than 60 moves are cut to 12. State in Python formats the message the same way.
    constexpr std::size_t most = 60, some = 12;
    const auto moves = moves_of(state);
    const std::size_t shown = moves.size() > most ? some : moves.size();
    if (shown < moves.size() && !why_unreadable.empty())
        return IllegalMove(message + ": " + std::string(why_unreadable));
    message += S::complete ? "; legal moves:" : "; legal moves include:";
    for (std::size_t i = 0; i < shown; ++i) message += " " + S::move_text(moves[i]);
    if (moves.size() > shown) message += " and " + std::to_string(moves.size() - shown) + " more";
    return IllegalMove(message);
}

// Returns the C++ value in an object of a bound class. `Connect4.__new__(Connect4)` creates an object without one.
template <class T>
const T& value_in(nb::handle object) {
    if (!nb::inst_ready(object)) [[unlikely]]
        throw nb::type_error(
            ("this " + class_name(object) + " was created without calling __init__, so it has no value").c_str());
    return *nb::inst_ptr<T>(object);
}

// Converts a move object or text to a move, which need not be legal.
template <Game S>
typename S::Move move_from(const S& state, nb::handle move, nb::handle move_type) {
    if (move.type().is(move_type)) return value_in<typename S::Move>(move);
    return state.parse_move(notation(move, S::name, "move"));
}

// The same for input from an agent, which may be any object. Returns nullopt if it is not a move; for text,
// `why_unreadable` receives the reason.
template <Game S>
std::optional<typename S::Move> readable_move(const S& state, nb::handle move, nb::handle move_type,
                                              std::string* why_unreadable = nullptr) {
    if (move.type().is(move_type)) {
        if (!nb::inst_ready(move)) [[unlikely]]
            return std::nullopt;
        return *nb::inst_ptr<typename S::Move>(move);
    }
    if (!nb::isinstance<nb::str>(move)) return std::nullopt;
    const auto text = utf8(move);
    if (!text) return std::nullopt;
    try {
        return state.parse_move(*text);
    } catch (const TextError& error) {
        if (why_unreadable) *why_unreadable = error.what();
        return std::nullopt;
    }
}

template <Game S>
typename S::Move legal_move(const S& state, nb::handle move, nb::handle move_type) {
    std::string why_unreadable;
    const auto found = readable_move(state, move, move_type, &why_unreadable);
    if (found && state.is_legal(*found)) [[likely]]
        return *found;
    const std::string shown = one_line(move);
    if (found || nb::isinstance<nb::str>(move)) {
        // The reason quotes the text, so it is dropped if the text is not printable as it is.
        if (!found && utf8(move) != shown) why_unreadable.clear();
        if constexpr (HasWhyIllegal<S>) {
            const std::string why = found ? state.why_illegal(*found) : has_moves(state) ? why_unreadable : "";
            if (!why.empty())
                throw IllegalMove("illegal move " + shown + " at ply " + std::to_string(state.ply()) + " of " +
                                  std::string(S::name) + ": " + why);
        }
        throw illegal_move(state, shown, why_unreadable);
    }
    throw illegal_move(state, shown + " (" + class_name(move) + ", not a move)");
}

}  // namespace joute
