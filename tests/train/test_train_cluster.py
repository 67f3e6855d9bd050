"""Self-play on a cluster: which actors there are, which games count, and what a lost machine costs.

These clusters are fakes; that of test_train_ray.py is real.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from network_batches import pool_of, window_of

from joute import new
from joute.arena.cluster.machines import LostError, Machine, Reply
from joute.arena.cluster.software import software
from joute.errors import JouteError, SpecError
from joute.games.connect4.state import Connect4
from joute.train.checkpoint import RunFolder, Saved, records, steps_of, unpack_model
from joute.train.command import train
from joute.train.parameters import TrainParameters
from joute.train.progress import PROGRESS, Counters, read_progress
from joute.train.report import REPORT

torch = pytest.importorskip("torch")
loop = pytest.importorskip("joute.train.loop")

from joute.train.cluster.actor import Actor, Answer, Games, by_network  # noqa: E402
from joute.train.cluster.driver import Actors  # noqa: E402
from joute.train.network import Network, design_of  # noqa: E402
from joute.train.self_play import Searches  # noqa: E402

pytest_plugins = ["torch_fixtures"]
pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = {
    "minutes": "60", "steps": "8", "actor_games": "8", "batch": "16", "channels": "8", "blocks": "1",
    "simulations": "2", "early_simulations": "2", "window_min": "50", "match_every": "0", "device": "cpu",
    "random_plies": "4", "publish_every": "0", "checkpoint_every": "3600",
}  # fmt: skip


def parameters_of(**settings: str) -> TrainParameters:
    return TrainParameters.read(SETTINGS | {"resume": "quick"} | settings, Connect4)


# --- The driver, and a cluster that does what the test says ---


class Scripted:
    """A cluster whose calls the test answers. Its clock goes on when nothing happens."""

    def __init__(self, **cores: int) -> None:
        self.cores = cores
        self.calls: list[tuple[str, str, tuple[Any, ...]]] = []
        self.open_hosts: dict[str, str] = {}
        self.ready: list[Reply] = []
        self.now_s = 0.0

    def present(self) -> Sequence[Machine]:
        return [Machine(name, name, cores) for name, cores in self.cores.items()]

    def share(self, value: object) -> object:
        return value

    def open(self, machine: Machine, cores: int, host: str = "") -> None:
        assert cores == 1
        self.open_hosts[host] = machine.id

    def call(self, host: str, method: str, *arguments: object) -> None:
        assert host in self.open_hosts
        self.calls.append((host, method, arguments))

    def replies(self, timeout_s: float) -> list[Reply]:
        replies, self.ready = self.ready, []
        self.now_s += 0.0 if replies else timeout_s
        return replies

    def close(self, host: str) -> None:
        del self.open_hosts[host]
        self.calls = [call for call in self.calls if call[0] != host]

    def end(self) -> None:
        self.open_hosts.clear()
        self.calls.clear()

    def hosts(self, machine: str) -> list[str]:
        return [host for host, on in self.open_hosts.items() if on == machine]

    def waiting(self, method: str) -> list[str]:
        """The hosts with an unanswered call of a method."""
        return [host for host, of, _ in self.calls if of == method]

    def answer(self, method: str, value: object = None, *, machine: str = "", error: Exception | None = None) -> None:
        """Answer all calls of a method, of one machine if it is given."""
        for call in list(self.calls):
            if call[1] == method and machine in ("", self.open_hosts[call[0]]):
                self.calls.remove(call)
                self.ready.append(Reply(call[0], method, value, error))


def actors_on(cluster: Scripted, **settings: str) -> tuple[Actors, Any]:
    """The driver's side, which has begun with a network, and the network."""
    parameters, start = parameters_of(**settings), new("connect4")
    made = Actors(
        cluster,
        start,
        parameters,
        searches=lambda: Searches((2, 1), 0.5),
        part=3,
        clock=lambda: cluster.now_s,
    )
    network = Network(design_of(made.shape, parameters, start))
    made.begin(network, 0)
    return made, network


def playing(cluster: Scripted, **settings: str) -> tuple[Actors, Any]:
    """Actors that all play, and the network."""
    made, network = actors_on(cluster, **settings)
    begin_all(made, cluster)
    return made, network


def begin_all(actors: Actors, cluster: Scripted) -> None:
    """Let new actors begin."""
    actors.turn(0)
    cluster.answer("software", software())
    actors.turn(0)
    cluster.answer("begin")
    actors.turn(0)


def games(steps: int, count: int = 1) -> Games:
    return Games(steps, count, f"{count} of {steps};".encode())


def test_actors_take_all_cores_but_that_of_the_learner_or_as_many_as_wanted() -> None:
    for settings, spread in (({}, (4, 1, 2)), ({"actors": "3"}, (2, 0, 1)), ({"actors": "99"}, (4, 1, 3))):
        cluster = Scripted(a=4, b=1, c=3)
        actors_on(cluster, **settings)[0].turn(0)
        assert tuple(len(cluster.hosts(machine)) for machine in "abc") == spread
    alone = Scripted(a=1)
    actors_on(alone)[0].turn(0)
    assert len(alone.hosts("a")) == 1
    alone.cores["late"] = 2
    actors, _ = actors_on(alone)
    actors.turn(0)
    assert len(alone.hosts("late")) == 1


def test_every_actor_has_random_numbers_of_its_own() -> None:
    cluster = Scripted(a=4)
    actors, _ = actors_on(cluster)
    actors.turn(0)
    cluster.answer("software", software())
    actors.turn(0)
    jobs = [arguments[0] for _, method, arguments in cluster.calls if method == "begin"]
    assert len({job.number for job in jobs}) == 3
    assert {(job.game, job.parameters.games, job.parameters.pools, job.parameters.threads) for job in jobs} == {
        ("connect4", 8, 1, 1)
    }
    seeds = [job.parameters.self_play(Connect4, job.number)["seed"] for job in jobs]
    assert len(set(seeds)) == 3


def test_games_count_whose_networks_are_not_too_far_behind() -> None:
    cluster = Scripted(a=2)
    actors, network = playing(cluster, most_behind="100")
    actors.refresh(network, 150)
    played = Counters(games=6, plies=60, positions=50, evaluations=90, simulations=80)
    cluster.answer("take", Answer((games(49, 3), games(50, 2), games(150)), played, seconds=36.0))
    assert actors.turn(0) == b"2 of 50;1 of 150;"
    assert actors.facts() == {"actors": 1, "age": pytest.approx(200 / 3), "oldest": 100, "refused": 3}
    assert actors.counters == dataclasses.replace(played, games=3)
    (node,) = actors.nodes
    assert (node.games, node.core_hours) == (3, 0.01)
    assert actors.facts() == {"actors": 1, "age": None, "oldest": 0, "refused": 0}


def test_games_wait_on_the_actors_while_the_learner_is_behind() -> None:
    cluster = Scripted(a=2)
    actors, _ = playing(cluster)
    cluster.answer("take", Answer((games(0),)))
    assert actors.turn(1000) == b"1 of 0;"
    assert cluster.waiting("take") == []
    for _ in range(100):
        cluster.now_s += 10
        assert actors.turn(1000) == b""
    assert actors.nodes[0].failures == 0  # it was not asked for a sign of life
    actors.turn(3)
    assert len(cluster.waiting("take")) == 1


def test_an_actor_gets_the_newest_network_and_one_at_a_time() -> None:
    cluster = Scripted(a=2)
    actors, network = playing(cluster, publish_every="10")
    cluster.now_s += 10
    for steps in (20, 40, 60):
        actors.refresh(network, steps)
        actors.turn(1)
    sent = [arguments[0] for _, method, arguments in cluster.calls if method == "refresh"]
    assert [(weights.steps, weights.simulations, weights.repetition_penalty) for weights in sent] == [(20, (2, 1), 0.5)]
    assert unpack_model(sent[0].model).keys() == network.state_dict().keys()
    for steps in (80, 100):
        cluster.now_s += 10
        actors.refresh(network, steps)
        actors.turn(1)
    assert len(cluster.waiting("refresh")) == 1
    cluster.answer("refresh")
    actors.turn(0)
    assert [arguments[0].steps for _, method, arguments in cluster.calls if method == "refresh"] == [100]


def test_a_network_that_waits_is_sent_though_no_learner_step_follows() -> None:
    cluster = Scripted(a=2)
    actors, network = playing(cluster, publish_every="10", most_behind="40")
    actors.refresh(network, 60)
    for _ in range(9):
        cluster.answer("take", Answer((games(0),)))
        assert actors.turn(0) == b""  # too old, so that nothing can be learned
        cluster.now_s += 1
    assert cluster.waiting("refresh") == []
    cluster.now_s += 1
    actors.turn(0)
    (weights,) = (arguments[0] for _, method, arguments in cluster.calls if method == "refresh")
    assert weights.steps == 60


def test_a_pause_ends_the_actors_and_the_report_still_tells_how_many_there_were() -> None:
    cluster = Scripted(a=3)
    actors, _ = playing(cluster)
    for _ in range(2):
        actors.pause()
        assert (cluster.hosts("a"), actors.nodes[0].workers) == ([], 2)
        actors.turn(0)
        assert (len(cluster.hosts("a")), actors.nodes[0].workers) == (2, 2)


def test_what_ends_all_actors_of_a_machine_is_one_failure_of_it() -> None:
    cluster = Scripted(a=5)
    actors, _ = playing(cluster)
    (node,) = actors.nodes

    def lost_and_replaced() -> None:
        cluster.answer("take", error=LostError("its memory is full"))
        actors.turn(1)
        assert cluster.hosts("a") == []
        cluster.now_s += 5
        begin_all(actors, cluster)
        assert len(cluster.hosts("a")) == 4

    for failures in (1, 2):
        lost_and_replaced()
        assert (node.failures, node.workers) == (failures, 4)
    cluster.answer("take", Answer((games(0),)))
    actors.turn(1)  # it plays, so the next failure is the first in a row
    for failures in (3, 4):
        lost_and_replaced()
        assert node.failures == failures
    cluster.answer("take", error=LostError("its memory is full"))
    cluster.now_s += 5
    actors.turn(1)
    cluster.now_s += 5
    with pytest.raises(JouteError, match=r"no node can play: a: its memory is full, 3 times in a row"):
        actors.turn(1)


def test_a_lost_actor_costs_its_unfinished_games_and_a_machine_that_fails_again_and_again_is_left_out() -> None:
    cluster = Scripted(good=1, bad=1)
    actors, _ = playing(cluster, actors="2")
    for failures in (1, 2, 3):
        assert len(cluster.hosts("bad")) == 1
        cluster.answer("take", machine="bad", error=LostError("the node died"))
        actors.turn(0)
        cluster.now_s += 5
        begin_all(actors, cluster)
        bad = next(node for node in actors.nodes if node.name == "bad")
        assert bad.failures == failures
    assert (cluster.hosts("bad"), bad.note) == ([], "the node died, 3 times in a row")
    cluster.answer("take", Answer((games(0, 4),)))
    assert actors.turn(0)


def test_an_actor_that_does_not_answer_is_replaced() -> None:
    cluster = Scripted(a=2)
    actors, _ = playing(cluster)
    (silent,) = cluster.hosts("a")
    while cluster.hosts("a") == [silent]:
        actors.turn(0)
        assert cluster.now_s < 60
    assert actors.nodes[0].note == "no answer for 30 s"
    assert actors.nodes[0].failures == 1


def test_a_machine_with_other_software_or_without_pytorch_is_left_out_with_a_sentence() -> None:
    cluster = Scripted(a=1, b=1)
    actors, _ = actors_on(cluster, actors="2")
    actors.turn(0)
    cluster.answer("software", software(), machine="a")
    cluster.answer("software", dataclasses.replace(software(), joute="9.0"), machine="b")
    actors.turn(0)
    assert next(node.note for node in actors.nodes if node.name == "b").startswith("it has Joute 9.0, and this machine")
    cluster.answer("begin", error=JouteError("PyTorch is not installed there"))
    actors.turn(0)
    cluster.now_s += 5
    with pytest.raises(JouteError, match=r"no node can play: a: PyTorch is not installed there; b: it has"):
        actors.turn(0)


def test_a_cluster_without_nodes_is_given_up_after_a_while() -> None:
    cluster = Scripted()
    actors, _ = actors_on(cluster)
    actors.turn(0)
    cluster.now_s += 119
    actors.turn(0)
    cluster.now_s += 1
    with pytest.raises(JouteError, match="the cluster has had no node for 120 s"):
        actors.turn(0)


# --- Actors ---


def test_the_record_of_a_game_has_the_version_of_the_network_that_began_it() -> None:
    pool = pool_of("connect4", games=4)
    assert {steps_of(record) for record in records(pool.play(4))} == {0}
    pool.pool.set_version(70_000)  # those in progress have none yet
    pool.pool.take_games()
    first = list(records(pool.play(8)))
    assert {steps_of(record) for record in first} == {70_000}
    pool.pool.set_version(70_020)
    later = list(records(pool.play(24)))
    assert [steps_of(record) for record in later[:4]] == [70_000] * 4
    assert [steps_of(record) for record in later[8:]] == [70_020] * len(later[8:])
    window = window_of("connect4", b"".join(first + later))
    assert window.games_in(b"".join(first + later)) == len(first + later)
    assert len(window) == sum(game.plies for game in map(plies_of, first + later))


@dataclasses.dataclass
class Head:
    plies: int


def plies_of(record: bytes) -> Head:
    return Head(int.from_bytes(record[7:9], "little"))


def test_finished_games_are_grouped_by_network() -> None:
    old, new_one = (b"\x09\0\0\0\x82\0\0\0\0" + steps.to_bytes(4, "little") for steps in (7, 9))
    assert by_network(old + new_one + old) == (Games(7, 2, old + old), Games(9, 1, new_one))
    assert by_network(b"") == ()


class Local:
    """A cluster of threads of this process."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.actors: dict[str, Actor] = {}
        self._threads = ThreadPoolExecutor(3 * cores + 3)
        self._calls: dict[Future[Any], tuple[str, str]] = {}

    def present(self) -> Sequence[Machine]:
        return [Machine("here", "here", self.cores)]

    def share(self, value: object) -> object:
        return value

    def open(self, machine: Machine, cores: int, host: str = "") -> None:
        self.actors[host] = Actor()

    def call(self, host: str, method: str, *arguments: object) -> None:
        future = self._threads.submit(getattr(self.actors[host], method), *arguments)
        self._calls[future] = host, method

    def __enter__(self) -> Local:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._threads.shutdown()

    def replies(self, timeout_s: float) -> list[Reply]:
        if not self._calls:
            time.sleep(timeout_s)
        ended, _ = wait(self._calls, timeout_s, return_when=FIRST_COMPLETED)
        return [
            Reply(*self._calls.pop(each), None if each.exception() else each.result(), each.exception())  # type: ignore[arg-type]
            for each in ended
        ]

    def close(self, host: str) -> None:
        self.actors.pop(host).end()

    def end(self) -> None:
        for host in list(self.actors):
            self.close(host)


class Folder(RunFolder):
    """A folder that remembers its checkpoints."""

    def save(self, saved: Saved, **options: Any) -> None:
        super().save(saved, **options)
        self.last = saved


def test_a_run_on_a_cluster_learns_and_resumes_there_and_on_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.train.cluster.driver._BATCH_S", 0.02)
    path = tmp_path / "run"
    said: list[str] = []

    def run(steps: int, cores: int, resume: str) -> Saved:
        parameters = parameters_of(steps=str(steps), resume=resume, pools="1", games="8", most_ahead="64")
        with Folder(path) as folder, Local(cores) if cores else nullcontext() as machines:
            loop.train("connect4", parameters, folder, command="", say=said.append, machines=machines)
            return folder.last

    first = run(150, 3, "quick")
    assert first.state["counters"]["steps"] == 150
    assert not first.pools
    assert said[-1].startswith("The games were played on 1 node")
    with RunFolder(path) as folder:
        kept = [steps_of(record) for blob in folder.games() for record in records(blob)]
    assert max(kept) >= 20
    *_, row = (row for row in read_progress(path / PROGRESS) if row["kind"] == "progress")
    assert row["actors"] == 2
    assert "The machines that played" in (path / REPORT).read_text()
    second = run(250, 2, "quick")
    assert second.state["counters"]["games"] > first.state["counters"]["games"]
    assert [node["name"] for node in second.state["nodes"]] == ["here", "here"]
    third = run(260, 0, "exact")
    assert third.state["counters"]["steps"] == 260
    assert third.pools
    fourth = run(265, 2, "quick")  # games in progress begin anew
    assert fourth.state["counters"]["games"] >= third.state["counters"]["games"]


class Leaving(Local):
    """A cluster that is gone once it has got a second network."""

    networks = 0

    def share(self, value: object) -> object:
        self.networks += 1
        return value

    def replies(self, timeout_s: float) -> list[Reply]:
        if self.networks > 1:
            raise JouteError("the cluster is gone")
        return super().replies(timeout_s)


def test_a_run_without_machines_ends_with_a_checkpoint_and_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.train.cluster.driver._BATCH_S", 0.02)
    monkeypatch.setattr("joute.train.command._machines", lambda _: Leaving(2))
    path = tmp_path / "run"
    with pytest.raises(JouteError) as raised:
        train("connect4", path, SETTINGS | {"steps": "100"}, lambda _: None, ray="there:6379")
    go_on = f"To go on: joute train connect4 --out {path} --ray there:6379"
    assert str(raised.value) == f"the cluster is gone; the checkpoint is written. {go_on}"
    with RunFolder(path) as folder:
        assert 20 <= folder.state["counters"]["steps"] < 100
        assert list(folder.games())
    monkeypatch.setattr(Leaving, "networks", 2)
    with pytest.raises(JouteError, match=r"^the cluster is gone$"):
        train("connect4", tmp_path / "other", SETTINGS, lambda _: None, ray="there:6379")
    with RunFolder(tmp_path / "other") as folder:
        assert not folder.has_checkpoint  # nothing was played


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"gate": "margin"}, "with --ray, .* leave out gate and iteration_games"),
        ({"iteration_games": "5"}, "with --ray, .* leave out gate and iteration_games"),
        ({"resume": "exact"}, "with --ray, a run does not repeat itself"),
    ],
)
def test_what_a_cluster_cannot_do_is_said_before_it_is_joined(
    tmp_path: Path, settings: dict[str, str], why: str
) -> None:
    with pytest.raises(SpecError, match=why):
        train("connect4", tmp_path / "run", settings, print, ray="local")
    assert not (tmp_path / "run").exists()
