#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/random.hpp"

namespace joute {

// A user's mistake; the message is a sentence for the user.
struct JouteError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Text that is not a position, a move or a rules option.
struct TextError : JouteError {
    using JouteError::JouteError;
};

// One option of a game's rules. Help, validation and spelling suggestions are generated from it. `choices` is "a|b|c"
// for words, "low..high" for integers, and empty for any text.
struct RuleOption {
    std::string_view name;
    std::string_view default_value;
    std::string_view choices;
    std::string_view help;
};

// Parses rules of the form "key=value,key=value": calls set(key, value) for each pair.
template <class Set>
void parse_options(std::string_view text, Set set) {
    while (!text.empty()) {
        const auto comma = text.find(',');
        const auto pair = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos)
            throw TextError("rules option '" + std::string(pair) + "' is not of the form key=value");
        set(pair.substr(0, equals), pair.substr(equals + 1));
    }
}

// A hash of the rules (FNV-1a, mixed), different for different variants.
constexpr std::uint64_t rules_id(std::string_view game, std::string_view rules_text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto add = [&](std::string_view text) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    };
    add(game);
    add(":");
    add(rules_text);
    return mix64(hash);
}

// The one shared copy of these rules. It is never freed, so that a State can hold a plain pointer and copying a State
// copies bytes only.
template <class Rules>
const Rules* intern(const Rules& rules) {
    static std::mutex mutex;
    static auto& interned = *new std::map<std::string, std::unique_ptr<const Rules>>;
    const std::lock_guard lock(mutex);
    auto& slot = interned[rules.text()];
    if (!slot) slot = std::make_unique<const Rules>(rules);
    return slot.get();
}

}  // namespace joute
