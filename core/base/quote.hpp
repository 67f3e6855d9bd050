#pragma once

// Quotes a user's text in an error message: between quotation marks, cut to a length that fits a line or two, and never
// inside a UTF-8 character, because Python cannot read a message that is not UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace joute {

// Returns the first `count` characters of a UTF-8 text.
constexpr std::string_view first_characters(std::string_view text, std::size_t count) {
    std::size_t size = 0;
    for (; count > 0 && size < text.size(); --count) {
        ++size;
        while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
    }
    return text.substr(0, size);
}

// The most characters that are quoted: enough for a move of every game, and for most positions.
constexpr std::size_t longest_quote = 200;

inline std::string quoted(std::string_view text) {
    const std::string_view shown = first_characters(text, longest_quote);
    return "'" + std::string(shown) + (shown.size() < text.size() ? "…'" : "'");
}

}  // namespace joute
