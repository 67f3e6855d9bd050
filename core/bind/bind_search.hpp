#pragma once

// Binds the searches to Python: one class `Search` for every search of every game.
//
// `Connect4.search(options, evaluation)` creates a search; the type of the options selects the algorithm. Options are
// plain objects; Python reads the names of their choices from `choices`, so each choice is named once, in the core.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <vector>

#include "../evaluation.hpp"
#include "../search/alphabeta/alphabeta.hpp"
#include "../search/mcts/mcts.hpp"
#include "../search/nested.hpp"
#include "../search/nrpa.hpp"
#include "bind_game.hpp"
#include "bind_result.hpp"
#include "python_game.hpp"
#include "room.hpp"
#include "running.hpp"

namespace joute {

class BoundSearch {
public:
    virtual ~BoundSearch() = default;
    BoundResult run(nb::handle state, const Limits& limits, const nb::object& watch) {
        const Running running(running_, "this search is already running; one search is for one thread");
        return search(state, limits, watch);
    }
    void forget() {
        const Running running(running_, "this search is running; let it finish first");
        clear();
    }

protected:
    virtual BoundResult search(nb::handle state, const Limits& limits, const nb::object& watch) = 0;
    virtual void clear() = 0;

private:
    std::atomic_flag running_;
};

// Raises ValueError if no player is to move.
template <Playable S>
void check_can_move(const S& state) {
    if (state.is_terminal() || is_chance(state)) throw nb::value_error("no player is to move in this position");
}

// A heuristic written in Python: the parameters of the Evaluation that calls it.
struct PythonHeuristic {
    nb::object function;      // (state, player) -> float
    nb::object state_type{};  // the class of the states passed to it
};

inline std::string heuristic_name(const nb::object& function) {
    return nb::hasattr(function, "__qualname__") ? one_line(function.attr("__qualname__")) : one_line(function);
}

inline double ask_heuristic(const PythonHeuristic& heuristic, const nb::object& state, Player for_player) {
    const nb::object value = heuristic.function(state, for_player);
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() || !std::isfinite(number)) {
        PyErr_Clear();
        throw nb::type_error(
            (heuristic_name(heuristic.function) + " must return a finite number, not " + one_line(value)).c_str());
    }
    return number;
}

// Adapts one kind of state to the binding: a native game, or a game written in Python.
template <Playable S>
class Face {
public:
    const InPlay<S>& read(nb::handle object) {
        if (!nb::isinstance<InPlay<S>>(object))
            throw nb::type_error(
                ("this search is for " + std::string(S::name) + ", not for " + class_name(object)).c_str());
        return value_in<InPlay<S>>(object);
    }
    static Past past(const InPlay<S>& game) {
        if constexpr (S::repeats)
            return game.past();
        else
            return {};
    }
    // Creates the Python object of a move.
    static auto boxes() {
        return [](const typename S::Move& move) { return MoveObjects<typename S::Move>::of(move); };
    }
    // Returns the part of a line up to a draw by repetition. A search that ignores repetition may continue past it.
    static auto until_repetition(const InPlay<S>& game) {
        using Line = std::span<const typename S::Move>;
        if constexpr (S::repeats) {
            return [game](Line line) {
                InPlay<S> state = game;
                for (std::size_t i = 0; i < line.size() && !is_chance(state); ++i) {
                    if (state.is_repeated()) return line.first(i);
                    state.play(line[i]);
                }
                return line;
            };
        } else {
            return [](Line line) { return line; };
        }
    }
    void forget() {}

    static constexpr bool holds_gil = false;
    static Poll poll() { return interrupt_poll(); }

    static double python_value(const S& state, const void*, const void* params, Player for_player) {
        const auto& heuristic = *static_cast<const PythonHeuristic*>(params);
        nb::gil_scoped_acquire gil;
        return ask_heuristic(heuristic, state_object_of(heuristic.state_type, InPlay<S>(state)), for_player);
    }
};

template <>
class Face<PythonGame> {
public:
    PythonGame read(nb::handle object) {
        if (!nb::hasattr(object, "legal_moves"))
            throw nb::type_error((one_line(object) + " is not a position").c_str());
        return PythonGame(nb::borrow(object), *moves_);
    }
    // A game written in Python keeps the history that its rules need in its own states.
    static Past past(const PythonGame&) { return {}; }
    // Each result shares ownership of the move table that its moves refer to.
    auto boxes() const {
        return [moves = moves_](PythonGame::Move move) { return (*moves)[move]; };
    }
    static auto until_repetition(const PythonGame&) {
        return [](std::span<const PythonGame::Move> line) { return line; };
    }
    void forget() { moves_ = std::make_shared<PythonGame::Moves>(); }

    static constexpr bool holds_gil = true;
    static Poll poll() { return {}; }

    static double python_value(const PythonGame& state, const void*, const void* params, Player for_player) {
        return ask_heuristic(*static_cast<const PythonHeuristic*>(params), state.object(), for_player);
    }

private:
    std::shared_ptr<PythonGame::Moves> moves_ = std::make_shared<PythonGame::Moves>();
};

template <Playable S>
class SearchOf final : public BoundSearch {
public:
    // `make(evaluation, params)` creates the search. The evaluation outlives it. `weights` replace the evaluation's own
    // if there are any.
    template <class Make>
    SearchOf(const Evaluation<S>* evaluation, nb::object heuristic, std::vector<double> weights, const Make& make)
        : heuristic_{std::move(heuristic)}, weights_(std::move(weights)) {
        const bool in_python = heuristic_.function.is_valid();
        if (in_python) evaluation = &python_evaluation;
        const std::size_t count = evaluation ? evaluation->weights.size() : 0;
        if (!weights_.empty() && weights_.size() != count)
            throw JouteError("the evaluation has " + std::to_string(count) + " weights, not " +
                             std::to_string(weights_.size()));
        const void* params = weights_.empty() ? nullptr : weights_.data();
        search_ = make(evaluation, in_python ? &heuristic_ : params);
    }

protected:
    BoundResult search(nb::handle object, const Limits& limits, const nb::object& watch) override {
        const auto& game = face_.read(object);
        check_can_move(game);
        const S& state = game;
        const Past past = Face<S>::past(game);
        heuristic_.state_type = nb::borrow(object.type());
        typename Search<S>::Watch tell;
        if (!watch.is_none())
            tell = [&](const typename Search<S>::SearchResult& result) {
                nb::gil_scoped_acquire gil;
                watch(bound(result, game));
            };
        const Poll poll = Face<S>::poll();
        if constexpr (Face<S>::holds_gil) {
            return bound(search_->run_after(past, state, limits, poll, tell), game);
        } else {
            typename Search<S>::SearchResult result;
            {
                nb::gil_scoped_release release;
                result = search_->run_after(past, state, limits, poll, tell);
            }
            return bound(std::move(result), game);
        }
    }
    void clear() override {
        search_->forget();
        face_.forget();
    }

private:
    inline static const Evaluation<S> python_evaluation{
        .name = "python", .help = "a Python function", .value = Face<S>::python_value};

    template <class InProgress>
    BoundResult bound(typename Search<S>::SearchResult result, const InProgress& game) const {
        return bound_result(std::move(result), face_.boxes(), Face<S>::until_repetition(game));
    }

    Face<S> face_;
    PythonHeuristic heuristic_;
    std::vector<double> weights_;
    std::unique_ptr<Search<S>> search_;
};

// Adds `search(options, evaluation, weights)` to the class of a game, or to the module for games written in Python.
// `evaluation` is a name in the table of the game, a Python function, or None; `weights` replace those of the
// evaluation.
template <Playable S, class Owner>
class SearchBinder {
public:
    SearchBinder(Owner& owner, const char* name, std::span<const Evaluation<S>> table)
        : owner_(owner), name_(name), table_(table) {
        add<AlphaBeta<S>, AlphaBetaOptions>("AlphaBetaOptions");
        add<Mcts<S>, MctsOptions>("MctsOptions");
        add<Nrpa<S>, NrpaOptions>("NrpaOptions");
        add<Nested<S>, NestedOptions>("NestedOptions");
    }

    // Adds a search that is created from its own type of options.
    template <class Kind, class Options>
    void add(OwnSearch<Kind, Options> own) {
        add<Kind, Options>(own.options_name);
    }

private:
    template <class Kind, class Options>
    void add(const char* options_name) {
        const auto make = [table = table_](const Options& options, nb::object evaluation, std::vector<double> weights) {
            if constexpr (Face<S>::holds_gil && requires { options.threads; })
                if (options.threads > 1)
                    throw JouteError("a game written in Python is searched by one thread; leave out threads");
            nb::object function;
            const Evaluation<S>* found = nullptr;
            if (nb::isinstance<nb::str>(evaluation))
                found = find(table, nb::cast<std::string>(evaluation));
            else if (!evaluation.is_none())
                function = evaluation;
            return std::unique_ptr<BoundSearch>(new SearchOf<S>(
                found, function, std::move(weights), [&](const Evaluation<S>* used, const void* params) {
                    if constexpr (std::is_constructible_v<Kind, Options, const Evaluation<S>*, const void*>)
                        return std::make_unique<Kind>(options, used, params);
                    else
                        return std::make_unique<Kind>(options);
                }));
        };
        const std::string signature = std::string("def ") + name_ + "(options: " + options_name +
                                      ", evaluation: str | Callable[[Any, int], float] | None = None, weights: "
                                      "Sequence[float] = ()) -> Search";
        if constexpr (std::is_same_v<Owner, nb::module_>)
            owner_.def(name_, make, nb::arg("options"), nb::arg("evaluation") = nb::none(),
                       nb::arg("weights") = nb::tuple(), nb::sig(signature.c_str()));
        else
            owner_.def_static(name_, make, nb::arg("options"), nb::arg("evaluation") = nb::none(),
                              nb::arg("weights") = nb::tuple(), nb::sig(signature.c_str()),
                              "Creates a search of this game; the type of `options` selects the algorithm.");
    }

    static const Evaluation<S>* find(std::span<const Evaluation<S>> table, const std::string& name) {
        for (const auto& evaluation : table)
            if (evaluation.name == name) return &evaluation;
        throw JouteError("there is no evaluation '" + name + "'");
    }

    Owner& owner_;
    const char* name_;
    std::span<const Evaluation<S>> table_;
};

// Binds the searches that every game has. The caller can add searches of this game alone to the returned binder.
template <Game S>
SearchBinder<S, nb::class_<InPlay<S>>> bind_searches(nb::class_<InPlay<S>>& state_class,
                                                     std::span<const Evaluation<S>> table = {}) {
    state_class.attr("fast_tactics") = HasTacticalMove<S>;
    return SearchBinder<S, nb::class_<InPlay<S>>>(state_class, "search", table);
}

// Binds the evaluations and the searches of a room's game.
template <class Binding>
void bind_room_searches(nb::module_& module, typename Binding::Binder& game) {
    if constexpr (!Binding::evaluations.empty()) game.evaluations(Binding::evaluations);
    auto searches = bind_searches<typename Binding::State>(game.state_class(), Binding::evaluations);
    Binding::searches(module, searches);
}

}  // namespace joute
