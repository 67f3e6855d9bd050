// The hash map of Avalam's islands: it grows in small steps and loses nothing.

#include <sys/resource.h>

#include "checks.hpp"
#include "games/avalam/islands.hpp"

using namespace joute;

int main() {
    constexpr std::uint64_t count = 300'000;
    avalam_live::FlatMap<std::uint32_t> map;
    const auto faults = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_minflt;
    };
    long most_pages = 0;
    for (std::uint64_t i = 1; i <= count; ++i) {
        const std::uint64_t key = mix64(i);
        check(!map.find(key), "a new key is not found");
        const long before = faults();
        map.insert(key, static_cast<std::uint32_t>(i));
        most_pages = std::max(most_pages, faults() - before);
        // Old values can be changed while the map grows.
        std::uint32_t* first = map.find(mix64(1));
        check(first && *first == i, "a value that was changed is found");
        *first = static_cast<std::uint32_t>(i + 1);
        const std::uint64_t other = 2 + i / 2;
        if (other <= i) {
            const std::uint32_t* found = map.find(mix64(other));
            check(found && *found == other, "every key is found while the map grows");
        }
    }
    // To copy the largest table at once touches thousands.
    check(most_pages <= 32, "an insertion touches few pages, not " + std::to_string(most_pages));
    std::printf("Avalam's map of islands: clean\n");
}
