#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind_network.hpp"
#include "bind_options.hpp"

namespace joute {

namespace {

template <class Batch>
nb::class_<Batch>& bind_shape(nb::class_<Batch>& batch) {
    return batch
        .def_prop_ro(
            "batch", [](const Batch& self) { return self.shape.batch; }, "The number of rows of the arrays.")
        .def_prop_ro(
            "width", [](const Batch& self) { return self.shape.width; }, "The largest number of moves of a position.")
        .def_prop_ro(
            "parts", [](const Batch& self) { return self.shape.parts; },
            "The largest number of policy indices of a move.")
        .def_prop_ro("policy_size", [](const Batch& self) { return self.shape.policy; })
        .def_prop_ro(
            "input_shape",
            [](const Batch& self) {
                return std::tuple(self.shape.input.planes, self.shape.input.rows, self.shape.input.columns);
            },
            "(planes, rows, columns) of the network input.")
        .def_prop_ro(
            "plane_scales", [](const Batch& self) { return self.shape.scales; },
            "The number that a network multiplies the bytes of each plane with.")
        .def_prop_ro(
            "is_masked", [](const Batch& self) { return self.shape.is_masked; },
            "Whether the first plane marks the cells that belong to the board.")
        .def("attach", &Batch::attach, nb::arg("planes"), nb::arg("legal"), nb::arg("priors"), nb::arg("values"),
             nb::sig("def attach(self, planes: Any, legal: Any, priors: Any, values: Any) -> None"),
             "Sets the arrays: planes (uint8) and legal (int16) for positions, priors and values (float16) for the "
             "network's answers.");
}

void bind_self_play(nb::module_& module) {
    nb::class_<BoundSelfPlay> pool(module, "SelfPlay", "Games of self-play, many in parallel.");
    bind_shape(pool)
        .def(
            "start",
            [](BoundSelfPlay& self) {
                self.check_attached();
                self.start();
            },
            "In the background: pass the network's answers to the searches and collect the next position of every "
            "game.")
        .def("wait", &BoundSelfPlay::wait, nb::call_guard<nb::gil_scoped_release>(),
             "Waits until the work begun by start() is done.")
        .def(
            "step",
            [](BoundSelfPlay& self) {
                self.check_attached();
                const nb::gil_scoped_release release;
                self.start();
                self.wait();
            },
            "Calls start() and wait().")
        .def(
            "take_games", [](BoundSelfPlay& self) { return bytes_object(self.take_games()); },
            "Returns the records of the games that ended since the last call.")
        .def_prop_ro("games", [](const BoundSelfPlay& self) { return self.counters().games; })
        .def_prop_ro(
            "plies", [](const BoundSelfPlay& self) { return self.counters().plies; }, "Number of moves searched.")
        .def_prop_ro(
            "positions", [](const BoundSelfPlay& self) { return self.counters().positions; },
            "Number of searched moves that became training targets.")
        .def_prop_ro(
            "simulations", [](const BoundSelfPlay& self) { return self.counters().simulations; },
            "Number of simulations of the finished searches.")
        .def_prop_ro(
            "evaluations", [](const BoundSelfPlay& self) { return self.counters().evaluations; },
            "Number of positions that the network evaluated.")
        .def("set_simulations", &BoundSelfPlay::set_simulations, nb::arg("full"), nb::arg("fast"),
             "Sets the simulations of full and fast searches, from the next move of each game on.")
        .def("set_repetition_penalty", &BoundSelfPlay::set_repetition_penalty, nb::arg("penalty"),
             "Sets how much the searches of the next moves dislike to repeat a position; 0 for the rules alone.")
        .def("set_version", &BoundSelfPlay::set_version, nb::arg("version"),
             "Sets the version of the network: the record of each game has the version at its beginning.")
        .def(
            "save", [](BoundSelfPlay& self) { return bytes_object(self.save()); },
            "Saves the games in progress. Their current searches restart.")
        .def(
            "load", [](BoundSelfPlay& self, const nb::bytes& saved) { self.load(span_of(saved)); }, nb::arg("saved"),
            "Continues saved games.");
}

void bind_batch_search(nb::module_& module) {
    nb::class_<BoundBatchSearch> searches(module, "BatchSearch", "Searches of many positions in parallel.");
    bind_shape(searches)
        .def("begin", &BoundBatchSearch::begin, nb::arg("states"),
             nb::sig("def begin(self, states: list[Any]) -> None"),
             "Starts searches of these positions, at most `batch` of them.")
        .def(
            "collect",
            [](BoundBatchSearch& self) {
                self.check_attached();
                return self.collect();
            },
            "Writes the positions that wait for the network and returns their number: 0 when all searches have ended.")
        .def("deliver", &BoundBatchSearch::deliver, "Passes the network's answers to the searches.")
        .def("results", &BoundBatchSearch::results, "The search results, in the order of the positions.")
        .def("targets", &BoundBatchSearch::targets, "The policy target that self-play would record for each position.");
}

void bind_replay_window(nb::module_& module) {
    nb::class_<BoundReplayWindow>(module, "ReplayWindow", "The most recent positions of self-play.")
        .def(
            "add",
            [](BoundReplayWindow& self, const nb::bytes& records) {
                const auto bytes = span_of(records);
                const nb::gil_scoped_release release;
                return self.add(bytes);
            },
            nb::arg("records"), "Adds the training targets of these games and returns their number.")
        .def(
            "take",
            [](BoundReplayWindow& self, BoundSelfPlay& pool, bool keep) -> std::pair<std::size_t, nb::bytes> {
                Bytes games;
                std::size_t added;
                {
                    const nb::gil_scoped_release release;
                    games = pool.take_games();
                    added = self.add(games);
                }
                return {added, keep ? bytes_object(games) : nb::bytes("", 0)};
            },
            nb::arg("pool"), nb::arg("keep"),
            "Adds the finished games of a pool of self-play; returns the number of targets, and with `keep` the "
            "records.")
        .def("__len__", &BoundReplayWindow::size)
        .def_prop_ro("total", &BoundReplayWindow::total, "Number of positions ever added.")
        .def_prop_rw("capacity", &BoundReplayWindow::capacity, &BoundReplayWindow::set_capacity,
                     "The largest number of positions kept; older ones are dropped.")
        .def(
            "games_in",
            [](const BoundReplayWindow& self, const nb::bytes& records) { return self.games_in(span_of(records)); },
            nb::arg("records"), "The number of games in these records.")
        .def(
            "sample",
            [](BoundReplayWindow& self, std::size_t batch, std::uint64_t seed, const Array<std::uint8_t>& planes,
               const Array<std::int16_t>& legal, const Array<float>& policy, const Array<float>& wdl,
               const Array<float>& margin, const std::optional<Array<std::int8_t>>& ending) {
                const BatchShape shape = self.shape();
                const auto width = static_cast<std::size_t>(shape.width);
                check_size("planes", planes.size(), batch * static_cast<std::size_t>(shape.input.size()));
                check_size("legal", legal.size(), batch * width * static_cast<std::size_t>(shape.parts));
                check_size("policy", policy.size(), batch * width);
                check_size("wdl", wdl.size(), batch * 3);
                check_size("margin", margin.size(), batch);
                if (ending && self.ending_size() == 0) throw nb::value_error("this window keeps no ends of games");
                if (ending) check_size("ending", ending->size(), batch * self.ending_size());
                const nb::gil_scoped_release release;
                self.sample(batch, seed,
                            {planes.data(), legal.data(), policy.data(), wdl.data(), margin.data(),
                             ending ? ending->data() : nullptr});
            },
            nb::arg("batch"), nb::arg("seed"), nb::arg("planes"), nb::arg("legal"), nb::arg("policy"), nb::arg("wdl"),
            nb::arg("margin"), nb::arg("ending") = nb::none(),
            nb::sig("def sample(self, batch: int, seed: int, planes: Any, legal: Any, policy: Any, wdl: Any, margin: "
                    "Any, ending: Any = None) -> None"),
            "Fills the arrays with positions drawn at random, each transformed by a random symmetry.");
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
