#pragma once

// Tuples for Python: a whole board in one call, so that a heuristic in Python need not ask cell by cell.

#include <nanobind/nanobind.h>

#include <utility>

namespace joute {

namespace nb = nanobind;

// Returns a class of a Python module, which is never freed.
inline PyTypeObject* imported_class(const char* module, const char* name) {
    nb::object found = nb::getattr(nb::module_::import_(module), name);
    return reinterpret_cast<PyTypeObject*>(found.release().ptr());
}

// Returns the tuple (item(0), item(1), …, item(size - 1)).
template <class Item>
nb::object tuple_by(std::size_t size, Item item) {
    nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(size)));
    if (!tuple.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < size; ++i)
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), nb::cast(item(i)).release().ptr());
    return tuple;
}

// Returns a board as a tuple of rows: cell(row, column) each.
template <class Cell>
nb::object rows_by(int rows, int columns, Cell cell) {
    return tuple_by(static_cast<std::size_t>(rows), [&](std::size_t row) {
        return tuple_by(static_cast<std::size_t>(columns),
                        [&](std::size_t column) { return cell(static_cast<int>(row), static_cast<int>(column)); });
    });
}

// Creates tuples of a class that a room defines in Python with typing.NamedTuple, which gives them types, a printed
// form and pickling. The class is imported on first use, because it is in a package that imports this extension. The
// GIL protects `type_`; a static local would deadlock if the import released the GIL.
class NamedTuple {
public:
    constexpr NamedTuple(const char* module, const char* name) : module_(module), name_(name) {}

    template <class... Values>
    nb::object operator()(Values&&... values) {
        if (!type_) [[unlikely]]
            type_ = imported_class(module_, name_);
        nb::object tuple = nb::steal(type_->tp_alloc(type_, sizeof...(Values)));
        if (!tuple.is_valid()) throw nb::python_error();
        Py_ssize_t i = 0;
        (PyTuple_SET_ITEM(tuple.ptr(), i++, nb::cast(std::forward<Values>(values)).release().ptr()), ...);
        return tuple;
    }

private:
    const char* module_;
    const char* name_;
    PyTypeObject* type_ = nullptr;
};

}  // namespace joute
