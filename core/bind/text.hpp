#pragma once

// Text between Python and the core. Error messages must survive every input: a Python string may hold what UTF-8 cannot
// encode (a lone surrogate, which is how Python decodes invalid bytes from the shell) or what a C string cannot hold (a
// NUL), and str() of an object may raise.

#include <nanobind/nanobind.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../rules.hpp"

namespace joute {

namespace nb = nanobind;

inline std::string class_name(nb::handle object) {
    const nb::object name = nb::steal(PyType_GetName(Py_TYPE(object.ptr())));
    return nb::cast<std::string>(name);
}

// Returns the UTF-8 of a Python string, valid as long as the string lives; nullopt if UTF-8 cannot encode it.
inline std::optional<std::string_view> utf8(nb::handle text) {
    Py_ssize_t size = 0;
    const char* characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (characters) return std::string_view(characters, static_cast<std::size_t>(size));
    PyErr_Clear();
    return std::nullopt;
}

// Returns str(object) as one printable line of limited length.
inline std::string one_line(nb::handle object, Py_ssize_t longest = 200) {
    nb::object text = nb::steal(PyObject_Str(object.ptr()));
    // A subclass of str may override its methods; a plain copy does not.
    if (text.is_valid()) text = nb::steal(PyUnicode_FromObject(text.ptr()));
    if (!text.is_valid()) {
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
        PyErr_Clear();
        return "(an object of type " + class_name(object) + " that cannot be printed)";
    }
    if (!nb::cast<bool>(text.attr("isprintable")())) {
        const nb::object quoted = nb::repr(text);
        text = nb::steal(PyUnicode_Substring(quoted.ptr(), 1, PyUnicode_GetLength(quoted.ptr()) - 1));
    }
    const bool is_cut = PyUnicode_GetLength(text.ptr()) > longest;
    if (is_cut) text = nb::steal(PyUnicode_Substring(text.ptr(), 0, longest));
    return nb::cast<std::string>(text) + (is_cut ? "…" : "");
}

// Returns the text of a position or a move for the core to parse. Notation is one printable line.
inline std::string_view notation(nb::handle text, std::string_view game, std::string_view what) {
    if (!nb::isinstance<nb::str>(text))
        throw nb::type_error(("a " + std::string(what) + " of " + std::string(game) + " must be text, not " +
                              one_line(text) + " (" + class_name(text) + ")")
                                 .c_str());
    const auto characters = utf8(text);
    if (!characters || !nb::cast<bool>(nb::borrow<nb::str>(text).attr("isprintable")()))
        throw TextError("'" + one_line(text) + "' is not a " + std::string(what) + " of " + std::string(game) +
                        ": it contains characters that cannot be printed");
    return *characters;
}

// The error for an unknown name of a part of a game. It lists the known names.
inline nb::builtin_exception missing(std::string_view game, std::string_view kind, std::string_view name,
                                     std::span<const std::string_view> known) {
    std::string message = std::string(game) + " has no " + std::string(kind) + " '" + std::string(name) + "'; it has ";
    for (const std::string_view each : known) message += (each == known.front() ? "" : ", ") + std::string(each);
    return nb::value_error(message.c_str());
}

}  // namespace joute
