// Feeds mutated text to the parsers of positions, moves and rules of every game, and mutated bytes to the reader of
// books, under the address and undefined-behaviour sanitizers (make sanitize). A parser returns or throws a TextError
// whose message is UTF-8; `make fuzz` does the same through Python.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "checks.hpp"
#include "games/avalam/avalam.hpp"
#include "games/connect4/book.hpp"
#include "games/connect4/connect4.hpp"
#include "games/divercite/divercite.hpp"
#include "games/quoridor/quoridor.hpp"
#include "games/vampires/vampires.hpp"

using namespace joute;

namespace {

// Inputs for each parser of each game; the whole check takes a few seconds under the sanitizers.
constexpr int inputs = 20'000;
constexpr std::size_t longest = 2'000;

constexpr std::string_view hostile[] = {
    "",
    "\xE2\x82\xAC",
    "\xF0\x9F\x98\x80",
    "\xC3\xA9",
    " ",
    "0",
    "-1",
    "9",
    "99999999999999999999",
    "256",
    "65536",
    "/",
    "//",
    "+",
    ".",
    "x",
    "-",
    "!",
    ",",
    "=",
    "'",
    "(",
    "2147483648",
    "a1",
    "e5h",
    "i9",
    "1/",
    "/1",
    "..",
    "\t",
    "#",
    "%s",
};

std::string mutated(const std::vector<std::string>& seeds, Random& random) {
    const auto below = [&](std::size_t count) {
        return static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(count)));
    };
    std::string text = seeds[below(seeds.size())];
    for (std::size_t steps = 1 + below(4); steps > 0; --steps) {
        const std::size_t begin = below(text.size() + 1), size = below(8);
        switch (below(6)) {
            case 0:
                text.insert(begin, hostile[below(std::size(hostile))]);
                break;
            case 1:
                text.replace(begin, size, hostile[below(std::size(hostile))]);
                break;
            case 2:
                text.erase(begin, size);
                break;
            case 3:
                text.insert(begin, text.substr(begin, size));
                break;
            case 4: {
                const std::string& other = seeds[below(seeds.size())];
                text = text.substr(0, begin) + other.substr(below(other.size() + 1));
                break;
            }
            default:
                // Python passes UTF-8 without control characters; within ASCII a flipped bit keeps it so.
                if (begin < text.size() && static_cast<unsigned char>(text[begin]) < 0x80)
                    text[begin] = static_cast<char>(' ' + below(95));
        }
        text = text.substr(0, longest);
    }
    return text;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t more = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC2 ? 1 : longest;
        if (more >= text.size() - i && more > 0) return false;
        for (std::size_t k = 1; k <= more; ++k)
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
        i += 1 + more;
    }
    return true;
}

template <class Parse>
void try_to(Parse parse, const std::string& text) {
    try {
        parse();
    } catch (const TextError& error) {
        // A mutation may cut a character of several bytes in two; then the message quotes what is left.
        if (is_utf8(text)) check(is_utf8(error.what()), "UTF-8 in the message about " + text);
    }
}

template <Game S>
void check_parsers(std::vector<std::string> rules_seeds, Random& random) {
    const auto* rules = S::Rules::find("");
    std::vector<std::string> positions, moves;
    for (int game = 0; game < 3; ++game) {
        S state(rules);
        for (int ply = 0; ply < 40 && !state.is_terminal(); ++ply) {
            if constexpr (requires { state.is_chance(); })
                if (state.is_chance()) {
                    state.resolve(0);
                    continue;
                }
            positions.push_back(state.text());
            const auto move = state.random_move(random);
            moves.push_back(S::move_text(move));
            state.play(move);
        }
    }
    const S start(rules);
    for (int i = 0; i < inputs; ++i) {
        const std::string position = mutated(positions, random), move = mutated(moves, random);
        try_to(
            [&] {
                const S state = S::from_text(rules, position);
                check(S::from_text(rules, state.text()) == state, "the text of " + position);
            },
            position);
        try_to([&] { (void)start.is_legal(start.parse_move(move)); }, move);
        const std::string options = mutated(rules_seeds, random);
        try_to([&] { (void)S::Rules::find(options); }, options);
    }
    std::printf("%s: %d texts of each kind\n", std::string(S::name).c_str(), inputs);
}

void check_books(Random& random) {
    constexpr int plies = 3;
    const auto positions = Connect4Book::positions_of_ply(plies);
    std::vector<std::int8_t> scores;
    for (std::size_t i = 0; i < positions.size(); ++i) scores.push_back(static_cast<std::int8_t>(random.below(5)) - 2);
    const auto book = Connect4Book::pack(plies, positions, scores);
    int accepted = 0;
    for (int i = 0; i < inputs; ++i) {
        auto bytes = book;
        for (std::uint32_t changes = random.below(3); changes > 0; --changes)
            bytes[random.below(static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), 64)))] =
                static_cast<std::uint8_t>(random.below(256));
        if (random.below(4) == 0) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size() + 1)));
        try {
            const Connect4Book read(bytes);
            for (const auto& position : positions) (void)read.score(position);
            ++accepted;
        } catch (const TextError&) {
            continue;
        }
    }
    check(accepted > 0, "that a whole book is accepted");
    std::printf("connect4: %d books, of which %d were accepted\n", inputs, accepted);
}

}  // namespace

int main() {
    Random random(7);
    check_parsers<Avalam>({"", "rules=x"}, random);
    check_parsers<Connect4>({"", "rules=x"}, random);
    check_parsers<Divercite>({"rules=handout", "rules=official", ""}, random);
    check_parsers<Quoridor>({"rules=course", "rules=course,null_move=yes", ""}, random);
    check_books(random);
    check_parsers<Vampires>({"rules=official", "map=hamlet,plies=10", "map=2x3/4v0.0+4w2.1+2h1.0", ""}, random);
}
