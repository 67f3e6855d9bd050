// Binds the classes that all searches share, and the searches of games written in Python.

#include "bind_options.hpp"
#include "bind_search.hpp"

namespace joute {

namespace {

void bind_results(nb::module_& module) {
    nb::class_<BoundMoveResult>(module, "MoveResult",
                                "The result of a search for one move, from the view of the player to move.")
        .def_prop_ro("move", &BoundMoveResult::move)
        .def_ro("value", &BoundMoveResult::value, "In the unit of the search: a share of wins, or an evaluation.")
        .def_ro("is_exact", &BoundMoveResult::is_exact, "Whether the value is exact; false for a bound.")
        .def_ro("visits", &BoundMoveResult::visits)
        .def_ro("lower", &BoundMoveResult::lower, "Proven lower bound of the outcome: -1 loss, 0 draw, 1 win.")
        .def_ro("upper", &BoundMoveResult::upper, "Proven upper bound of the outcome.")
        .def_ro("end_in", &BoundMoveResult::end_in, "Plies to the end of the game if known, else -1.")
        .def_prop_ro("line", &BoundMoveResult::line, nb::for_getter(nb::sig("def line(self) -> list[Any]")),
                     "The principal variation that begins with this move.");
    nb::class_<BoundResult>(module, "SearchResult", "The result of a search.")
        .def_prop_ro("moves", &BoundResult::moves, nb::for_getter(nb::sig("def moves(self) -> list[MoveResult]")),
                     "The root moves, best first.")
        .def_prop_ro("best", &BoundResult::best, nb::for_getter(nb::sig("def best(self) -> MoveResult")),
                     "The first of `moves`; does not create the objects of the others.")
        .def_ro("value", &BoundResult::value)
        .def_ro("proven", &BoundResult::proven)
        .def_ro("depth", &BoundResult::depth)
        .def_ro("nodes", &BoundResult::nodes, "The number of moves played in the search.")
        .def_ro("iterations", &BoundResult::iterations)
        .def_ro("memory_full", &BoundResult::memory_full)
        .def_ro("table_looks", &BoundResult::table_looks,
                "Lookups in the transposition table, if the search counts them.")
        .def_ro("table_hits", &BoundResult::table_hits, "Lookups that found an entry.");
}

// Lets one thread stop the search of another. Only Python owns it, so it lives as long as its Python object.
struct StopFlag {
    std::atomic<bool> value = false;
};

void bind_stop_flag(nb::module_& module) {
    nb::class_<StopFlag>(module, "StopFlag", "Stops a search that runs in another thread.")
        .def(nb::init<>())
        .def(
            "set", [](StopFlag& flag) { flag.value.store(true, std::memory_order_relaxed); }, "Stops the search.")
        .def(
            "clear", [](StopFlag& flag) { flag.value.store(false, std::memory_order_relaxed); }, "Clears the flag.")
        .def_prop_ro("is_set", [](const StopFlag& flag) { return flag.value.load(std::memory_order_relaxed); });
}

void bind_search_class(nb::module_& module) {
    constexpr double forever = std::numeric_limits<double>::infinity();
    nb::class_<BoundSearch>(module, "Search", "A search of one game. It keeps its memory (table, tree) between runs.")
        .def(
            "run",
            [](BoundSearch& search, nb::handle state, double seconds, std::uint64_t nodes, std::uint64_t iterations,
               int depth, bool decided, double seconds_in_doubt, const nb::object& watch, const StopFlag* stop) {
                return search.run(state,
                                  {.seconds = seconds,
                                   .nodes = nodes,
                                   .iterations = iterations,
                                   .depth = depth,
                                   .decided = decided,
                                   .seconds_in_doubt = seconds_in_doubt,
                                   .stop = stop ? &stop->value : nullptr},
                                  watch);
            },
            nb::arg("state").none(), nb::kw_only(), nb::arg("seconds") = forever, nb::arg("nodes") = Limits{}.nodes,
            nb::arg("iterations") = Limits{}.iterations, nb::arg("depth") = Limits{}.depth, nb::arg("decided") = false,
            nb::arg("seconds_in_doubt") = 0.0, nb::arg("watch") = nb::none(), nb::arg("stop") = nb::none(),
            nb::sig(
                "def run(self, state: Any, *, seconds: float = float('inf'), nodes: int = 18446744073709551615, "
                "iterations: int = 18446744073709551615, depth: int = 2147483647, "
                "decided: bool = False, seconds_in_doubt: float = 0.0, "
                "watch: Callable[[SearchResult], None] | None = None, stop: StopFlag | None = None) -> SearchResult"),
            "Searches until the first limit is reached or another thread sets `stop`; the result always has a move. "
            "`watch` is called from time to time with the result so far. Alpha-beta and searches by a network end "
            "early with `decided`, once their move is certain, and take up to `seconds_in_doubt` more if it is in "
            "doubt.")
        .def("forget", &BoundSearch::forget, "Clears the memory of earlier searches.");
}

}  // namespace

void bind_searches(nb::module_& module) {
    bind_results(module);
    bind_stop_flag(module);
    bind_search_class(module);
    bind_options<MctsOptions>(module, "MctsOptions");
    bind_options<AlphaBetaOptions>(module, "AlphaBetaOptions");
    bind_options<NrpaOptions>(module, "NrpaOptions");
    bind_options<NestedOptions>(module, "NestedOptions");
    SearchBinder<PythonGame, nb::module_>(module, "python_search", {});
}

}  // namespace joute
