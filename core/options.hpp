#pragma once

// Names the fields of option structs for Python.
//
// Defaults, ranges and help texts live in Python (the parameter classes of src/joute). An option struct in C++
// documents each option and has no defaults. Constructing one from Python with a field unset is an error
// (bind/bind_options.hpp), and in C++ a missing initialiser is a compile error (-Werror=missing-field-initializers).
//
// To add an option, add a field to the struct, a line to its `fields()`, and the parameter in Python.

#include <span>
#include <string_view>
#include <tuple>

namespace joute {

// A field and its name in Python. `Path` is a chain of member pointers, which may pass through nested structs. For an
// enumeration, `choices` are the names of its values in order.
template <auto... Path>
struct Option {
    const char* name;
    std::span<const std::string_view> choices = {};

    template <class Options>
    static constexpr auto& of(Options& options) {
        return (options.*....*Path);
    }
};

}  // namespace joute
