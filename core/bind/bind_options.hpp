#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace joute {

namespace nb = nanobind;

// A class of options whose fields Python sets by keyword.
template <class Options>
class OptionsBinder {
public:
    OptionsBinder(nb::module_& module, const char* name) : class_(module, name) {
        class_.def(
            "__init__",
            [](nb::pointer_and_handle<Options> self, const nb::kwargs& settings) {
                new (self.p) Options;
                nb::inst_mark_ready(self.h);
                for (const auto& [key, value] : settings) nb::setattr(self.h, key, value);
            },
            nb::arg("settings"), nb::sig("def __init__(self, **settings: bool | int | float | str) -> None"));
    }
    ~OptionsBinder() { class_.attr("choices") = choices_; }

    template <class Field>
    OptionsBinder& field(const char* name, Field Options::* member) {
        class_.def_rw(name, member);
        return *this;
    }
    // An enumeration, by the name of its value.
    template <class Get, std::size_t Count>
    OptionsBinder& choice(const char* name, const Get& get, const std::array<std::string_view, Count>& names) {
        nb::list listed;
        for (const auto& known : names) listed.append(nb::str(known.data(), known.size()));
        choices_[name] = nb::tuple(listed);
        class_.def_prop_rw(
            name,
            [get, &names](Options& options) { return std::string(names[static_cast<std::size_t>(get(options))]); },
            [get, &names, name](Options& options, const std::string& value) {
                using Enum = std::remove_reference_t<decltype(get(options))>;
                const auto found = std::ranges::find(names, value);
                if (found == names.end()) throw nb::value_error((std::string(name) + ": " + value).c_str());
                get(options) = static_cast<Enum>(found - names.begin());
            });
        return *this;
    }
    template <class Get>
    OptionsBinder& nested(const char* name, const Get& get) {
        class_.def_prop_rw(
            name, [get](Options& options) { return get(options); },
            [get](Options& options, std::remove_reference_t<decltype(get(std::declval<Options&>()))> value) {
                get(options) = value;
            });
        return *this;
    }

private:
    nb::class_<Options> class_;
    nb::dict choices_;
};

}  // namespace joute
