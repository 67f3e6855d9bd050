#pragma once

// How a struct of options names its fields for Python.
//
// Python owns defaults, ranges and help (the parameter classes of src/joute); a struct here says what each option means
// and has no default. Python refuses to make one with a field unset (bind/bind_options.hpp), and in C++ a missing
// initialiser is an error of the compiler (-Werror=missing-field-initializers).
//
// To add an option: a field of the struct, its line in `fields()`, and the parameter in Python.

#include <span>
#include <string_view>
#include <tuple>

namespace joute {

// A field by its name in Python: the member at the end of `Path`, through structs inside the options.
// An enumeration lists the names of its values, in their order.
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
