#include "bind_network.hpp"
#include "bind_options.hpp"

namespace joute {

namespace {

template <class Batch>
nb::class_<Batch>& bind_shape(nb::class_<Batch>& batch) {
    return batch.def_prop_ro(
                    "batch", [](const Batch& self) { return self.shape.batch; }, "Rows of the arrays.")
        .def_prop_ro(
            "width", [](const Batch& self) { return self.shape.width; }, "The most moves of a position.")
        .def_prop_ro(
            "parts", [](const Batch& self) { return self.shape.parts; }, "The most policy indices of a move.")
        .def_prop_ro("policy_size", [](const Batch& self) { return self.shape.policy; })
        .def_prop_ro(
            "input_shape",
            [](const Batch& self) {
                return std::tuple(self.shape.input.planes, self.shape.input.rows, self.shape.input.columns);
            },
            "(planes, rows, columns) of the network input.")
        .def("attach", &Batch::attach, nb::arg("planes"), nb::arg("legal"), nb::arg("priors"), nb::arg("values"),
             nb::sig("def attach(self, planes: Any, legal: Any, priors: Any, values: Any) -> None"),
             "The arrays of positions (uint8, int16) and of the network's answers (float16).");
}

void bind_self_play(nb::module_& module) {
    nb::class_<BoundSelfPlay> pool(module, "SelfPlay", "Games that a network plays against itself, side by side.");
    bind_shape(pool)
        .def(
            "start",
            [](BoundSelfPlay& self) {
                self.check_attached();
                self.start();
            },
            "In the background, give the searches the network's answers and collect the next position of every game.")
        .def("wait", &BoundSelfPlay::wait, nb::call_guard<nb::gil_scoped_release>(), "Until that is done.")
        .def(
            "step",
            [](BoundSelfPlay& self) {
                self.check_attached();
                const nb::gil_scoped_release release;
                self.start();
                self.wait();
            },
            "start() and wait().")
        .def(
            "take_games", [](BoundSelfPlay& self) { return bytes_object(self.take_games()); },
            "Records of the games that ended since the last call.")
        .def_prop_ro("games", [](const BoundSelfPlay& self) { return self.counters().games; })
        .def_prop_ro(
            "plies", [](const BoundSelfPlay& self) { return self.counters().plies; }, "Moves searched.")
        .def_prop_ro(
            "positions", [](const BoundSelfPlay& self) { return self.counters().positions; },
            "Moves that became targets.")
        .def_prop_ro(
            "simulations", [](const BoundSelfPlay& self) { return self.counters().simulations; },
            "Of the searches that have ended.")
        .def_prop_ro(
            "evaluations", [](const BoundSelfPlay& self) { return self.counters().evaluations; },
            "Positions that the network was asked about.")
        .def("set_simulations", &BoundSelfPlay::set_simulations, nb::arg("full"), nb::arg("fast"),
             "From the next move of each game on.")
        .def(
            "save", [](BoundSelfPlay& self) { return bytes_object(self.save()); },
            "The games in progress; their searches begin anew.")
        .def(
            "load", [](BoundSelfPlay& self, const nb::bytes& saved) { self.load(span_of(saved)); }, nb::arg("saved"),
            "Go on with games that were saved.");
}

void bind_batch_search(nb::module_& module) {
    nb::class_<BoundBatchSearch> searches(module, "BatchSearch", "Searches of many positions, side by side.");
    bind_shape(searches)
        .def("begin", &BoundBatchSearch::begin, nb::arg("states"),
             nb::sig("def begin(self, states: list[Any]) -> None"), "Search these positions, `batch` at most.")
        .def(
            "collect",
            [](BoundBatchSearch& self) {
                self.check_attached();
                return self.collect();
            },
            "Write the positions that wait for the network; how many, 0 when all searches have ended.")
        .def("deliver", &BoundBatchSearch::deliver, "Give the searches the network's answers.")
        .def("results", &BoundBatchSearch::results, "The reports, in the order of the positions.")
        .def("targets", &BoundBatchSearch::targets, "What self-play would record as each position's policy.");
}

void bind_replay_window(nb::module_& module) {
    nb::class_<BoundReplayWindow>(module, "ReplayWindow", "The positions of the last games of self-play.")
        .def(
            "add", [](BoundReplayWindow& self, const nb::bytes& records) { return self.add(span_of(records)); },
            nb::arg("records"), "Add the targets of these games; how many.")
        .def("__len__", &BoundReplayWindow::size)
        .def_prop_ro("total", &BoundReplayWindow::total, "Positions ever added.")
        .def_prop_rw("capacity", &BoundReplayWindow::capacity, &BoundReplayWindow::set_capacity,
                     "Positions kept: the newest.")
        .def(
            "games_in",
            [](const BoundReplayWindow& self, const nb::bytes& records) { return self.games_in(span_of(records)); },
            nb::arg("records"), "How many games these records hold.")
        .def(
            "sample",
            [](BoundReplayWindow& self, std::size_t batch, std::uint64_t seed, const Array<std::uint8_t>& planes,
               const Array<std::int16_t>& legal, const Array<float>& policy, const Array<float>& wdl,
               const Array<float>& margin) {
                const BatchShape shape = self.shape();
                const auto width = static_cast<std::size_t>(shape.width);
                check_size("planes", planes.size(), batch * static_cast<std::size_t>(shape.input.size()));
                check_size("legal", legal.size(), batch * width * static_cast<std::size_t>(shape.parts));
                check_size("policy", policy.size(), batch * width);
                check_size("wdl", wdl.size(), batch * 3);
                check_size("margin", margin.size(), batch);
                const nb::gil_scoped_release release;
                self.sample(batch, seed, {planes.data(), legal.data(), policy.data(), wdl.data(), margin.data()});
            },
            nb::arg("batch"), nb::arg("seed"), nb::arg("planes"), nb::arg("legal"), nb::arg("policy"), nb::arg("wdl"),
            nb::arg("margin"),
            nb::sig("def sample(self, batch: int, seed: int, planes: Any, legal: Any, policy: Any, wdl: Any, margin: "
                    "Any) -> None"),
            "Fill the arrays with positions drawn at random, each through a random symmetry.");
}

}  // namespace

void bind_networks(nb::module_& module) {
    bind_options<SelfPlayOptions>(module, "SelfPlayOptions");
    bind_options<NetworkSearchOptions>(module, "NetworkSearchOptions");
    bind_self_play(module);
    bind_batch_search(module);
    bind_replay_window(module);
}

}  // namespace joute
