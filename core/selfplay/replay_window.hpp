#pragma once

// The most recent positions of self-play, from which batches for the learner are drawn.
//
// Records are replayed into positions, which are stored as small states; planes are computed when a position is drawn.
// The value target of a position is the solved outcome at this position or at the next solved position of its game; if
// there is none, the result of the game, mixed with the value that the search found (`search_share`), which varies less
// where chance decides games.
//
// Positions whose target surprised the network may be stored more often than others (policy surprise weighting,
// KataGo): of the copies of a game's positions, `surprise_share` are in proportion to their surprise, the others equal.

#include <algorithm>
#include <deque>

#include "../history.hpp"
#include "../search/network/batch.hpp"
#include "game_record.hpp"
#include "starts.hpp"
#include "thread_team.hpp"

namespace joute {

// The arrays of a batch for the learner, filled row by row.
struct SampleArrays {
    std::uint8_t* planes;
    std::int16_t* legal;
    float* policy;                  // over the moves of `legal`
    float* wdl;                     // win, draw, loss for the player to move
    float* margin;                  // for the player to move, in the game's unit
    std::int8_t* ending = nullptr;  // what the end of the game looked like (offers.hpp); null if not wanted
};

struct ReplayOptions {
    std::size_t capacity;
    int generator;
    double search_share;    // of the search's value in the value target
    double surprise_share;  // of the copies that are in proportion to surprise
    bool endings;           // keep the ends of games, for games that describe them
    int threads;
};

template <NetworkGame S>
class ReplayWindow {
public:
    ReplayWindow(std::vector<InPlay<S>> starts, const FrameChoice& frame, const ReplayOptions& options)
        : starts_(std::move(starts)),
          writer_(InputFrame<S>::of(first_of(starts_), frame)),
          options_(options),
          capacity_(options.capacity),
          team_(std::max(options.threads, 1)) {
        check_starts<S>(writer_.frame(), starts_);
        if (options.capacity < 1) throw JouteError("the capacity of a replay window must be at least 1");
        if (options.endings && ending_planes<S> == 0)
            throw JouteError(std::string(S::name) + " does not describe the ends of its games to networks");
        check_generator<S>(options.generator);
    }

    const PositionWriter<S>& writer() const { return writer_; }
    std::size_t size() const { return size_; }
    std::uint64_t total() const { return total_; }
    std::size_t capacity() const { return capacity_; }
    void set_capacity(std::size_t capacity) {
        capacity_ = std::max<std::size_t>(capacity, 1);
        drop_oldest();
    }

    // Adds the targets of these records and returns their number, copies left out. If a record is damaged, adds
    // nothing.
    std::size_t add(std::span<const std::uint8_t> records) {
        std::vector<std::span<const std::uint8_t>> games;
        ByteReader reader(records);
        while (!reader.is_empty()) games.push_back(reader.take(reader.read<std::uint32_t>()));
        const auto parts = std::min(static_cast<std::size_t>(team_.size()), games.size() / least_games + 1);
        std::vector<Block> blocks(parts);
        in_parts(parts, [&](std::size_t part) {
            for (std::size_t i = games.size() * part / parts; i < games.size() * (part + 1) / parts; ++i)
                add_game(games[i], blocks[part]);
        });
        std::size_t added = 0;
        for (Block& block : blocks) {
            if (block.positions.empty()) continue;
            added += block.targets;
            size_ += block.positions.size();
            blocks_.push_back(std::move(block));
        }
        total_ += added;
        drop_oldest();
        return added;
    }

    // Draws positions at random and transforms each by a random symmetry.
    void sample(std::size_t batch, std::uint64_t seed, const SampleArrays& to) {
        if (size_ == 0) throw JouteError("the replay window is empty");
        std::vector<std::size_t> begins;  // of the blocks; dropped positions of the first block count
        std::size_t begin = 0;
        for (const Block& block : blocks_) {
            begins.push_back(begin);
            begin += block.positions.size();
        }
        const auto fill = [&](std::size_t first, std::size_t last) {
            // A row depends only on the seed and its index.
            for (std::size_t row = first; row < last; ++row) {
                Random random(mix64(seed) + row);
                const std::size_t drawn = dropped_ + random.below(static_cast<std::uint32_t>(size_));
                const auto place =
                    static_cast<std::size_t>(std::ranges::upper_bound(begins, drawn) - begins.begin()) - 1;
                const int g = static_cast<int>(random.below(static_cast<std::uint32_t>(writer_.symmetries())));
                write(blocks_[place], blocks_[place].positions[drawn - begins[place]], g, row, to);
            }
        };
        const auto parts = static_cast<std::size_t>(team_.size());
        in_parts(parts, [&](std::size_t part) { fill(batch * part / parts, batch * (part + 1) / parts); });
    }

    // The bytes that describe the end of a game; 0 if this window keeps none.
    std::size_t ending_size() const {
        const InputShape shape = writer_.frame().shape();
        return options_.endings ? static_cast<std::size_t>(ending_planes<S> * shape.rows * shape.columns) : 0;
    }

    // The number of games in these records.
    static std::size_t games_in(std::span<const std::uint8_t> records) {
        ByteReader reader(records);
        std::size_t games = 0;
        for (; !reader.is_empty(); ++games) reader.take(reader.read<std::uint32_t>());
        return games;
    }

private:
    static constexpr std::size_t least_games = 16;  // that a thread reads

    using Weight = typename RecordedPly<S>::Weight;
    struct Position {
        S state;
        std::uint32_t first_weight, last_weight;
        std::uint32_t ending;  // in the block
        std::int16_t margin;   // for the player to move
        std::int8_t outcome;   // for the player to move
        bool is_solved;        // whether `outcome` is that of best play
        float value;           // of the search, for the player to move
        float surprise;
    };
    struct Block {
        std::vector<Position> positions;
        std::vector<Weight> weights;
        std::vector<S> endings;
        std::size_t targets = 0;  // positions without their copies
    };

    // Runs work(0) to work(parts - 1) on the threads.
    template <class Work>
    void in_parts(std::size_t parts, const Work& work) {
        if (parts == 1) {
            work(0);
            return;
        }
        team_.start([&](int thread) {
            if (static_cast<std::size_t>(thread) < parts) work(static_cast<std::size_t>(thread));
        });
        team_.wait();
    }

    void write(const Block& block, const Position& position, int g, std::size_t row, const SampleArrays& to) const {
        constexpr auto width = static_cast<std::size_t>(PositionWriter<S>::width);
        writer_.write_planes(position.state, g, to.planes + row * static_cast<std::size_t>(writer_.input_size()));
        MoveList<S> moves;
        list_judged_moves(position.state, options_.generator, moves);
        writer_.write_legal(
            position.state, moves.size(), [&](std::size_t i) { return moves[i]; }, g,
            to.legal + row * width * PositionWriter<S>::parts);
        std::fill_n(to.policy + row * width, width, 0.0f);
        for (std::uint32_t i = position.first_weight; i < position.last_weight; ++i)
            to.policy[row * width + block.weights[i].move] += static_cast<float>(block.weights[i].weight) / target_sum;
        const float searched = position.is_solved ? 0 : static_cast<float>(options_.search_share);
        // A value v is read as a win with probability (1 + v) / 2 and a loss otherwise.
        const std::array<float, 3> by_search{(1 + position.value) / 2, 0, (1 - position.value) / 2};
        for (std::size_t result = 0; result < 3; ++result)
            to.wdl[row * 3 + result] =
                (position.outcome == 1 - static_cast<int>(result) ? 1 - searched : 0.0f) + searched * by_search[result];
        to.margin[row] = position.margin;
        if constexpr (ending_planes<S> > 0)
            if (to.ending) {
                const std::size_t size = ending_size();
                block.endings[position.ending].transformed(g).describe_ending(position.state.to_move(),
                                                                              {to.ending + row * size, size});
            }
    }

    void add_game(std::span<const std::uint8_t> record, Block& block) const {
        ByteReader reader(record);
        const auto head = reader.read<std::uint8_t>();
        const int outcome = (head & ~GameRecord<S>::has_version) - 1;
        const int margin = reader.read<std::int16_t>();
        const int plies = reader.read<std::uint16_t>();
        if (head & GameRecord<S>::has_version) reader.read<std::uint32_t>();
        const std::size_t start = starts_.size() > 1 ? reader.read<std::uint16_t>() : 0;
        if (outcome > 1 || start >= starts_.size()) throw JouteError("a record of self-play games is damaged");
        InPlay<S> game = starts_[start];
        RecordedPly<S> ply;
        const std::size_t begin = block.positions.size();
        std::size_t unknown = begin;  // the first position without an outcome yet
        const auto settle = [&](int known, bool is_solved) {
            for (; unknown < block.positions.size(); ++unknown) {
                Position& position = block.positions[unknown];
                position.outcome = static_cast<std::int8_t>(position.state.to_move() == 0 ? known : -known);
                position.is_solved = is_solved;
            }
        };
        for (int i = 0; i < plies; ++i) {
            GameRecord<S>::read(reader, ply);
            const S before = game;
            GameRecord<S>::play(game, ply, options_.generator);
            if (ply.is_target) {
                const auto first = static_cast<std::uint32_t>(block.weights.size());
                block.weights.insert(block.weights.end(), ply.weights.begin(), ply.weights.end());
                block.positions.push_back(
                    {.state = before,
                     .first_weight = first,
                     .last_weight = static_cast<std::uint32_t>(block.weights.size()),
                     .ending = static_cast<std::uint32_t>(block.endings.size()),
                     .margin = static_cast<std::int16_t>(before.to_move() == 0 ? margin : -margin),
                     .outcome = 0,
                     .is_solved = false,
                     .value = ply.value,
                     .surprise = ply.surprise});
            }
            if (ply.exact) settle(*ply.exact, true);
        }
        if (!reader.is_empty()) throw JouteError("a record of self-play games is damaged");
        settle(outcome, false);
        block.targets += block.positions.size() - begin;
        if (options_.endings) block.endings.push_back(game);
        if (options_.surprise_share > 0) weigh(block, begin, mix64(static_cast<const S&>(game).key()));
    }

    // Replaces the positions of a game by as many copies, on average, as their surprise asks for.
    void weigh(Block& block, std::size_t begin, std::uint64_t seed) const {
        const std::vector<Position> game(block.positions.begin() + static_cast<std::ptrdiff_t>(begin),
                                         block.positions.end());
        double sum = 0;
        for (const Position& position : game) sum += position.surprise;
        if (sum <= 0) return;
        block.positions.erase(block.positions.begin() + static_cast<std::ptrdiff_t>(begin), block.positions.end());
        Random random(seed);
        for (const Position& position : game) {
            const double by_surprise = position.surprise / sum * static_cast<double>(game.size());
            double copies = 1 - options_.surprise_share + options_.surprise_share * by_surprise;
            for (; copies > 0 && random.uniform() < copies; --copies) block.positions.push_back(position);
        }
    }

    // Keeps the newest `capacity_` positions, independent of how they were added.
    void drop_oldest() {
        if (size_ <= capacity_) return;
        dropped_ += size_ - capacity_;
        size_ = capacity_;
        while (dropped_ >= blocks_.front().positions.size()) {
            dropped_ -= blocks_.front().positions.size();
            blocks_.pop_front();
        }
    }

    std::vector<InPlay<S>> starts_;
    PositionWriter<S> writer_;
    ReplayOptions options_;
    std::size_t capacity_;
    std::deque<Block> blocks_;
    std::size_t size_ = 0;
    std::size_t dropped_ = 0;  // expired positions at the front of the first block
    std::uint64_t total_ = 0;
    ThreadTeam team_;
};

}  // namespace joute
