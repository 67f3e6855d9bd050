#include "book.hpp"

#include <array>
#include <cstring>
#include <unordered_set>

namespace joute {

using namespace connect4;

namespace {

// The three slots of a key, one in each block.
std::array<std::uint32_t, 3> slots_of(Bits key, std::uint64_t seed, std::uint32_t block_size) {
    std::array<std::uint32_t, 3> slots;
    std::uint64_t word = mix64(key ^ seed);
    for (std::uint32_t block = 0; block < 3; ++block) {
        slots[block] = block * block_size + static_cast<std::uint32_t>((word >> 32) * block_size >> 32);
        word = mix64(word + 0x9e3779b97f4a7c15ULL);
    }
    return slots;
}

}  // namespace

// The first bytes of a book. Little-endian, like all supported machines.
struct Connect4Book::Header {
    std::array<char, 8> magic = {'J', 'o', 'u', 't', 'e', 'C', '4', '1'};
    std::uint64_t plies = 0;
    std::uint64_t positions = 0;
    std::uint64_t seed = 0;
    std::uint64_t block_size = 0;
    std::uint64_t bits_per_slot = 0;
    std::int64_t lowest_score = 0;  // slots hold score - lowest_score
    std::uint64_t checksum = 0;

    // The checksum of the whole book, computed with this field set to 0.
    std::uint64_t checksum_of(std::span<const std::uint8_t> payload) const {
        Header unsigned_header = *this;
        unsigned_header.checksum = 0;
        std::uint64_t sum = payload.size();
        const auto add = [&](std::span<const std::uint8_t> bytes) {
            for (const std::uint8_t byte : bytes) sum = (sum ^ byte) * 0x100000001b3ULL;
        };
        add({reinterpret_cast<const std::uint8_t*>(&unsigned_header), sizeof unsigned_header});
        add(payload);
        return mix64(sum);
    }
    std::size_t payload_size() const { return (3 * block_size * bits_per_slot + 7) / 8 + sizeof(std::uint32_t); }
};

Connect4Book::Connect4Book(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
    Header header;
    if (bytes_.size() < sizeof(Header)) throw TextError("the connect4 book is damaged: it is too short");
    std::memcpy(&header, bytes_.data(), sizeof header);
    if (header.magic != Header{}.magic)
        throw TextError("the file is not a connect4 book, or it is from another version of joute");
    const std::span payload(bytes_.begin() + sizeof header, bytes_.end());
    if (header.plies > cells || header.block_size > 1u << 28 || header.bits_per_slot > 8 ||
        payload.size() != header.payload_size() || header.checksum_of(payload) != header.checksum)
        throw TextError("the connect4 book is damaged");
    plies_ = static_cast<int>(header.plies);
    positions_ = header.positions;
    seed_ = header.seed;
    block_size_ = static_cast<std::uint32_t>(header.block_size);
    bits_per_slot_ = static_cast<int>(header.bits_per_slot);
    lowest_score_ = static_cast<int>(header.lowest_score);
}

std::uint32_t Connect4Book::slot(std::size_t index) const {
    const std::size_t bit = index * static_cast<std::size_t>(bits_per_slot_);
    std::uint32_t word;  // the payload has spare bytes at its end, so this never reads past it
    std::memcpy(&word, bytes_.data() + sizeof(Header) + bit / 8, sizeof word);
    return word >> (bit % 8) & ((1u << bits_per_slot_) - 1);
}

int Connect4Book::score(const Position& position) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t index : slots_of(symmetric_key(position.own, position.occupied), seed_, block_size_))
        sum ^= slot(index);
    return static_cast<int>(sum) + lowest_score_;
}

std::vector<Position> Connect4Book::positions_of_ply(int plies, const Poll& poll) {
    std::vector<Position> layer{Position(Connect4(Connect4Rules::find("")))};
    for (int ply = 0; ply < plies; ++ply) {
        std::vector<Position> next;
        std::unordered_set<Bits> seen;
        for (const Position& position : layer) {
            if (poll) poll();
            for (Bits moves = position.playable(); moves; moves &= moves - 1) {
                const Bits cell = moves & -moves;
                if (Connect4::has_four(position.own | cell)) continue;
                const Position after = position.after(cell);
                if (seen.insert(symmetric_key(after.own, after.occupied)).second) next.push_back(after);
            }
        }
        layer = std::move(next);
    }
    std::erase_if(layer, [](const Position& position) {
        const Bits playable = position.playable();
        return (winning_cells(position.own, position.occupied) & playable) ||
               !safe_moves(playable, winning_cells(position.other(), position.occupied));
    });
    return layer;
}

std::vector<std::uint8_t> Connect4Book::pack(int plies, std::span<const Position> positions,
                                             std::span<const std::int8_t> scores) {
    if (positions.empty() || positions.size() != scores.size())
        throw TextError("a connect4 book needs one score for each position");
    const auto count = static_cast<std::uint32_t>(positions.size());
    Header header;
    header.plies = static_cast<std::uint64_t>(plies);
    header.positions = count;
    header.block_size = static_cast<std::uint64_t>(1.23 * count / 3) + 16;
    const auto block_size = static_cast<std::uint32_t>(header.block_size);
    const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
    header.lowest_score = *lowest;
    header.bits_per_slot = std::bit_width(static_cast<unsigned>(*highest - *lowest));

    std::vector<Bits> keys;
    for (const Position& position : positions) keys.push_back(symmetric_key(position.own, position.occupied));
    // Peeling: a slot used by only one key can encode the score of that key after all others are set; remove the key
    // and repeat. With 1.23 slots a key this nearly always removes all keys; if not, another seed is tried.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // (key index, slot reserved for the key)
    for (header.seed = 1;; ++header.seed) {
        std::vector<std::uint32_t> uses(3 * block_size), key_xor(3 * block_size);
        for (std::uint32_t i = 0; i < count; ++i)
            for (const std::uint32_t s : slots_of(keys[i], header.seed, block_size)) ++uses[s], key_xor[s] ^= i;
        std::vector<std::uint32_t> lonely;
        for (std::uint32_t s = 0; s < 3 * block_size; ++s)
            if (uses[s] == 1) lonely.push_back(s);
        order.clear();
        while (!lonely.empty()) {
            const std::uint32_t own_slot = lonely.back();
            lonely.pop_back();
            if (uses[own_slot] != 1) continue;
            const std::uint32_t i = key_xor[own_slot];
            order.emplace_back(i, own_slot);
            for (const std::uint32_t s : slots_of(keys[i], header.seed, block_size)) {
                key_xor[s] ^= i;
                if (--uses[s] == 1) lonely.push_back(s);
            }
        }
        if (order.size() == count) break;
    }
    std::vector<std::uint8_t> slots(3 * block_size);
    for (auto assigned = order.rbegin(); assigned != order.rend(); ++assigned) {
        const auto [i, own_slot] = *assigned;
        std::uint32_t value = static_cast<std::uint32_t>(scores[i] - header.lowest_score);
        for (const std::uint32_t s : slots_of(keys[i], header.seed, block_size))
            if (s != own_slot) value ^= slots[s];
        slots[own_slot] = static_cast<std::uint8_t>(value);
    }

    std::vector<std::uint8_t> bytes(sizeof header + header.payload_size());
    const std::span payload(bytes.begin() + sizeof header, bytes.end());
    for (std::size_t s = 0; s < slots.size(); ++s) {
        const std::size_t bit = s * header.bits_per_slot;
        const std::uint32_t shifted = static_cast<std::uint32_t>(slots[s]) << (bit % 8);
        payload[bit / 8] |= static_cast<std::uint8_t>(shifted);
        payload[bit / 8 + 1] |= static_cast<std::uint8_t>(shifted >> 8);
    }
    header.checksum = header.checksum_of(payload);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

}  // namespace joute
