#include "bind_environments.hpp"

namespace joute {

namespace {

template <class T>
T* checked(const char* name, const BatchArray<T>& array, std::size_t wanted) {
    if (array.size() != wanted)
        throw nb::value_error(
            (std::string(name) + " has " + std::to_string(array.size()) + " items, not " + std::to_string(wanted))
                .c_str());
    return array.data();
}

std::uint8_t* bytes_of(const char* name, const BatchArray<bool>& array, std::size_t wanted) {
    static_assert(sizeof(bool) == 1);
    return reinterpret_cast<std::uint8_t*>(checked(name, array, wanted));
}
const std::uint8_t* bytes_of(const char* name, const BatchArray<const bool>& array, std::size_t wanted) {
    return reinterpret_cast<const std::uint8_t*>(checked(name, array, wanted));
}

EnvironmentArrays arrays_of(const BoundEnvironments& self, const BoundArrays& arrays) {
    const auto games = static_cast<std::size_t>(self.games());
    const std::size_t size = games * static_cast<std::size_t>(self.shape().size());
    return {checked("planes", arrays.planes, size),
            bytes_of("mask", arrays.mask, games * self.actions()),
            checked("to_move", arrays.to_move, games),
            checked("rewards", arrays.rewards, games),
            bytes_of("terminated", arrays.terminated, games),
            bytes_of("truncated", arrays.truncated, games),
            checked("final_planes", arrays.final_planes, size)};
}

std::size_t checked_game(const BoundEnvironments& self, std::int64_t game) {
    if (game < 0 || game >= self.games())
        throw nb::index_error(("games are numbered 0 to " + std::to_string(self.games() - 1)).c_str());
    return static_cast<std::size_t>(game);
}

}  // namespace

void bind_environments(nb::module_& module) {
    nb::class_<BoundArrays>(module, "EnvironmentArrays", "The arrays of a batch of games, one row a game.")
        .def(
            "__init__",
            [](BoundArrays* self, BatchArray<std::uint8_t> planes, BatchArray<bool> mask,
               BatchArray<std::int8_t> to_move, BatchArray<float> rewards, BatchArray<bool> terminated,
               BatchArray<bool> truncated, BatchArray<std::uint8_t> final_planes) {
                new (self)
                    BoundArrays{std::move(planes),     std::move(mask),      std::move(to_move),     std::move(rewards),
                                std::move(terminated), std::move(truncated), std::move(final_planes)};
            },
            nb::arg("planes"), nb::arg("mask"), nb::arg("to_move"), nb::arg("rewards"), nb::arg("terminated"),
            nb::arg("truncated"), nb::arg("final_planes"),
            nb::sig("def __init__(self, planes: Any, mask: Any, to_move: Any, rewards: Any, terminated: Any, "
                    "truncated: Any, final_planes: Any) -> None"));
    nb::class_<BoundEnvironments>(module, "Environments", "Many games that a learner plays.")
        .def_prop_ro("games", &BoundEnvironments::games)
        .def_prop_ro("actions", &BoundEnvironments::actions)
        .def_prop_ro("observation_scales", &BoundEnvironments::scales)
        .def_prop_ro(
            "observation_shape",
            [](const BoundEnvironments& self) {
                const InputShape shape = self.shape();
                return std::tuple(shape.planes, shape.rows, shape.columns);
            },
            "(planes, rows, columns)")
        .def("seed", &BoundEnvironments::seed, nb::arg("seed"),
             "Sets the seed of starts, random events and random actions.")
        .def(
            "reset",
            [](BoundEnvironments& self, const BoundArrays& arrays,
               const std::optional<BatchArray<const bool>>& chosen) {
                const Running running = self.running();
                const EnvironmentArrays to = arrays_of(self, arrays);
                const std::uint8_t* const rows =
                    chosen ? bytes_of("reset_mask", *chosen, static_cast<std::size_t>(self.games())) : nullptr;
                const nb::gil_scoped_release release;
                self.reset(rows, to);
            },
            nb::arg("arrays"), nb::arg("chosen") = nb::none(),
            nb::sig("def reset(self, arrays: EnvironmentArrays, chosen: Any = None) -> None"),
            "Begins the chosen games anew, or all, and writes the rows of all.")
        .def(
            "step",
            [](BoundEnvironments& self, const BatchArray<const std::int64_t>& actions, const BoundArrays& arrays) {
                const Running running = self.running();
                const EnvironmentArrays to = arrays_of(self, arrays);
                const auto games = static_cast<std::size_t>(self.games());
                const std::int64_t* const given = checked("actions", actions, games);
                std::size_t wrong;
                {
                    const nb::gil_scoped_release release;
                    wrong = self.step(given, to);
                }
                if (wrong < games)
                    throw IllegalMove("illegal action " + std::to_string(given[wrong]) + " in game " +
                                      std::to_string(wrong) + " of the batch");
            },
            nb::arg("actions"), nb::arg("arrays"),
            nb::sig("def step(self, actions: Any, arrays: EnvironmentArrays) -> None"),
            "Plays an action in every game and writes its row; if one is illegal, none is played.")
        .def(
            "random_actions",
            [](BoundEnvironments& self, const BatchArray<std::int64_t>& actions) {
                const Running running = self.running();
                std::int64_t* const drawn = checked("actions", actions, static_cast<std::size_t>(self.games()));
                const nb::gil_scoped_release release;
                self.random_actions(drawn);
            },
            nb::arg("actions"), nb::sig("def random_actions(self, actions: Any) -> None"),
            "Draws a legal action of every game.")
        .def(
            "action_text",
            [](const BoundEnvironments& self, std::int64_t game, std::int64_t action) {
                const std::string text = self.action_text(checked_game(self, game), action);
                if (text.empty())
                    throw IllegalMove("illegal action " + std::to_string(action) + " in game " + std::to_string(game) +
                                      " of the batch");
                return text;
            },
            nb::arg("game"), nb::arg("action"), "A legal action of a game in the game's notation.")
        .def(
            "state",
            [](const BoundEnvironments& self, std::int64_t game) { return self.state(checked_game(self, game)); },
            nb::arg("game"), nb::sig("def state(self, game: int) -> Any"), "The position of a game.");
}

}  // namespace joute
