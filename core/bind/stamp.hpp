#pragma once

// How an extension was built. Types cross from a plug-in to the core by their layout, which C++ does not check: a
// plug-in that is built against other headers, by another compiler or with other flags would crash. So each build
// carries a stamp, and the core refuses a plug-in with another one when it is imported.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "build_version.hpp"  // made by CMake

namespace joute {

namespace nb = nanobind;

// (what, value) of each thing that must be the same.
using Stamp = std::vector<std::pair<std::string, std::string>>;

inline std::string compiler_version() {
#if defined(__clang__)
    return "Clang " + std::to_string(__clang_major__);
#elif defined(__GNUC__)
    return "GCC " + std::to_string(__GNUC__);
#elif defined(_MSC_VER)
    return "MSVC " + std::to_string(_MSC_VER);
#else
    return "unknown";
#endif
}

// The flags that change layouts or results, as far as the compiler tells them.
inline std::string compiler_flags() {
    std::string flags = "C++" + std::to_string(__cplusplus / 100 % 100);
#ifdef __SSE4_2__
    flags += " sse4.2";
#endif
#ifdef __AVX2__
    flags += " avx2";
#endif
#ifdef __AVX512F__
    flags += " avx512f";
#endif
#ifdef __FAST_MATH__
    flags += " fast-math";
#endif
#ifdef _GLIBCXX_DEBUG
    flags += " glibcxx-debug";
#endif
#ifdef __SANITIZE_ADDRESS__
    flags += " sanitize-address";
#endif
    return flags;
}

inline Stamp build_stamp() {
    const auto number = [](int part) { return std::to_string(part); };
    return {{"joute", build_version},
            {"joute headers", build_headers},
            {"nanobind", number(NB_VERSION_MAJOR) + "." + number(NB_VERSION_MINOR) + " (ABI " +
                             number(NB_BACKEND_ABI_MAJOR) + "." + number(NB_BACKEND_ABI_MINOR) + ")"},
            {"C++ library", NB_PLATFORM_ABI_TAG},
            {"compiler", compiler_version()},
            {"flags", compiler_flags()}};
}

// The first thing that a plug-in does: imports the core, which binds the types that all games share, and compares.
inline void check_plugin(nb::module_& module, const Stamp& stamp = build_stamp()) {
    const nb::module_ core = nb::module_::import_("joute._core");
    try {
        core.attr("check_plugin")(module.attr("__name__"), stamp);
    } catch (const nb::python_error& error) {
        // nanobind would show a sentence of its own in place of Python's exceptions.
        throw std::runtime_error(nb::str(error.value()).c_str());
    }
}

}  // namespace joute
