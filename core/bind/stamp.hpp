#pragma once

// The build stamp of an extension. A plug-in and the core share types by memory layout, which C++ does not check: a
// plug-in built against other headers, by another compiler or with other flags would crash. Each build carries a stamp,
// and the core refuses to import a plug-in whose stamp differs.

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

// (property, value) pairs that must be equal in core and plug-in.
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

// The flags that change layouts or results and that the compiler exposes as macros.
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

// Must run first in a plug-in: imports the core, which binds the types that all games share, and compares stamps.
inline void check_plugin(nb::module_& module, const Stamp& stamp = build_stamp()) {
    const nb::module_ core = nb::module_::import_("joute._core");
    try {
        core.attr("check_plugin")(module.attr("__name__"), stamp);
    } catch (const nb::python_error& error) {
        // nanobind would replace the message of the Python exception by its own.
        throw std::runtime_error(nb::str(error.value()).c_str());
    }
}

}  // namespace joute
