// What all searches share in Python, and the searches of games written in Python.

#include "bind_options.hpp"
#include "bind_search.hpp"

namespace joute {

namespace {

void bind_mcts_options(nb::module_& module) {
    using O = MctsOptions;
    OptionsBinder<O>(module, "MctsOptions")
        .choice(
            "bonus", [](O& o) -> Bonus& { return o.bonus; }, bonus_names)
        .field("c", &O::c)
        .field("amaf", &O::amaf)
        .field("ref", &O::ref)
        .choice(
            "schedule", [](O& o) -> Schedule& { return o.schedule; }, schedule_names)
        .field("k", &O::k)
        .field("bias", &O::bias)
        .choice(
            "amaf_key", [](O& o) -> AmafKey& { return o.amaf_key; }, amaf_key_names)
        .choice(
            "priors", [](O& o) -> Priors& { return o.priors; }, prior_names)
        .field("prior_temperature", &O::prior_temperature)
        .field("untried_first", &O::untried_first)
        .field("fpu", &O::fpu)
        .choice(
            "expand", [](O& o) -> Expand& { return o.expand; }, expand_names)
        .choice(
            "playout", [](O& o) -> PlayoutMoves& { return o.playout.moves; }, playout_names)
        .choice(
            "tactics", [](O& o) -> Tactics& { return o.playout.tactics; }, tactics_names)
        .nested("epsilon", [](O& o) -> double& { return o.playout.epsilon; })
        .nested("playout_plies", [](O& o) -> int& { return o.playout.max_plies; })
        .field("implicit", &O::implicit)
        .field("mix", &O::mix)
        .field("eval_scale", &O::eval_scale)
        .choice(
            "reward", [](O& o) -> Reward& { return o.reward; }, reward_names)
        .field("margin_scale", &O::margin_scale)
        .choice(
            "credit", [](O& o) -> Credit& { return o.credit; }, credit_names)
        .field("expand_finished", &O::expand_finished)
        .choice(
            "solver", [](O& o) -> Solver& { return o.solver; }, solver_names)
        .field("decisive", &O::decisive)
        .field("reuse", &O::reuse)
        .choice(
            "final_move", [](O& o) -> FinalMove& { return o.final_move; }, final_move_names)
        .field("generator", &O::generator)
        .field("threads", &O::threads)
        .field("memory_mb", &O::memory_mb)
        .field("seed", &O::seed);
}

void bind_alphabeta_options(nb::module_& module) {
    using O = AlphaBetaOptions;
    OptionsBinder<O>(module, "AlphaBetaOptions")
        .choice(
            "table", [](O& o) -> O::TableUse& { return o.table; }, O::table_names)
        .field("memory_mb", &O::memory_mb)
        .field("table_depth", &O::table_depth)
        .field("accept_deeper", &O::accept_deeper)
        .field("bare_table", &O::bare_table)
        .field("symmetries", &O::symmetries)
        .field("pvs", &O::pvs)
        .field("killers", &O::killers)
        .field("history", &O::history)
        .field("deepening", &O::deepening)
        .field("aspiration", &O::aspiration)
        .field("aspiration_window", &O::aspiration_window)
        .field("order_by_evaluation", &O::order_by_evaluation)
        .field("quiescence", &O::quiescence)
        .field("reductions", &O::reductions)
        .field("plain_root", &O::plain_root)
        .field("extend", &O::extend)
        .choice(
            "ends", [](O& o) -> O::Ends& { return o.ends; }, O::ends_names)
        .field("win_value", &O::win_value)
        .choice(
            "chance", [](O& o) -> O::ChancePruning& { return o.chance; }, O::chance_names)
        .field("few_outcomes", &O::few_outcomes)
        .field("generator", &O::generator)
        .field("lines", &O::lines)
        .field("threads", &O::threads);
}

void bind_nrpa_options(nb::module_& module) {
    using O = NrpaOptions;
    OptionsBinder<O>(module, "NrpaOptions")
        .field("level", &O::level)
        .field("iterations", &O::iterations)
        .field("alpha", &O::alpha)
        .choice(
            "key", [](O& o) -> O::Key& { return o.key; }, O::key_names)
        .field("corrected", &O::corrected)
        .field("seed", &O::seed)
        .field("max_plies", &O::max_plies)
        .field("memory_mb", &O::memory_mb);
}

void bind_nested_options(nb::module_& module) {
    using O = NestedOptions;
    OptionsBinder<O>(module, "NestedOptions")
        .field("level", &O::level)
        .field("discount", &O::discount)
        .field("cut_on_win", &O::cut_on_win)
        .field("seed", &O::seed)
        .field("max_plies", &O::max_plies);
}

void bind_report(nb::module_& module) {
    nb::class_<BoundMoveReport>(module, "MoveReport", "What a search found out about one move, for the player to move.")
        .def_prop_ro("move", &BoundMoveReport::move)
        .def_ro("value", &BoundMoveReport::value, "In the search's own unit: a share of wins, or an evaluation.")
        .def_ro("is_exact", &BoundMoveReport::is_exact, "Whether the value is more than a bound.")
        .def_ro("visits", &BoundMoveReport::visits)
        .def_ro("lower", &BoundMoveReport::lower, "The outcome is proven to be no less: -1 loss, 0 draw, 1 win.")
        .def_ro("upper", &BoundMoveReport::upper, "And no more.")
        .def_ro("end_in", &BoundMoveReport::end_in, "Plies to the end where they are known, else -1.")
        .def_prop_ro("line", &BoundMoveReport::line, nb::for_getter(nb::sig("def line(self) -> list[Any]")),
                     "Best play for both, this move first.");
    nb::class_<BoundReport>(module, "SearchReport", "What a search found out.")
        .def_prop_ro("moves", &BoundReport::moves, nb::for_getter(nb::sig("def moves(self) -> list[MoveReport]")),
                     "Best first.")
        .def_prop_ro("best", &BoundReport::best, nb::for_getter(nb::sig("def best(self) -> MoveReport")),
                     "The first of `moves`, without making the others.")
        .def_ro("value", &BoundReport::value)
        .def_ro("proven", &BoundReport::proven)
        .def_ro("depth", &BoundReport::depth)
        .def_ro("nodes", &BoundReport::nodes, "Positions entered by a move.")
        .def_ro("iterations", &BoundReport::iterations)
        .def_ro("memory_full", &BoundReport::memory_full)
        .def_ro("table_looks", &BoundReport::table_looks, "How often the search asked its table, where it counts that.")
        .def_ro("table_hits", &BoundReport::table_hits, "And how often the table had an answer.");
}

// How one thread ends the search of another. Shared by Python alone, so its life is that of its object.
struct StopFlag {
    std::atomic<bool> value = false;
};

void bind_stop_flag(nb::module_& module) {
    nb::class_<StopFlag>(module, "StopFlag", "Ends a search that runs in another thread.")
        .def(nb::init<>())
        .def(
            "set", [](StopFlag& flag) { flag.value.store(true, std::memory_order_relaxed); }, "Stop now.")
        .def(
            "clear", [](StopFlag& flag) { flag.value.store(false, std::memory_order_relaxed); }, "Search on.")
        .def_prop_ro("is_set", [](const StopFlag& flag) { return flag.value.load(std::memory_order_relaxed); });
}

void bind_search_class(nb::module_& module) {
    constexpr double forever = std::numeric_limits<double>::infinity();
    nb::class_<BoundSearch>(module, "Search", "A search of one game, with its memory.")
        .def(
            "run",
            [](BoundSearch& search, nb::handle state, double seconds, std::uint64_t nodes, std::uint64_t iterations,
               int depth, const nb::object& watch, const StopFlag* stop) {
                return search.run(state, {seconds, nodes, iterations, depth, stop ? &stop->value : nullptr}, watch);
            },
            nb::arg("state").none(), nb::kw_only(), nb::arg("seconds") = forever, nb::arg("nodes") = Limits{}.nodes,
            nb::arg("iterations") = Limits{}.iterations, nb::arg("depth") = Limits{}.depth,
            nb::arg("watch") = nb::none(), nb::arg("stop") = nb::none(),
            nb::sig(
                "def run(self, state: Any, *, seconds: float = float('inf'), nodes: int = 18446744073709551615, "
                "iterations: int = 18446744073709551615, depth: int = 2147483647, "
                "watch: Callable[[SearchReport], None] | None = None, stop: StopFlag | None = None) -> SearchReport"),
            "Search until the first limit, or until another thread sets `stop`; there is a move to play all the same. "
            "`watch` is called now and then with what is known so far.")
        .def("forget", &BoundSearch::forget, "Drop all that is remembered of earlier searches.");
}

}  // namespace

void bind_searches(nb::module_& module) {
    bind_report(module);
    bind_stop_flag(module);
    bind_search_class(module);
    bind_mcts_options(module);
    bind_alphabeta_options(module);
    bind_nrpa_options(module);
    bind_nested_options(module);
    SearchBinder<PythonGame, nb::module_>(module, "python_search", {});
}

}  // namespace joute
