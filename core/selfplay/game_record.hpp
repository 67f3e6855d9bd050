#pragma once

// A game of self-play in few bytes: its moves, its random events and its training targets.
//
//   u32 length of the rest | u8 outcome + 1, and 128 with a version | i16 margin | u16 plies | u32 version, if any
//   | u16 start, in runs with several; for each ply
//   move | u8 flags: target, outcome if solved in 2 bits, surprise in 5 | i8 value of the search, * 127, for the mover
//   | u8 random events after the move, their outcomes if the position is a target: u8 entries, then for each entry
//   (move, u8 weight); the weights sum to 255
//
// A move is its index in the list of legal moves, as u8, or as u16 in games with more than 256; an outcome likewise.
// All numbers are little-endian.

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../input_frame.hpp"

namespace joute {

using Bytes = std::vector<std::uint8_t>;

template <class Number>
void append(Bytes& bytes, Number number) {
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> (8 * i)));
}

// Reads numbers from bytes. Checks every length, because bytes from a file may be damaged.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    bool is_empty() const { return bytes_.empty(); }
    template <class Number>
    Number read() {
        std::uint64_t number = 0;
        const auto part = take(sizeof(Number));
        for (std::size_t i = 0; i < sizeof(Number); ++i) number |= static_cast<std::uint64_t>(part[i]) << (8 * i);
        return static_cast<Number>(number);
    }
    std::span<const std::uint8_t> take(std::size_t count) {
        if (count > bytes_.size()) throw JouteError("a record of self-play games is cut off");
        const auto part = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return part;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

constexpr int target_sum = 255;

// Converts probabilities to whole numbers that sum to `target_sum`: each is rounded down, then the largest remainders
// up.
inline void quantised(std::span<const float> probabilities, std::span<std::uint8_t> weights) {
    thread_local std::vector<std::pair<float, std::size_t>> rests;
    rests.clear();
    int left = target_sum;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const float exact = probabilities[i] * target_sum;
        const int floor = std::clamp(static_cast<int>(exact), 0, left);
        weights[i] = static_cast<std::uint8_t>(floor);
        left -= floor;
        rests.emplace_back(exact - static_cast<float>(floor), i);
    }
    const auto up = std::min<std::size_t>(static_cast<std::size_t>(left), rests.size());
    std::ranges::partial_sort(rests, rests.begin() + static_cast<std::ptrdiff_t>(up), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (std::size_t i = 0; i < up; ++i) ++weights[rests[i].second];
    // More than that is left only if the probabilities do not sum to one.
    if (static_cast<std::size_t>(left) > up)
        *std::ranges::max_element(weights) += static_cast<std::uint8_t>(static_cast<std::size_t>(left) - up);
}

// The type of an outcome's number in a record.
template <class S>
struct OutcomeNumberOf {
    using type = std::uint8_t;
};
template <class S>
    requires(S::has_chance && S::max_outcomes > 256)
struct OutcomeNumberOf<S> {
    using type = std::uint16_t;
};
template <class S>
using OutcomeNumber = typename OutcomeNumberOf<S>::type;

template <NetworkGame S>
struct RecordedPly {
    using Place = std::conditional_t<(InputFrame<S>::most_moves <= 256), std::uint8_t, std::uint16_t>;
    using Outcome = OutcomeNumber<S>;
    struct Weight {
        Place move;
        std::uint8_t weight;
    };
    static constexpr std::size_t most_outcomes = 32;  // successive random events after one move

    Place move = 0;
    bool is_target = false;
    std::optional<int> exact;  // the outcome for the first player, if solved
    float value = 0;
    float surprise = 0;  // of a target: how much it differs from the network's policy, in nats
    FixedList<Outcome, most_outcomes> outcomes;
    std::vector<Weight> weights;  // the policy target
};

template <NetworkGame S>
class GameRecord {
public:
    using Ply = RecordedPly<S>;
    using Place = typename Ply::Place;
    static constexpr int most_plies = 0xffff;  // limit of the format
    static constexpr float surprise_unit = 0.125f, most_surprise = 31 * surprise_unit;
    static constexpr std::uint8_t has_version = 128;  // in the byte of the outcome

    void clear() {
        plies_ = 0;
        bytes_.clear();
    }
    int plies() const { return plies_; }
    // The bytes of the plies so far.
    const Bytes& bytes() const { return bytes_; }

    void add(const Ply& ply) {
        append(bytes_, ply.move);
        const int exact = ply.exact ? 2 + *ply.exact : 0;  // 1 loss, 2 draw, 3 win
        const auto surprise = static_cast<int>(std::min(ply.surprise, most_surprise) / surprise_unit + 0.5f);
        append(bytes_, static_cast<std::uint8_t>(ply.is_target | exact << 1 | surprise << 3));
        append(bytes_, static_cast<std::int8_t>(std::clamp(ply.value, -1.0f, 1.0f) * 127));
        append(bytes_, static_cast<std::uint8_t>(ply.outcomes.size()));
        for (const auto outcome : ply.outcomes) append(bytes_, outcome);
        if (ply.is_target) {
            append(bytes_, static_cast<std::uint8_t>(ply.weights.size()));
            for (const auto& [move, weight] : ply.weights) {
                append(bytes_, move);
                append(bytes_, weight);
            }
        }
        ++plies_;
    }

    // Appends the complete record of a finished game; `version` is that of the network that began it, if known, and
    // `start` the number of its start position if a run has several.
    void finish(const Result& result, std::optional<std::uint32_t> version, std::optional<std::uint16_t> start,
                Bytes& to) const {
        const std::size_t optional_size = (version ? sizeof *version : 0) + (start ? sizeof *start : 0);
        append(to, static_cast<std::uint32_t>(5 + optional_size + bytes_.size()));
        append(to, static_cast<std::uint8_t>((result.outcome + 1) | (version ? has_version : 0)));
        append(to, static_cast<std::int16_t>(std::clamp(result.margin, -32768, 32767)));
        append(to, static_cast<std::uint16_t>(plies_));
        if (version) append(to, *version);
        if (start) append(to, *start);
        to.insert(to.end(), bytes_.begin(), bytes_.end());
    }

    static void read(ByteReader& reader, Ply& ply) {
        ply.move = reader.read<Place>();
        const auto flags = reader.read<std::uint8_t>();
        ply.is_target = flags & 1;
        const int exact = flags >> 1 & 3;
        ply.exact = exact ? std::optional(exact - 2) : std::nullopt;
        ply.surprise = static_cast<float>(flags >> 3) * surprise_unit;
        ply.value = static_cast<float>(reader.read<std::int8_t>()) / 127;
        ply.outcomes.clear();
        const auto outcomes = reader.read<std::uint8_t>();
        if (outcomes > Ply::most_outcomes) throw JouteError("a record of self-play games is damaged");
        for (int i = 0; i < outcomes; ++i) ply.outcomes.push_back(reader.read<typename Ply::Outcome>());
        ply.weights.clear();
        if (!ply.is_target) return;
        const auto entries = reader.read<std::uint8_t>();
        int sum = 0;
        for (int i = 0; i < entries; ++i) {
            const auto move = reader.read<Place>();
            ply.weights.push_back({move, reader.read<std::uint8_t>()});
            sum += ply.weights.back().weight;
        }
        if (sum != target_sum) throw JouteError("a record of self-play games is damaged");
    }

    // Plays a recorded ply; throws if it is not a possible ply of this game.
    template <class Game>
    static void play(Game& game, const Ply& ply, int generator) {
        MoveList<S> moves;
        if (game.is_terminal() || is_chance(static_cast<const S&>(game)))
            throw JouteError("a record of self-play games is damaged");
        list_judged_moves(static_cast<const S&>(game), generator, moves);
        if (ply.move >= moves.size()) throw JouteError("a record of self-play games is damaged");
        for (const auto& [move, weight] : ply.weights)
            if (move >= moves.size()) throw JouteError("a record of self-play games is damaged");
        game.play(moves[ply.move]);
        if constexpr (S::has_chance)
            for (const auto outcome : ply.outcomes) {
                OutcomeList<S> outcomes;
                if (!game.is_chance()) throw JouteError("a record of self-play games is damaged");
                game.outcomes(outcomes);
                if (outcome >= outcomes.size()) throw JouteError("a record of self-play games is damaged");
                game.resolve(outcome);
            }
        if (is_chance(static_cast<const S&>(game))) throw JouteError("a record of self-play games is damaged");
    }

private:
    int plies_ = 0;
    Bytes bytes_;
};

}  // namespace joute
