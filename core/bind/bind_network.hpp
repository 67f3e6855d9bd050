#pragma once

// Binds the code around networks to Python: self-play, batched searches, the replay window, and the search guided by a
// network.
//
// Each is one class for every game, like the searches (bind_search.hpp). Arrays are NumPy arrays or any other objects
// that support DLPack; a batch keeps references to the arrays it is attached to.

#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "../search/network/search.hpp"
#include "../selfplay/batch_search.hpp"
#include "../selfplay/replay_window.hpp"
#include "../selfplay/self_play.hpp"
#include "bind_environments.hpp"
#include "bind_search.hpp"
#include "room.hpp"

namespace joute {

template <class T>
using Array = nb::ndarray<T, nb::device::cpu, nb::c_contig>;
// C++20 has no 16-bit float: accepts any array and checks its item type by hand.
using AnyArray = nb::ndarray<nb::device::cpu, nb::c_contig>;

inline void check_size(const char* name, std::size_t found, std::size_t wanted) {
    if (found != wanted)
        throw nb::value_error(
            (std::string(name) + " has " + std::to_string(found) + " items, not " + std::to_string(wanted)).c_str());
}

inline const Half* halves(const char* name, const AnyArray& array, std::size_t wanted) {
    if (array.dtype() != nb::dlpack::dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1})
        throw nb::type_error((std::string(name) + " must be an array of float16").c_str());
    check_size(name, array.size(), wanted);
    return static_cast<const Half*>(array.data());
}

inline nb::bytes bytes_object(const Bytes& bytes) { return nb::bytes(bytes.data(), bytes.size()); }
inline std::span<const std::uint8_t> span_of(const nb::bytes& bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.c_str()), bytes.size()};
}

// The part that all kinds of batches share: the shape and the attached arrays.
struct BatchShape {
    int batch, width, parts, policy;
    InputShape input;
    std::vector<float> scales;  // of the planes
    bool is_masked;

    template <NetworkGame S>
    static BatchShape of(int batch, const PositionWriter<S>& writer) {
        const auto& frame = writer.frame();
        std::vector<float> scales;
        for (int plane = 0; plane < frame.shape().planes; ++plane) scales.push_back(frame.scale(plane));
        return {batch,         PositionWriter<S>::width, PositionWriter<S>::parts, frame.policy_size(),
                frame.shape(), std::move(scales),        frame.is_masked()};
    }
};

class BoundBatch {
public:
    explicit BoundBatch(BatchShape shape) : shape(std::move(shape)) {}
    virtual ~BoundBatch() = default;

    void attach(const Array<std::uint8_t>& planes, const Array<std::int16_t>& legal, const AnyArray& priors,
                const AnyArray& values) {
        const auto batch = static_cast<std::size_t>(shape.batch), width = static_cast<std::size_t>(shape.width);
        check_size("planes", planes.size(), batch * static_cast<std::size_t>(shape.input.size()));
        check_size("legal", legal.size(), batch * width * static_cast<std::size_t>(shape.parts));
        set({planes.data(), legal.data(), halves("priors", priors, batch * width), halves("values", values, batch)});
        planes_ = planes;
        legal_ = legal;
        priors_ = priors;
        values_ = values;
    }
    void check_attached() const {
        if (!planes_.is_valid()) throw JouteError("call attach() with the arrays first");
    }

    const BatchShape shape;

protected:
    virtual void set(const BatchArrays& arrays) = 0;

private:
    Array<std::uint8_t> planes_;
    Array<std::int16_t> legal_;
    AnyArray priors_, values_;
};

class BoundSelfPlay : public BoundBatch {
public:
    using BoundBatch::BoundBatch;
    virtual void start() = 0;
    virtual void wait() = 0;
    virtual Bytes take_games() = 0;
    virtual const SelfPlayCounters& counters() const = 0;
    virtual void set_simulations(int full, int fast) = 0;
    virtual void set_repetition_penalty(double penalty) = 0;
    virtual void set_version(std::uint32_t version) = 0;
    virtual Bytes save() = 0;
    virtual void load(std::span<const std::uint8_t> bytes) = 0;
};

// Reads the start positions of self-play: the given ones, or that of the rules.
template <NetworkGame S>
std::vector<InPlay<S>> starts_from(const nb::list& states, std::string_view rules) {
    std::vector<InPlay<S>> starts;
    Face<S> face;
    for (const nb::handle object : states) starts.push_back(face.read(object));
    if (starts.empty()) starts.emplace_back(S::Rules::find(rules));
    return starts;
}

template <NetworkGame S>
class SelfPlayOf final : public BoundSelfPlay {
public:
    using Pool = std::unique_ptr<SelfPlay<S>>;
    explicit SelfPlayOf(Pool pool)
        : BoundSelfPlay(BatchShape::of<S>(pool->options().games, pool->writer())), pool_(std::move(pool)) {}
    void start() override { pool_->start(); }
    void wait() override { pool_->wait(); }
    Bytes take_games() override { return pool_->take_games(); }
    const SelfPlayCounters& counters() const override { return pool_->counters(); }
    void set_simulations(int full, int fast) override { pool_->set_simulations(full, fast); }
    void set_repetition_penalty(double penalty) override { pool_->set_repetition_penalty(penalty); }
    void set_version(std::uint32_t version) override { pool_->set_version(version); }
    Bytes save() override { return pool_->save(); }
    void load(std::span<const std::uint8_t> bytes) override { pool_->load(bytes); }

protected:
    void set(const BatchArrays& arrays) override { pool_->attach(arrays); }

private:
    Pool pool_;
};

class BoundBatchSearch : public BoundBatch {
public:
    using BoundBatch::BoundBatch;
    virtual void begin(const nb::list& states) = 0;
    virtual std::size_t collect() = 0;
    virtual void deliver() = 0;
    virtual std::vector<BoundResult> results() = 0;
    virtual std::vector<std::vector<float>> targets() = 0;
};

template <NetworkGame S>
class BatchSearchOf final : public BoundBatchSearch {
public:
    using Searches = std::unique_ptr<BatchSearch<S>>;
    explicit BatchSearchOf(Searches searches)
        : BoundBatchSearch(BatchShape::of<S>(searches->options().games, searches->writer())),
          searches_(std::move(searches)) {}
    void begin(const nb::list& states) override {
        std::vector<InPlay<S>> games;
        for (const nb::handle object : states) {
            const InPlay<S>& game = face_.read(object);
            check_can_move(game);
            if (!searches_->writer().frame().holds(static_cast<const S&>(game)))
                throw nb::value_error(
                    "the rules of this position differ from those of the search, or its board is larger");
            games.push_back(game);
        }
        searches_->begin(games);
    }
    std::size_t collect() override {
        nb::gil_scoped_release release;
        return searches_->collect();
    }
    void deliver() override {
        nb::gil_scoped_release release;
        searches_->deliver();
    }
    std::vector<BoundResult> results() override {
        std::vector<BoundResult> results;
        // The lines of these searches have one move, so they are shown whole.
        for (auto& result : searches_->results())
            results.push_back(bound_result(std::move(result), face_.boxes(), [](auto line) { return line; }));
        return results;
    }
    std::vector<std::vector<float>> targets() override { return searches_->targets(); }

protected:
    void set(const BatchArrays& arrays) override { searches_->attach(arrays); }

private:
    Face<S> face_;
    Searches searches_;
};

class BoundReplayWindow {
public:
    virtual ~BoundReplayWindow() = default;
    virtual std::size_t add(std::span<const std::uint8_t> records) = 0;
    virtual std::size_t size() const = 0;
    virtual std::uint64_t total() const = 0;
    virtual std::size_t capacity() const = 0;
    virtual void set_capacity(std::size_t capacity) = 0;
    virtual void sample(std::size_t batch, std::uint64_t seed, const SampleArrays& arrays) = 0;
    virtual std::size_t games_in(std::span<const std::uint8_t> records) const = 0;
    virtual BatchShape shape() const = 0;
    virtual std::size_t ending_size() const = 0;
};

template <NetworkGame S>
class ReplayWindowOf final : public BoundReplayWindow {
public:
    ReplayWindowOf(std::vector<InPlay<S>> starts, const FrameChoice& frame, const ReplayOptions& options)
        : window_(std::move(starts), frame, options) {}
    std::size_t add(std::span<const std::uint8_t> records) override { return window_.add(records); }
    std::size_t size() const override { return window_.size(); }
    std::uint64_t total() const override { return window_.total(); }
    std::size_t capacity() const override { return window_.capacity(); }
    void set_capacity(std::size_t capacity) override { window_.set_capacity(capacity); }
    void sample(std::size_t batch, std::uint64_t seed, const SampleArrays& arrays) override {
        window_.sample(batch, seed, arrays);
    }
    std::size_t games_in(std::span<const std::uint8_t> records) const override {
        return ReplayWindow<S>::games_in(records);
    }
    BatchShape shape() const override { return BatchShape::of<S>(1, window_.writer()); }
    std::size_t ending_size() const override { return window_.ending_size(); }

private:
    ReplayWindow<S> window_;
};

// Turns logits into priors and values: `policy` [n, policy size] over the moves of each position, `wdl` [n, 3].
template <NetworkGame S>
void read_logits(NetworkRequest& request, const float* policy, std::size_t size, const float* wdl) {
    constexpr auto width = static_cast<std::size_t>(PositionWriter<S>::width),
                   parts = static_cast<std::size_t>(PositionWriter<S>::parts);
    for (std::size_t row = 0; row < request.positions; ++row) {
        const std::int16_t* legal = request.legal.data() + row * width * parts;
        float* priors = request.priors.data() + row * width;
        std::size_t moves = 0;
        for (; moves < width && legal[moves * parts] >= 0; ++moves) {
            priors[moves] = 0;
            for (std::size_t part = 0; part < parts; ++part) {
                const std::int16_t index = legal[moves * parts + part];
                if (index >= 0 && static_cast<std::size_t>(index) < size) priors[moves] += policy[row * size + index];
            }
        }
        if (moves > 0) softmax({priors, moves});
        std::array<float, 3> outcomes{wdl[3 * row], wdl[3 * row + 1], wdl[3 * row + 2]};
        softmax(outcomes);
        request.values[row] = outcomes[0] - outcomes[2];
    }
}

// Wraps the Python network of a `network_search`: evaluate(planes, legal, priors, values) fills the last two, or
// returns the logits (policy, wdl).
template <NetworkGame S>
typename NetworkSearch<S>::Evaluate python_network(nb::object evaluate) {
    return [evaluate = std::move(evaluate)](NetworkRequest& request) {
        const nb::gil_scoped_acquire gil;
        const auto n = request.positions, width = static_cast<std::size_t>(PositionWriter<S>::width),
                   parts = static_cast<std::size_t>(PositionWriter<S>::parts);
        const auto planes = static_cast<std::size_t>(request.shape.planes),
                   rows = static_cast<std::size_t>(request.shape.rows),
                   columns = static_cast<std::size_t>(request.shape.columns);
        // By reference: nanobind passes copies by default, and the values filled in would be lost.
        constexpr auto shared = nb::rv_policy::reference;
        const nb::object logits = evaluate(
            nb::ndarray<nb::numpy, std::uint8_t>(request.planes.data(), {n, planes, rows, columns}).cast(shared),
            nb::ndarray<nb::numpy, std::int16_t>(request.legal.data(), {n, width * parts}).cast(shared),
            nb::ndarray<nb::numpy, float>(request.priors.data(), {n, width}).cast(shared),
            nb::ndarray<nb::numpy, float>(request.values.data(), {n}).cast(shared));
        if (logits.is_none()) return;
        const auto [policy, wdl] = nb::cast<std::pair<Array<const float>, Array<const float>>>(logits);
        if (n == 0 || policy.size() % n != 0) throw nb::value_error("the network returned a policy of a wrong size");
        check_size("wdl", wdl.size(), 3 * n);
        read_logits<S>(request, policy.data(), policy.size() / n, wdl.data());
    };
}

// Adds the code around networks to the class of a game. `make_truth` may be empty; see truth.hpp.
template <NetworkGame S>
void bind_network(nb::class_<InPlay<S>>& state_class, const MakeTruth<S>& make_truth = {}) {
    state_class.def_static(
        "self_play",
        [make_truth](const SelfPlayOptions& options, std::string_view rules, const nb::list& starts) {
            auto pool = std::make_unique<SelfPlay<S>>(options, starts_from<S>(starts, rules), make_truth);
            return std::unique_ptr<BoundSelfPlay>(new SelfPlayOf<S>(std::move(pool)));
        },
        nb::arg("options"), nb::arg("rules") = "", nb::arg("starts") = nb::list(),
        nb::sig("def self_play(options: SelfPlayOptions, rules: str = '', starts: list[Any] = ...) -> SelfPlay"),
        "Games of self-play, many in parallel, from these positions or from the start position of the rules.");
    state_class.def_static(
        "batch_search",
        [](const SelfPlayOptions& options, std::string_view rules) {
            auto searches = std::make_unique<BatchSearch<S>>(options, S(S::Rules::find(rules)));
            return std::unique_ptr<BoundBatchSearch>(new BatchSearchOf<S>(std::move(searches)));
        },
        nb::arg("options"), nb::arg("rules") = "", "Searches of many positions in parallel.");
    state_class.def_static(
        "replay_window",
        [](std::size_t capacity, std::string_view rules, const nb::list& starts, int generator, int encoding,
           std::pair<int, int> frame, double search_share, double surprise_share, bool endings, int threads) {
            return std::unique_ptr<BoundReplayWindow>(new ReplayWindowOf<S>(starts_from<S>(starts, rules),
                                                                            {encoding, frame.first, frame.second},
                                                                            {.capacity = capacity,
                                                                             .generator = generator,
                                                                             .search_share = search_share,
                                                                             .surprise_share = surprise_share,
                                                                             .endings = endings,
                                                                             .threads = threads}));
        },
        nb::arg("capacity"), nb::arg("rules") = "", nb::arg("starts") = nb::list(), nb::arg("generator") = 0,
        nb::arg("encoding") = 0, nb::arg("frame") = std::pair(0, 0), nb::arg("search_share") = 0.0,
        nb::arg("surprise_share") = 0.0, nb::arg("endings") = false, nb::arg("threads") = 1,
        nb::sig("def replay_window(capacity: int, rules: str = '', starts: list[Any] = ..., generator: int = 0, "
                "encoding: int = 0, frame: tuple[int, int] = (0, 0), search_share: float = 0.0, "
                "surprise_share: float = 0.0, endings: bool = False, threads: int = 1) -> ReplayWindow"),
        "The most recent positions of self-play, of games from these starts, in a frame of (rows, columns); "
        "`search_share` is the share of the search's value in the value target, `surprise_share` that of the copies of "
        "positions in proportion to their surprise; with `endings`, samples describe the ends of games.");
    state_class.def_static(
        "network_search",
        [](const NetworkSearchOptions& options, nb::object evaluate) {
            return std::unique_ptr<BoundSearch>(new SearchOf<S>(
                nullptr, nb::object(), {}, [&](const Evaluation<S>*, const void*) -> std::unique_ptr<Search<S>> {
                    return std::make_unique<NetworkSearch<S>>(options, python_network<S>(evaluate));
                }));
        },
        nb::arg("options"), nb::arg("evaluate"),
        nb::sig("def network_search(options: NetworkSearchOptions, evaluate: Callable[[Any, Any, Any, Any], Any]) -> "
                "Search"),
        "A search guided by a network: evaluate(planes, legal, priors, values) fills the last two, or returns the "
        "logits "
        "(policy, wdl).");
    state_class.attr("knows_late_outcomes") = static_cast<bool>(make_truth);
    state_class.attr("ending_planes") = ending_planes<S>;
    float ending_scale = 1;
    if constexpr (ending_planes<S> > 0) ending_scale = S::ending_scale;
    state_class.attr("ending_scale") = ending_scale;
    nb::list encodings;
    for (const std::string_view name : InputFrame<S>::encodings) encodings.append(nb::str(name.data(), name.size()));
    state_class.attr("encodings") = nb::tuple(encodings);
    if constexpr (ChoiceGame<S>) bind_environments<S>(state_class);
}

// Adds the code around networks to the class of a room's game, if the game supports networks.
template <class Binding>
void bind_room_networks(typename Binding::Binder& game) {
    if constexpr (NetworkGame<typename Binding::State>)
        bind_network<typename Binding::State>(game.state_class(), Binding::truth());
}

}  // namespace joute
