// Hash tables that grow: every entry is found while the table grows, and no store touches much memory.

#include <sys/resource.h>

#include <vector>

#include "base/growing_array.hpp"
#include "checks.hpp"
#include "search/proof_table.hpp"
#include "table.hpp"

using namespace joute;

namespace {

// Large enough that none is ever full.
struct Hashes {
    std::array<std::uint64_t, 30> hashes;
    std::size_t count;

    void add(std::uint64_t hash) { hashes.at(count++) = hash; }
    bool contains(std::uint64_t hash) const {
        return std::find(hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(count), hash) !=
               hashes.begin() + static_cast<std::ptrdiff_t>(count);
    }
};

// `most` is no power of four times the first size, so the last growth is by a smaller factor.
void check_growing_array() {
    constexpr std::size_t first = 16, most = 3000;
    GrowingArray<Hashes> array(first, most);
    Random random(1);
    std::vector<std::uint64_t> stored;
    std::size_t steps = 0;
    for (std::size_t i = 0; i < 2 * most; ++i) {
        // The lowest and the highest hash belong to the first and the last bucket.
        stored.push_back(i == 0 ? 0 : i == 1 ? ~std::uint64_t{0} : random.next());
        array[stored.back()].add(stored.back());
        std::size_t moved = 0;
        const bool goes_on = array.grow(i + 1, [&](Hashes& bucket) {
            const Hashes old = bucket;
            bucket = {};
            for (std::size_t k = 0; k < old.count; ++k) array[old.hashes[k]].add(old.hashes[k]);
            ++moved;
        });
        steps += moved > 0;
        check(moved <= array.buckets_a_step, "a step moves few buckets");
        check(i + 1 < most || array.size() == most, "an array grows to its largest size");
        check(i + 1 < 2 * most || !goes_on, "growth ends");
        if (i % 7 == 0)
            for (const std::uint64_t hash : stored) check(array[hash].contains(hash), "every hash is found");
    }
    check(steps > 150, "the array grows in many steps");
    array.clear();
    check(array.size() == first, "a cleared array is small");
    for (const std::uint64_t hash : stored) check(!array[hash].contains(hash), "a cleared array is empty");

    GrowingArray<Hashes> endless(first, std::size_t{1} << 50);
    endless[1].add(1);
    check(endless[1].contains(1), "an array that is too large for the machine becomes smaller");
}

// The most pages that one call of `store` touches for the first time. Huge pages make it fewer.
template <class Store>
long most_pages_a_store(std::size_t stores, const Store& store) {
    const auto faults = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_minflt;
    };
    Random random(2);
    long most = 0;
    for (std::size_t i = 0; i < stores; ++i) {
        const std::uint64_t key = random.next() | 1;
        const long before = faults();
        store(key);
        most = std::max(most, faults() - before);
    }
    return most;
}

// To move all entries of these tables at once touches thousands of pages.
constexpr std::size_t stores = 600'000;
constexpr long few_pages = 16;  // the shadow memory of the sanitizer included

void check_transposition_table() {
    TranspositionTable table(64);
    std::size_t lost = 0;
    std::uint64_t last = 1;
    const long pages = most_pages_a_store(stores, [&](std::uint64_t key) {
        table.store(key, {.value = static_cast<double>(key >> 40), .code = 7, .depth = 3, .bound = Bound::lower});
        lost += !table.find(last);
        last = key;
        const auto found = table.find(key);
        check(found && found->value == static_cast<double>(key >> 40) && found->code == 7, "a stored entry is found");
    });
    check(lost < stores / 1000, "growth loses hardly an entry");
    check(pages <= few_pages, "a store of the transposition table touches few pages, not " + std::to_string(pages));
}

void check_proof_table() {
    struct Proof {
        std::uint64_t key = 0;
        std::int32_t value = 0;
        std::uint8_t size = 0;
    };
    ProofTable<Proof> table(std::size_t{64} << 20);
    Random random(2);
    const long pages = most_pages_a_store(stores, [&](std::uint64_t key) {
        table.store({.key = key, .value = static_cast<std::int32_t>(key >> 40), .size = 1});
        const Proof* found = table.find(key);
        check(found && found->value == static_cast<std::int32_t>(key >> 40), "a stored proof is found");
    });
    check(pages <= few_pages, "a store of the proof table touches few pages, not " + std::to_string(pages));
    std::size_t found = 0;
    for (std::size_t i = 0; i < stores; ++i) found += table.find(random.next() | 1) != nullptr;
    check(found > stores * 9 / 10, "growth keeps the proofs");
}

}  // namespace

int main() {
    check_growing_array();
    check_transposition_table();
    check_proof_table();
    std::printf("tables that grow: clean\n");
}
