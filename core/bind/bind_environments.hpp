#pragma once

// Binds what learners outside Joute need: the numbered actions and observations of a position, and batches of games.
//
// A choice in progress is given as the actions taken since the position was reached, so that positions stay values.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "../selfplay/environments.hpp"
#include "bind_game.hpp"
#include "running.hpp"

namespace joute {

template <class T>
using BatchArray = nb::ndarray<T, nb::device::cpu, nb::c_contig>;

// The arrays of a call, by their names in EnvironmentArrays.
struct BoundArrays {
    BatchArray<std::uint8_t> planes;
    BatchArray<bool> mask;
    BatchArray<std::int8_t> to_move;
    BatchArray<float> rewards;
    BatchArray<bool> terminated, truncated;
    BatchArray<std::uint8_t> final_planes;
};

class BoundEnvironments {
public:
    // Held by every call that releases the GIL.
    Running running() {
        return {running_, "these games are being played by another thread; one batch is for one thread"};
    }

    virtual ~BoundEnvironments() = default;
    virtual int games() const = 0;
    virtual InputShape shape() const = 0;
    virtual std::size_t actions() const = 0;
    virtual std::vector<float> scales() const = 0;
    virtual void seed(std::uint64_t seed) = 0;
    virtual void reset(const std::uint8_t* chosen, const EnvironmentArrays& arrays) = 0;
    virtual std::size_t step(const std::int64_t* actions, const EnvironmentArrays& arrays) = 0;
    virtual void random_actions(std::int64_t* actions) = 0;
    virtual std::string action_text(std::size_t game, std::int64_t action) const = 0;
    virtual nb::object state(std::size_t game) const = 0;

private:
    std::atomic_flag running_;
};

// The numbers that learners multiply the planes with; those of a choice in progress are counts.
template <ChoiceGame S>
std::vector<float> observation_scales(const InputFrame<S>& frame) {
    std::vector<float> scales;
    for (int plane = 0; plane < frame.shape().planes; ++plane) scales.push_back(frame.scale(plane));
    scales.resize(scales.size() + static_cast<std::size_t>(Chooser<S>::planes), 1.0f);
    return scales;
}

template <ChoiceGame S>
class EnvironmentsOf final : public BoundEnvironments {
public:
    EnvironmentsOf(const EnvironmentOptions& options, std::vector<InPlay<S>> starts, nb::handle like)
        : state_class_(nb::borrow(like.type())), environments_(options, std::move(starts)) {}

    int games() const override { return environments_.options().games; }
    InputShape shape() const override { return environments_.shape(); }
    std::size_t actions() const override { return environments_.actions(); }
    std::vector<float> scales() const override { return observation_scales<S>(environments_.frame()); }
    void seed(std::uint64_t seed) override { environments_.seed(seed); }
    void reset(const std::uint8_t* chosen, const EnvironmentArrays& arrays) override {
        environments_.reset(chosen, arrays);
    }
    std::size_t step(const std::int64_t* actions, const EnvironmentArrays& arrays) override {
        return environments_.step(actions, arrays);
    }
    void random_actions(std::int64_t* actions) override { environments_.random_actions(actions); }
    std::string action_text(std::size_t game, std::int64_t action) const override {
        return environments_.action_text(game, action);
    }
    nb::object state(std::size_t game) const override {
        return state_object_of(state_class_, environments_.game(game));
    }

private:
    nb::object state_class_;
    Environments<S> environments_;
};

// A position and a choice in progress.
template <ChoiceGame S>
struct Choosing {
    const InPlay<S>& state;
    InputFrame<S> frame;
    Chooser<S> chooser{};
    std::optional<typename S::Move> move{};  // once it is complete

    Choosing(const InPlay<S>& state, const std::vector<std::int64_t>& taken)
        : state(state), frame(InputFrame<S>::of(state)) {
        if (has_moves(state)) chooser.begin(state, frame);
        for (const std::int64_t action : taken) {
            if (move) throw JouteError("an action follows a complete move");
            move = chooser.take(state, frame, index(action));
        }
        if (move) chooser.end();
    }

    std::size_t index(std::int64_t action) const {
        const auto legal = chooser.legal();
        for (std::size_t i = 0; i < legal.size(); ++i)
            if (static_cast<std::int64_t>(legal[i]) == action) return i;
        throw IllegalMove("illegal action " + std::to_string(action) + " at ply " + std::to_string(state.ply()) +
                          " of " + std::string(S::name));
    }
};

// Adds actions, observations and batches of games to the class of a game.
template <ChoiceGame S>
void bind_environments(nb::class_<InPlay<S>>& state_class) {
    using Taken = std::vector<std::int64_t>;
    state_class
        .def_prop_ro(
            "action_count", [](const InPlay<S>& state) { return Chooser<S>::actions(InputFrame<S>::of(state)); },
            "The number of actions by which learners choose moves; they are numbered from 0.")
        .def_prop_ro(
            "observation_shape",
            [](const InPlay<S>& state) {
                const InputShape shape = observation_shape<S>(InputFrame<S>::of(state));
                return std::tuple(shape.planes, shape.rows, shape.columns);
            },
            "(planes, rows, columns) of what learners see.")
        .def_prop_ro(
            "observation_scales",
            [](const InPlay<S>& state) { return observation_scales<S>(InputFrame<S>::of(state)); },
            "The number that learners multiply the bytes of each plane with.")
        .def(
            "legal_actions",
            [](const InPlay<S>& state, const Taken& taken) {
                const Choosing<S> choosing(state, taken);
                const auto legal = choosing.chooser.legal();
                return std::vector<std::uint32_t>(legal.begin(), legal.end());
            },
            nb::arg("taken") = Taken{}, nb::sig("def legal_actions(self, taken: Sequence[int] = ()) -> list[int]"),
            "The legal actions after those taken since this position was reached.")
        .def(
            "observe",
            [](const InPlay<S>& state, const Taken& taken) {
                const Choosing<S> choosing(state, taken);
                std::vector<std::uint8_t> planes(static_cast<std::size_t>(observation_shape<S>(choosing.frame).size()));
                observe<S>(state, choosing.frame, choosing.chooser, planes);
                return nb::bytes(planes.data(), planes.size());
            },
            nb::arg("taken") = Taken{}, nb::sig("def observe(self, taken: Sequence[int] = ()) -> bytes"),
            "The planes that the player to move sees, uint8[planes, rows, columns], as bytes.")
        .def(
            "move_of",
            [](const InPlay<S>& state, const Taken& taken) -> nb::object {
                const Choosing<S> choosing(state, taken);
                return choosing.move ? MoveObjects<typename S::Move>::of(*choosing.move) : nb::none();
            },
            nb::arg("taken"), nb::sig("def move_of(self, taken: Sequence[int]) -> Any"),
            "The move that these actions make; None if it needs more.")
        .def(
            "action_text",
            [](const InPlay<S>& state, std::int64_t action, const Taken& taken) {
                const Choosing<S> choosing(state, taken);
                return choosing.chooser.text(state, choosing.index(action));
            },
            nb::arg("action"), nb::arg("taken") = Taken{},
            nb::sig("def action_text(self, action: int, taken: Sequence[int] = ()) -> str"),
            "A legal action in the game's notation.");
    state_class.def_static(
        "environments",
        [](const nb::list& states, int games, int threads, int max_plies) {
            std::vector<InPlay<S>> starts;
            for (const nb::handle object : states) {
                if (!nb::isinstance<InPlay<S>>(object))
                    throw nb::type_error(("the starts are positions of " + std::string(S::name) + ", and " +
                                          class_name(object) + " is not one")
                                             .c_str());
                const InPlay<S>& state = value_in<InPlay<S>>(object);
                if (!has_moves(state)) throw JouteError("a start must be a position where a player is to move");
                if (!starts.empty() && !(starts.front().rules() == state.rules() &&
                                         InputFrame<S>::of(starts.front()) == InputFrame<S>::of(state)))
                    throw JouteError("the starts differ in their rules or in the size of their boards");
                starts.push_back(state);
            }
            if (starts.empty()) throw JouteError("no start position is given");
            if (games < 1) throw JouteError("a batch has at least 1 game, not " + std::to_string(games));
            return std::unique_ptr<BoundEnvironments>(new EnvironmentsOf<S>(
                {.games = games, .threads = threads, .max_plies = max_plies}, std::move(starts), states[0]));
        },
        nb::arg("starts"), nb::arg("games"), nb::arg("threads"), nb::arg("max_plies"),
        nb::sig("def environments(starts: list[Any], games: int, threads: int, max_plies: int) -> Environments"),
        "Many games for a learner; see joute.vector_env.");
}

}  // namespace joute
