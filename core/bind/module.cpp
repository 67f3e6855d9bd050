#include <cstdlib>
#include <unordered_set>

#include "bind_game.hpp"
#include "python_game.hpp"
#include "stamp.hpp"

namespace joute {

void bind_games(nb::module_& module);
void bind_environments(nb::module_& module);
void bind_networks(nb::module_& module);
void bind_searches(nb::module_& module);

namespace {

// The build may use instructions that an old processor lacks. Raises ImportError instead of crashing later.
void check_processor() {
#if defined(__x86_64__) && defined(__GNUC__)
    const auto require = [](bool supported, const char* feature) {
        if (!supported)
            throw nb::import_error((std::string("this build of joute needs a processor with ") + feature +
                                    "; build it here from source with -C cmake.define.JOUTE_ARCH=x86-64")
                                       .c_str());
    };
#ifdef __SSE4_2__
    require(__builtin_cpu_supports("sse4.2"), "SSE4.2");
#endif
#ifdef __POPCNT__
    require(__builtin_cpu_supports("popcnt"), "POPCNT");
#endif
#ifdef __AVX2__
    require(__builtin_cpu_supports("avx2"), "AVX2");
#endif
#ifdef __AVX512F__
    require(__builtin_cpu_supports("avx512f"), "AVX-512");
#endif
#endif
}

// Whether a list of moves contains a move, given as an object or by its notation.
int contains_move(PyObject* moves, PyObject* wanted) {
    if (!PyUnicode_Check(wanted)) return PyList_Type.tp_as_sequence->sq_contains(moves, wanted);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(moves); ++i) {
        const nb::object move = nb::borrow(PyList_GET_ITEM(moves, i));  // str() may run Python code
        const nb::object text = nb::steal(PyObject_Str(move.ptr()));
        if (!text.is_valid()) return -1;
        const int order = PyUnicode_Compare(text.ptr(), wanted);
        if (order == 0) return 1;
        if (PyErr_Occurred()) return -1;
    }
    return 0;
}

// Moves are not equal to their text, which would break hashing. So the list itself finds them by text.
void bind_moves(nb::module_& module) {
    static PyType_Slot slots[] = {
        {Py_sq_contains, reinterpret_cast<void*>(contains_move)},
        {Py_tp_doc, const_cast<char*>("A list of moves, in which `in` also finds a move by its notation.")},
        {0, nullptr},
    };
    static PyType_Spec spec{"joute._core.Moves", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    const nb::object bases = nb::make_tuple(nb::borrow(reinterpret_cast<PyObject*>(&PyList_Type)));
    const nb::object type = nb::steal(PyType_FromSpecWithBases(&spec, bases.ptr()));
    if (!type.is_valid()) throw nb::python_error();
    module.attr("Moves") = type;
}

// Copies text to storage that is never freed, for the text that a Result points to.
std::string_view lasting(std::string_view text) {
    static auto& texts = *new std::unordered_set<std::string>;
    return *texts.emplace(text).first;
}

void bind_random(nb::module_& module) {
    nb::class_<Random>(module, "Random",
                       "Joute's random number generator: a seed gives the same numbers on every machine.")
        .def(nb::init<std::uint64_t>(), nb::arg("seed") = 0)
        .def(
            "__copy__", [](const Random& random) { return random; }, "A copy that continues with the same numbers.")
        .def("next", &Random::next, "64 random bits.")
        .def(
            "below",
            [](Random& random, std::uint32_t bound) {
                if (bound == 0) throw nb::value_error("below(bound): bound must be at least 1");
                return random.below(bound);
            },
            nb::arg("bound"), "Uniform in [0, bound).")
        .def("uniform", &Random::uniform, "Uniform in [0, 1).")
        .def(
            "choice",
            [](Random& random, nb::sequence items) -> nb::object {
                const auto size = nb::len(items);
                if (size == 0) throw nb::index_error("choice(items): items is empty");
                return items[random.below(static_cast<std::uint32_t>(size))];
            },
            nb::arg("items"), nb::sig("def choice(self, items: Sequence[T]) -> T"), "An item drawn uniformly.");
}

void bind_result(nb::module_& module) {
    nb::class_<Result>(module, "Result", "The result of a game, from the first player's view.", nb::is_final())
        .def(
            "__init__",
            [](Result* self, int outcome, std::optional<int> score, int margin, std::string_view decided_by) {
                if (outcome < -1 || outcome > 1) throw nb::value_error("outcome must be -1, 0 or 1");
                new (self) Result{outcome, score.value_or(outcome), margin, lasting(decided_by)};
            },
            nb::arg("outcome"), nb::kw_only(), nb::arg("score") = nb::none(), nb::arg("margin") = 0,
            nb::arg("decided_by") = "", "`score` defaults to the outcome; a game with tie-breaks gives a finer one.")
        .def_ro("outcome", &Result::outcome, "+1 if the first player won, 0 for a draw, -1 if the second player won.")
        .def_ro("score", &Result::score, "A finer order of results than the outcome, including tie-breaks.")
        .def_ro("margin", &Result::margin, "The difference in points, before tie-breaks.")
        .def_prop_ro("points", &Result::points, "The margin, or if it is 0 the difference that breaks the tie.")
        .def_ro("decided_by", &Result::decided_by)
        .def_prop_ro(
            "winner",
            [](const Result& result) -> std::optional<int> {
                if (result.outcome == 0) return std::nullopt;
                return result.outcome > 0 ? 0 : 1;
            },
            "The player who won, 0 or 1; None for a draw.")
        .def(
            "outcome_for",
            [](const Result& result, Player player) { return result.outcome_for(checked_player(player)); },
            nb::arg("player"), "The outcome from a player's view.")
        .def(
            "__eq__", [](const Result& a, const Result& b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__",
             [](const Result& result) { return static_cast<std::size_t>(result.score * 3 + result.outcome + 1); })
        .def("__repr__",
             [](const Result& result) {
                 const char* who = result.outcome > 0 ? "first wins" : result.outcome < 0 ? "second wins" : "draw";
                 return "<" + std::string(who) + ", margin " + std::to_string(std::abs(result.margin)) + ": " +
                        std::string(result.decided_by) + ">";
             })
        .def("__getstate__",
             [](const Result& result) {
                 return std::tuple(result.outcome, result.score, result.margin, std::string(result.decided_by));
             })
        .def("__setstate__", [](Result& result, const std::tuple<int, int, int, std::string>& state) {
            const auto& [outcome, score, margin, decided_by] = state;
            new (&result) Result{outcome, score, margin, lasting(decided_by)};
        });
}

void bind_playouts(nb::module_& module) {
    using Fields = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;
    const auto fields = [](const Playouts& p) {
        return Fields(p.games, p.first_wins, p.draws, p.second_wins, p.plies, p.margin);
    };
    nb::class_<Playouts>(module, "Playouts", "The counts of a batch of random games.", nb::is_final())
        .def_ro("games", &Playouts::games)
        .def_ro("first_wins", &Playouts::first_wins)
        .def_ro("draws", &Playouts::draws)
        .def_ro("second_wins", &Playouts::second_wins)
        .def_ro("plies", &Playouts::plies, "Total over all games.")
        .def_ro("margin", &Playouts::margin, "Total over all games, from the first player's view.")
        .def(
            "__eq__", [](const Playouts& a, const Playouts& b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [fields](const Playouts& p) { return nb::hash(nb::cast(fields(p))); })
        .def("__getstate__", fields)
        .def("__setstate__",
             [](Playouts& p, const Fields& state) {
                 const auto& [games, first_wins, draws, second_wins, plies, margin] = state;
                 new (&p) Playouts{games, first_wins, draws, second_wins, plies, margin};
             })
        .def("__repr__", [](const Playouts& p) {
            return "<" + std::to_string(p.games) + " random games: first " + std::to_string(p.first_wins) + ", draws " +
                   std::to_string(p.draws) + ", second " + std::to_string(p.second_wins) + ">";
        });
}

// The functions that give states written in Python the methods of native states.
void bind_python_game(nb::module_& module) {
    module.def(
        "python_playouts",
        [](nb::object state, std::uint64_t n, std::uint64_t seed, int max_plies) {
            PythonGame::Moves moves;
            return playouts(PythonGame(std::move(state), moves), n, seed, max_plies, {});
        },
        nb::arg("state"), nb::arg("n"), nb::arg("seed"), nb::arg("max_plies"));
    module.def(
        "python_perft",
        [](nb::object state, int depth, bool bulk) {
            check_perft_depth(depth);
            PythonGame::Moves moves;
            return Perft{.bulk = bulk, .poll = {}}.count(PythonGame(std::move(state), moves), depth);
        },
        nb::arg("state"), nb::arg("depth"), nb::arg("bulk"));
    module.def(
        "python_winning_moves",
        [](nb::object object) {
            PythonGame::Moves moves;
            const PythonGame state(std::move(object), moves);
            MoveList<PythonGame> wins;
            if (!state.is_terminal() && !state.is_chance()) winning_moves(state, wins);
            nb::list found;
            for (const auto move : wins) found.append(moves[move]);
            return found;
        },
        nb::arg("state"), nb::sig("def python_winning_moves(state: object) -> list[Any]"));
    module.def(
        "position_key", [](std::string_view spec, std::string_view position) { return rules_id(spec, position); },
        nb::arg("spec"), nb::arg("position"), "A 64-bit key of a position. It is the same in every process.");
    module.def(
        "one_line", [](nb::handle object) { return one_line(object); }, nb::arg("object").none(),
        "str(object) as one printable line, also where str() raises.");
    module.def(
        "class_name", [](nb::handle object) { return class_name(object); }, nb::arg("object").none(),
        "The name of an object's class; ignores overrides in the metaclass.");
}

// Plug-ins and core share types by memory layout, so a plug-in must be built like the core.
void bind_plugin_check(nb::module_& module) {
    module.def(
        "build_stamp", [] { return build_stamp(); }, "(property, value) pairs of the build that a plug-in must match.");
    module.def(
        "check_plugin",
        [](const std::string& name, const Stamp& theirs) {
            const Stamp ours = build_stamp();
            for (std::size_t i = 0; i < ours.size(); ++i) {
                const std::string found = i < theirs.size() ? theirs[i].second : "none";
                if (found != ours[i].second)
                    throw nb::import_error((name + " was built with " + ours[i].first + " " + found +
                                            ", and this joute with " + ours[i].second +
                                            ": build and install it again, against the joute that is installed here")
                                               .c_str());
            }
        },
        nb::arg("name"), nb::arg("stamp"), "Raises ImportError if a plug-in was built differently from the core.");
}

}  // namespace

NB_MODULE(_core, module) {
    check_processor();
    nb::set_leak_warnings(false);  // shared move objects live until the process ends
    module.doc() = "Joute's native core: games, playouts and searches.";
    nb::exception<JouteError> base(module, "JouteError", PyExc_ValueError);
    nb::exception<TextError>(module, "NotationError", base);
    nb::exception<IllegalMove>(module, "IllegalMoveError", base);
    bind_plugin_check(module);
    bind_moves(module);
    bind_random(module);
    bind_result(module);
    bind_playouts(module);
    bind_python_game(module);
    bind_searches(module);
    bind_environments(module);
    bind_networks(module);
    bind_games(module);
}

}  // namespace joute
