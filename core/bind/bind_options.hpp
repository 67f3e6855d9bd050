#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "../options.hpp"

namespace joute {

namespace nb = nanobind;

// Sets one option from a Python value. The value of an enumeration is given by name.
template <class Options, auto... Path>
void set_option(const Option<Path...>& option, Options& options, nb::handle value, const char* owner) {
    auto& field = option.of(options);
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>) {
        std::string text;
        const auto found = nb::try_cast(value, text) ? std::ranges::find(option.choices, text) : option.choices.end();
        if (found == option.choices.end())
            throw nb::value_error((std::string(option.name) + ": " + nb::str(value).c_str()).c_str());
        field = static_cast<Field>(found - option.choices.begin());
    } else if (!nb::try_cast(value, field)) {
        throw nb::type_error(
            (std::string(owner) + ": " + option.name + " cannot be " + nb::repr(value).c_str()).c_str());
    }
}

template <class Options>
void refuse_unknown(const std::string& name, const char* owner) {
    const bool is_known =
        std::apply([&](const auto&... option) { return ((name == option.name) || ...); }, Options::fields());
    if (!is_known) throw nb::type_error((std::string(owner) + " has no option " + name).c_str());
}

template <class Options>
Options options_from(const nb::kwargs& settings, const char* owner) {
    Options options{};
    std::string unset;
    int unset_count = 0;
    std::size_t known = 0;
    const auto set = [&](const auto& option) {
        if (settings.contains(option.name)) {
            set_option(option, options, settings[option.name], owner);
            ++known;
        } else {
            unset += (unset_count++ ? ", " : "") + std::string(option.name);
        }
    };
    std::apply([&](const auto&... option) { (set(option), ...); }, Options::fields());
    if (unset_count > 0)
        throw nb::type_error(
            (std::string(owner) + ": " + unset + (unset_count > 1 ? " are" : " is") + " not set").c_str());
    if (known < settings.size())
        for (const auto& [key, value] : settings) refuse_unknown<Options>(nb::cast<std::string>(key), owner);
    return options;
}

// Binds a class of options. Its constructor takes one keyword for each field; its objects are read-only.
template <class Options>
void bind_options(nb::module_& module, const char* name) {
    static_assert(std::is_trivially_default_constructible_v<Options>, "defaults belong to the parameters in Python");
    nb::class_<Options> bound(module, name);
    nb::dict choices;
    bound.def(
        "__init__",
        [name](Options* self, const nb::kwargs& settings) {
            new (self) Options(options_from<Options>(settings, name));
        },
        nb::arg("settings"), nb::sig("def __init__(self, **settings: bool | int | float | str) -> None"));
    const auto bind = [&](const auto& option) {
        bound.def_prop_ro(option.name, [option](const Options& options) {
            const auto& field = option.of(options);
            if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(field)>>)
                return std::string(option.choices[static_cast<std::size_t>(field)]);
            else
                return field;
        });
        if (option.choices.empty()) return;
        nb::list listed;
        for (const auto& known : option.choices) listed.append(nb::str(known.data(), known.size()));
        choices[option.name] = nb::tuple(listed);
    };
    std::apply([&](const auto&... option) { (bind(option), ...); }, Options::fields());
    bound.attr("choices") = choices;
}

}  // namespace joute
