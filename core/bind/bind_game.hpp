#pragma once

// Binds the rules of a game to Python, the same way for every game: bind_game<State>(module, "Connect4").
//
// It creates two classes, `Connect4` (an immutable State) and `Connect4Move`. The modules in src/joute/games subclass
// the State to add what only Python needs (drawing); `play` returns an object of the class of the state it is called
// on, so the subclass is kept throughout a game.
//
// In games with `repeats`, Python holds a WithHistory<State> (core/history.hpp): a game in progress, which also ends by
// the draw by repetition. Batches (`playouts`, `perft`) and evaluations run on the bare State: they ignore repetition
// and do not pay for tracking it.

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "../evaluation.hpp"
#include "../history.hpp"
#include "../input_frame.hpp"
#include "../search/perft.hpp"
#include "../search/playouts.hpp"
#include "../search/winning_moves.hpp"
#include "interrupt.hpp"
#include "moves.hpp"
#include "tuples.hpp"

namespace joute {

namespace nb = nanobind;

// Creates a Python object of class `state_class` that holds a copy of `state`.
template <Game S>
nb::object state_object_of(nb::handle state_class, const S& state) {
    nb::object object = nb::inst_alloc(state_class);
    new (nb::inst_ptr<S>(object)) S(state);
    nb::inst_mark_ready(object);
    return object;
}

// The same, with the Python class of the object `like`.
template <Game S>
nb::object state_object(nb::handle like, const S& state) {
    return state_object_of(like.type(), state);
}

// Returns a player that Python passed; IndexError if it is not 0 or 1.
inline Player checked_player(Player player) {
    if (player != 0 && player != 1) throw nb::index_error("the player must be 0 or 1");
    return player;
}

// Bounds the recursion of perft. No machine finishes a count at this depth.
inline void check_perft_depth(int depth) {
    constexpr int deepest = 100;
    if (depth < 0 || depth > deepest)
        throw nb::value_error(
            ("perft counts lines of 0 to " + std::to_string(deepest) + " moves, not " + std::to_string(depth)).c_str());
}

// `S` is the class that Python holds: InPlay<State>.
template <Game S>
class GameBinder {
public:
    using Move = typename S::Move;

    GameBinder(nb::module_& module, const std::string& class_name)
        : move_class_(module, (class_name + "Move").c_str(), "A move; str() is its notation.", nb::is_final()),
          class_(module, class_name.c_str(), "A position: an immutable value.") {
        move_name_ = class_name + "Move";
        bind_move();
        bind_position();
        bind_moves();
        bind_chance();
        bind_batches();
        if constexpr (S::repeats) bind_past();
        if constexpr (SymmetricGame<S>) bind_symmetries();
        if constexpr (NetworkGame<S>) bind_network();
    }

    // Binds the evaluations of the game, ordered from the simplest to the strongest, and their roles.
    template <std::size_t Count>
    void evaluations(const std::array<Evaluation<Bare<S>>, Count>& table) {
        std::vector<std::pair<std::string, std::string>> described;
        for (const auto& evaluation : table) described.emplace_back(evaluation.name, evaluation.help);
        class_.attr("evaluations") = nb::cast(described);
        nb::dict roles;
        const auto add_role = [&](const char* name, bool EvaluationRoles::* role) {
            if (const auto* found = in_role(table, role)) roles[name] = std::string(found->name);
        };
        add_role("greedy", &EvaluationRoles::greedy);
        add_role("default", &EvaluationRoles::by_default);
        add_role("engine", &EvaluationRoles::engine);
        class_.attr("evaluation_roles") = roles;
        class_.def(
            "evaluate",
            [&table](const S& state, Player for_player, std::optional<std::string> name) {
                checked_player(for_player);
                if (!name) {
                    const auto* greedy = in_role(table, &EvaluationRoles::greedy);
                    return (greedy ? *greedy : table.front()).of(state, nullptr, for_player);
                }
                for (const auto& evaluation : table)
                    if (*name == evaluation.name) return evaluation.of(state, nullptr, for_player);
                std::array<std::string_view, Count> names;
                std::transform(table.begin(), table.end(), names.begin(), [](const auto& each) { return each.name; });
                throw missing(S::name, "evaluation", *name, names);
            },
            nb::arg("for_player"), nb::arg("name") = nb::none(),
            "The value of the position for a player by the named evaluation; without a name, by the greedy one.");
    }

    nb::class_<S>& state_class() { return class_; }
    nb::class_<Move>& move_class() { return move_class_; }

private:
    void bind_move() {
        move_class_.def("__str__", [](const Move& move) { return S::move_text(move); })
            .def("__repr__",
                 [](const Move& move) { return "<" + std::string(S::name) + " move " + S::move_text(move) + ">"; })
            .def(
                "__eq__", [](const Move& a, const Move& b) { return a == b; }, nb::is_operator(),
                nb::sig("def __eq__(self, other: object, /) -> bool"))
            .def("__hash__", [](const Move& move) { return std::hash<std::string>{}(S::move_text(move)) >> 1; })
            .def("__getstate__", [](const Move& move) { return S::move_text(move); })
            .def("__setstate__",
                 [](Move& move, const std::string& text) { new (&move) Move(S(S::Rules::find("")).parse_move(text)); });
    }

    void bind_position() {
        class_
            .def(
                "__init__",
                [](S* self, nb::handle position, std::string_view rules) {
                    const auto* found = S::Rules::find(rules);
                    new (self)
                        S(position.is_none() ? S(found) : S::from_text(found, notation(position, S::name, "position")));
                },
                nb::arg("position") = nb::none(), nb::arg("rules") = "",
                nb::sig("def __init__(self, position: str | None = None, rules: str = '') -> None"),
                "The start position, or the position that the text `position` describes.")
            .def_prop_ro(
                "position", [](const S& state) { return state.text(); }, "The position in the game's notation.")
            .def_prop_ro(
                "rules", [](const S& state) { return state.rules()->text(); },
                "The rules options that differ from their defaults, as key=value,…")
            .def_prop_ro(
                "to_move", [](const S& state) { return state.to_move(); }, "0 for the first player, 1 for the second.")
            .def_prop_ro(
                "ply", [](const S& state) { return state.ply(); }, "Moves played since the start.")
            .def_prop_ro("reversible_plies", [](const S& state) { return state.reversible_plies(); })
            .def_prop_ro(
                "key", [](const S& state) { return state.key(); }, "The 64-bit hash key.")
            .def(
                "recompute_key", [](const S& state) { return state.recompute_key(); },
                "The hash key, recomputed from the board.")
            .def_prop_ro("is_terminal", [](const S& state) { return state.is_terminal(); })
            .def_prop_ro(
                "result",
                [](const S& state) { return state.is_terminal() ? std::optional(state.result()) : std::nullopt; },
                "The result of the game; None while the game is in progress.")
            .def_prop_ro(
                "result_if_stopped", [](const S& state) { return state.result_if_stopped(); },
                "The result if the game is stopped here, for example at a ply limit.")
            .def(
                "diagram", [](const S& state) { return state.diagram(); }, "The board as lines of text.")
            .def(
                "__eq__", [](const S& a, const S& b) { return a.rules() == b.rules() && a == b; }, nb::is_operator(),
                nb::sig("def __eq__(self, other: object, /) -> bool"))
            .def("__hash__", [](const S& state) { return static_cast<std::size_t>(state.key() >> 1); });
        class_.attr("complete") = S::complete;
        class_.attr("repeats") = S::repeats;
        class_.attr("has_chance") = S::has_chance;
        std::vector<std::string> generators(S::generators.begin(), S::generators.end());
        class_.attr("generators") = nb::cast(generators);
        class_.def_static(
            "rule_options",
            [] {
                std::vector<std::tuple<std::string, std::string, std::string, std::string>> options;
                for (const auto& option : S::Rules::options())
                    options.emplace_back(option.name, option.default_value, option.choices, option.help);
                return options;
            },
            "(name, default, choices, help) of each rules option.");
        if constexpr (PassingGame<S>)
            class_.def(
                "pass_turn",
                [](nb::handle_t<S> self) {
                    S next = value_in<S>(self);
                    if (!has_moves(next)) throw illegal_move(next, "pass");
                    next.pass_turn();
                    return state_object(self, next);
                },
                nb::sig("def pass_turn(self) -> Self"),
                "The position after a forfeited turn. Only the referee may pass; it is not a legal move.");
    }

    void bind_moves() {
        const nb::handle move_type = move_class_;
        const std::string list_sig = "(self) -> list[" + move_name_ + "]";
        const std::string any_move = "move: " + move_name_ + " | str";
        class_
            .def_prop_ro(
                "legal_moves", [](const S& state) { return list_of_moves<S>(moves_of(state)); },
                nb::for_getter(nb::sig(("def legal_moves" + list_sig).c_str())),
                "The moves of the default generator: every legal move if `complete`, else a selection.")
            .def(
                "moves",
                [](const S& state, const std::string& generator) {
                    for (std::size_t i = 0; i < S::generators.size(); ++i)
                        if (S::generators[i] == generator)
                            return list_of_moves<S>(moves_of(state, static_cast<int>(i)));
                    throw missing(S::name, "generator", generator, S::generators);
                },
                nb::arg("generator"), nb::sig(("def moves(self, generator: str) -> list[" + move_name_ + "]").c_str()),
                "The moves that the named generator lists.")
            .def(
                "parse_move",
                [](const S& state, nb::handle text) {
                    return MoveObjects<Move>::of(state.parse_move(notation(text, S::name, "move")));
                },
                nb::arg("text").none(), nb::sig(("def parse_move(self, text: str) -> " + move_name_).c_str()),
                "Parses a move, which need not be legal.")
            .def(
                "is_legal",
                [move_type](const S& state, nb::handle move) {
                    const auto found = readable_move(state, move, move_type);
                    return found && state.is_legal(*found);
                },
                nb::arg("move").none(), nb::sig("def is_legal(self, move: object) -> bool"),
                "Whether `move` is a legal move or the text of one. Exact even if `complete` is false.")
            .def(
                "legal_move",
                [move_type](const S& state, nb::handle move) {
                    return MoveObjects<Move>::of(legal_move(state, move, move_type));
                },
                nb::arg("move").none(), nb::sig(("def legal_move(self, move: object) -> " + move_name_).c_str()),
                "Reads a move object or its text; raises IllegalMoveError if it is not a legal move.")
            .def(
                "play",
                [move_type](nb::handle_t<S> self, nb::handle move, Random* rng) {
                    S next = value_in<S>(self);
                    next.play(legal_move(next, move, move_type));
                    if (rng) settle_chance(next, *rng);
                    return state_object(self, next);
                },
                nb::arg("move").none(), nb::arg("rng") = nb::none(),
                nb::sig(("def play(self, " + any_move + ", rng: Random | None = None) -> Self").c_str()),
                "The position after a move. With `rng`, the random events that follow are drawn at once.")
            .def(
                "step",
                [move_type](nb::handle_t<S> self, nb::handle move) {
                    S next = value_in<S>(self);
                    const Move legal = legal_move(next, move, move_type);
                    next.play(legal);
                    const bool is_object = move.type().is(move_type);
                    return nb::make_tuple(is_object ? nb::borrow(move) : MoveObjects<Move>::of(legal),
                                          state_object(self, next));
                },
                nb::arg("move").none(),
                nb::sig(("def step(self, move: object) -> tuple[" + move_name_ + ", Self]").c_str()),
                "The legal move given as an object or as text, and the position after it.")
            .def(
                "random_move",
                [](const S& state, Random& rng) {
                    if (!has_moves(state)) throw nb::value_error("no player is to move in this position");
                    return MoveObjects<Move>::of(state.random_move(rng));
                },
                nb::arg("rng"), nb::sig(("def random_move(self, rng: Random) -> " + move_name_).c_str()),
                "A move drawn uniformly from legal_moves.")
            .def(
                "code",
                [move_type](const S& state, nb::handle move) { return state.code(move_from(state, move, move_type)); },
                nb::arg("move").none(), nb::sig(("def code(self, " + any_move + ") -> int").c_str()),
                "The number that identifies the move in the statistics of searches.")
            .def_prop_ro(
                "winning_moves",
                [](const S& state) {
                    MoveList<S> wins;
                    if (has_moves(state)) winning_moves(bare(state), wins);
                    return list_of_moves<S>(wins);
                },
                nb::for_getter(nb::sig(("def winning_moves" + list_sig).c_str())), "The moves that win immediately.");
    }

    void bind_chance() {
        class_.def_prop_ro(
            "is_chance", [](const S& state) { return is_chance(state); }, "Whether a random event is pending.");
        class_.def_prop_ro(
            "outcomes",
            [](const S& state) {
                std::vector<double> probabilities;
                if constexpr (S::has_chance)
                    if (state.is_chance()) {
                        OutcomeList<S> outcomes;
                        state.outcomes(outcomes);
                        probabilities.assign(outcomes.begin(), outcomes.end());
                    }
                return probabilities;
            },
            "The probabilities of the outcomes of the pending random event; empty if none is pending.");
        class_.def(
            "resolve",
            [](nb::handle_t<S> self, int outcome) -> nb::object {
                S next = value_in<S>(self);
                if (!is_chance(next)) throw nb::value_error("no random event is pending in this position");
                if constexpr (S::has_chance) {
                    OutcomeList<S> outcomes;
                    next.outcomes(outcomes);
                    if (outcome < 0 || static_cast<std::size_t>(outcome) >= outcomes.size())
                        throw nb::index_error(
                            ("outcomes are numbered 0 to " + std::to_string(outcomes.size() - 1)).c_str());
                    next.resolve(outcome);
                }
                return state_object(self, next);
            },
            nb::arg("outcome"), nb::sig("def resolve(self, outcome: int) -> Self"),
            "The position after the given outcome of the pending random event.");
        class_.def(
            "draw_outcome",
            [](const S& state, Random& rng) -> int {
                if constexpr (S::has_chance)
                    if (state.is_chance()) return pick_outcome(state, rng.uniform());
                throw nb::value_error("no random event is pending in this position");
            },
            nb::arg("rng"), "Draws an outcome of the pending random event by its probability; returns its index.");
    }

    void bind_batches() {
        class_
            .def(
                "playouts",
                [](const S& state, std::uint64_t n, std::uint64_t seed, int max_plies) {
                    if constexpr (S::repeats)
                        if (state.is_repeated()) return Playouts{.games = n, .draws = n};
                    const Poll poll = interrupt_poll();
                    nb::gil_scoped_release release;
                    return playouts(bare(state), n, seed, max_plies, poll);
                },
                nb::arg("n"), nb::arg("seed") = 0, nb::arg("max_plies") = 100'000,
                "Plays n random games from this position.")
            .def(
                "perft",
                [](const S& state, int depth, bool bulk) {
                    check_perft_depth(depth);
                    if (depth > 0 && state.is_terminal()) return std::uint64_t{0};
                    Perft perft{.bulk = bulk, .poll = interrupt_poll()};
                    nb::gil_scoped_release release;
                    return perft.count(bare(state), depth);
                },
                nb::arg("depth"), nb::kw_only(), nb::arg("bulk") = true,
                "The number of lines of exactly `depth` moves.");
    }

    void bind_past() {
        class_
            .def_prop_ro(
                "past",
                [](const S& state) {
                    return nb::steal<nb::tuple>(PyList_AsTuple(
                        nb::cast(std::vector<std::uint64_t>(state.past().begin(), state.past().end())).ptr()));
                },
                nb::for_getter(nb::sig("def past(self) -> tuple[int, ...]")),
                "The repetition keys of the positions since the last irreversible move; empty if the rules ignore "
                "repetition.")
            .def(
                "with_past",
                [](nb::handle_t<S> self, const std::vector<std::uint64_t>& past) {
                    return state_object(self, S(value_in<S>(self), past));
                },
                nb::arg("past"), nb::sig("def with_past(self, past: Sequence[int]) -> Self"),
                "This position, with these repetition keys as the history of its game.")
            .def_prop_ro(
                "repetitions_to_draw", [](const S& state) { return state.repetitions_to_draw(); },
                "The number of occurrences of a position that makes a draw; 0 if the rules ignore repetition.");
    }

    void bind_symmetries() {
        const nb::handle move_type = move_class_;
        class_
            .def_prop_ro(
                "symmetry_count", [](const S& state) { return state.rules()->symmetry_count(); },
                "The number of symmetries, including the identity.")
            .def(
                "transformed",
                [](nb::handle_t<S> self, int g) {
                    const S& state = value_in<S>(self);
                    check_symmetry(state, g);
                    return state_object(self, state.transformed(g));
                },
                nb::arg("g"), nb::sig("def transformed(self, g: int) -> Self"),
                "The position transformed by symmetry g.")
            .def(
                "transformed_move",
                [move_type](const S& state, nb::handle move, int g) {
                    check_symmetry(state, g);
                    return MoveObjects<Move>::of(state.transformed(move_from(state, move, move_type), g));
                },
                nb::arg("move").none(), nb::arg("g"),
                nb::sig(
                    ("def transformed_move(self, move: " + move_name_ + " | str, g: int) -> " + move_name_).c_str()),
                "The move transformed by symmetry g.");
    }

    void bind_network() {
        const nb::handle move_type = move_class_;
        class_
            .def_prop_ro(
                "input_shape",
                [](const S& state) {
                    const InputShape shape = frame(state).shape();
                    return std::tuple(shape.planes, shape.rows, shape.columns);
                },
                "(planes, rows, columns) of the network input.")
            .def_prop_ro("policy_size", [](const S& state) { return frame(state).policy_size(); })
            .def(
                "frame",
                [](const S& state, int encoding, int rows, int columns) {
                    const auto chosen = frame(state, encoding, rows, columns);
                    const InputShape shape = chosen.shape();
                    return std::pair(std::tuple(shape.planes, shape.rows, shape.columns), chosen.policy_size());
                },
                nb::arg("encoding") = 0, nb::arg("rows") = 0, nb::arg("columns") = 0,
                "((planes, rows, columns), policy size) of a network for this position, by the index of its encoding "
                "in `encodings` and its size; 0 for the board's own. Raises JouteError if it has no room.")
            .def(
                "encode",
                [](const S& state, int encoding, int rows, int columns) {
                    const auto chosen = frame(state, encoding, rows, columns);
                    std::vector<std::uint8_t> input(static_cast<std::size_t>(chosen.shape().size()));
                    chosen.encode(state, input);
                    return nb::bytes(input.data(), input.size());
                },
                nb::arg("encoding") = 0, nb::arg("rows") = 0, nb::arg("columns") = 0,
                "The network input, uint8[planes, rows, columns], as bytes; the arguments are those of `frame`.")
            .def(
                "policy_indices",
                [move_type](const S& state, nb::handle move, int encoding, int rows, int columns) {
                    PolicyIndices indices;
                    frame(state, encoding, rows, columns)
                        .policy_indices(state, move_from(state, move, move_type), indices);
                    return std::vector<std::uint32_t>(indices.begin(), indices.end());
                },
                nb::arg("move").none(), nb::arg("encoding") = 0, nb::arg("rows") = 0, nb::arg("columns") = 0,
                nb::sig(("def policy_indices(self, move: " + move_name_ +
                         " | str, encoding: int = 0, rows: int = 0, columns: int = 0) -> list[int]")
                            .c_str()),
                "The policy indices whose logits sum to the logit of the move; the arguments are those of `frame`.")
            .def(
                "input_map",
                [](const S& state, int g) {
                    check_symmetry(state, g);
                    const auto own = frame(state);
                    std::vector<int> map(static_cast<std::size_t>(own.shape().size()));
                    for (std::size_t i = 0; i < map.size(); ++i) map[i] = own.map_input(static_cast<int>(i), g);
                    return map;
                },
                nb::arg("g"), "The index to which symmetry g maps each flat input index.")
            .def(
                "policy_map",
                [](const S& state, int g) {
                    check_symmetry(state, g);
                    const auto own = frame(state);
                    std::vector<int> map(static_cast<std::size_t>(own.policy_size()));
                    for (std::size_t i = 0; i < map.size(); ++i) map[i] = own.map_policy(static_cast<int>(i), g);
                    return map;
                },
                nb::arg("g"), "The index to which symmetry g maps each policy index.");
    }

    // The frame of a position; by default, that of its own board in the default encoding.
    static auto frame(const S& state, int encoding = 0, int rows = 0, int columns = 0) {
        if (encoding < 0 || encoding >= static_cast<int>(std::size(InputFrame<S>::encodings)))
            throw nb::index_error("there is no such encoding");
        return InputFrame<S>::of(state, {encoding, rows, columns});
    }

    static void check_symmetry(const S& state, int g) {
        const int count = state.rules()->symmetry_count();
        if (g < 0 || g >= count)
            throw nb::index_error(
                ("symmetries of " + std::string(S::name) + " are numbered 0 to " + std::to_string(count - 1)).c_str());
    }

    std::string move_name_;
    nb::class_<Move> move_class_;
    nb::class_<S> class_;
};

template <Game S>
GameBinder<InPlay<S>> bind_game(nb::module_& module, const std::string& class_name) {
    return GameBinder<InPlay<S>>(module, class_name);
}

}  // namespace joute
