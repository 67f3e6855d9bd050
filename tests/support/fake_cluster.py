"""A cluster without processes and without waiting: its clock advances when nothing happens."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from joute.arena.cluster.driver import ClusterGames
from joute.arena.cluster.host import Answer, Played
from joute.arena.cluster.machines import LostError, Machine, Reply
from joute.arena.cluster.shipment import Shipment
from joute.arena.cluster.software import Software, software
from joute.arena.plan import Plan
from joute.arena.players.sources import source_from_data
from joute.arena.schedules.schedule import Pairing
from joute.games import new
from joute.match.game import derive_seed
from joute.match.player import LocalPlayer
from joute.match.record import GameRecord
from joute.match.referee import play_game


@dataclasses.dataclass
class FakeHost:
    """A node that plays when it is asked for news. Its fields say what happens to it."""

    cores: int = 2
    #: The games after which it is lost, sends nothing more, or reports a problem; -1 for never.
    lost_after: int = -1
    silent_after: int = -1
    fails_after: int = -1
    #: Games in an answer.
    batch: int = 1
    #: Seconds of the cluster's clock that a call to take lasts.
    answer_s: float = 0.01
    software: Software = dataclasses.field(default_factory=software)
    speed: float = 1000.0
    sandbox_problem: str = ""
    #: Changes the games that it sends.
    forge: Callable[[GameRecord], GameRecord] = lambda record: record
    #: Seen by tests: starts, the most games at once, the factor of the clocks, all games that it was given.
    starts: int = 0
    most_given: int = 0
    clock_factor: float = 0.0
    given: list[int] = dataclasses.field(default_factory=list)
    waiting: deque[Pairing] = dataclasses.field(default_factory=deque)
    done: int = 0


class FakeCluster:
    """Machines that play in the process of the test."""

    def __init__(self, **hosts: FakeHost) -> None:
        self.hosts = hosts
        self.gone: set[str] = set()
        self.now_s = 0.0
        self._calls: deque[tuple[str, str, tuple[Any, ...]]] = deque()
        self._open: set[str] = set()
        self._plan: Plan | None = None

    def present(self) -> Sequence[Machine]:
        return [Machine(id, id, host.cores) for id, host in self.hosts.items() if id not in self.gone]

    def share(self, value: object) -> object:
        return value

    def open(self, machine: Machine, cores: int, host: str = "") -> None:
        assert machine.id not in self._open
        assert 0 <= cores <= machine.cores
        self._open.add(machine.id)
        opened = self.hosts[machine.id]
        opened.starts += 1
        opened.done = 0
        opened.waiting.clear()

    def call(self, machine: str, method: str, *arguments: object) -> None:
        assert machine in self._open
        self._calls.append((machine, method, arguments))

    def replies(self, timeout_s: float) -> list[Reply]:
        waiting, self._calls = self._calls, deque()
        replies = [reply for call in waiting if (reply := self._answered(*call))]
        self.now_s += 0.0 if replies else timeout_s
        return replies

    def close(self, machine: str) -> None:
        self._open.remove(machine)
        self._calls = deque(call for call in self._calls if call[0] != machine)

    def end(self) -> None:
        for machine in list(self._open):
            self.close(machine)

    def _answered(self, machine: str, method: str, arguments: tuple[Any, ...]) -> Reply | None:
        host = self.hosts[machine]
        if host.done == host.lost_after:
            return Reply(machine, method, None, LostError("the node died"))
        if host.done == host.silent_after:
            return None
        try:
            return Reply(machine, method, getattr(self, f"_{method}")(host, *arguments))
        except Exception as error:
            return Reply(machine, method, None, error)

    def _software(self, host: FakeHost) -> Software:
        return host.software

    def _sandbox_problem(self, host: FakeHost) -> str:
        return host.sandbox_problem

    def _speed(self, host: FakeHost, game: str, workers: int, seconds: float) -> float:
        assert workers > 0
        return host.speed

    def _begin(self, host: FakeHost, shipment: Shipment, workers: int, clock_factor: float) -> None:
        host.clock_factor = clock_factor
        self._plan = Plan.from_data(shipment.plan)
        self._sources = list(map(source_from_data, shipment.sources))
        self._openings = shipment.openings

    def _give(self, host: FakeHost, pairings: Sequence[Pairing]) -> None:
        host.waiting += pairings
        host.given += [pairing.number for pairing in pairings]
        host.most_given = max(host.most_given, len(host.waiting))

    def _take(self, host: FakeHost, beat_s: float, batch_s: float) -> Answer:
        self.now_s += host.answer_s
        played = []
        for _ in range(min(host.batch, len(host.waiting))):
            if host.done in (host.lost_after, host.silent_after):
                break
            pairing = host.waiting.popleft()
            played.append(Played(pairing.number, host.forge(self._record(pairing)), 0.5))
            host.done += 1
        return Answer(tuple(played), (), "the disk is full" if host.done == host.fails_after else "")

    def _record(self, pairing: Pairing) -> GameRecord:
        assert self._plan
        plan = self._plan
        playing = [(self._sources[index], plan.entrants[index].name) for index in pairing.players]
        # A random player stands for the agents that are files.
        first, second = (LocalPlayer("random" if source.files else source.text, name) for source, name in playing)
        return play_game(
            new(plan.game, self._openings[pairing.opening]),
            first,
            second,
            seed=derive_seed(plan.seed, pairing.seed_number),
            clock=(plan.control(pairing.players[0]), plan.control(pairing.players[1])),
        )


class FakeVenue:
    """A fake cluster as a venue."""

    def __init__(self, cluster: FakeCluster) -> None:
        self.cluster = cluster

    def workers(self, sources: object, wanted: int, most: int | None) -> tuple[int, str]:
        return 1, ""

    def open(self, plan: Plan, sources: Any, openings: Any, workers: int, private_files: object, **options: Any) -> Any:
        options["workers"] = options.pop("wanted", 0)
        return ClusterGames(self.cluster, plan, sources, openings, clock=lambda: self.cluster.now_s, **options)
