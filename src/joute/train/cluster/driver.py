"""The driver's side of self-play on a cluster: actors on the machines, networks for them, and the games that they send.

An actor gets ready in steps: its software is compared, and it begins. Then it always has an unanswered call, `take`,
whose answers are also its signs of life, unless the learner is behind: then games wait on the actors, and at last the
actors wait. A game whose first move is by too old a network is refused.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from joute._core import SelfPlayOptions
from joute.arena.cluster.machines import LostError, Machine, Machines, Reply, sentence_of
from joute.arena.cluster.nodes import Nodes
from joute.arena.cluster.parameters import ClusterParameters
from joute.arena.cluster.software import Software, software
from joute.arena.pool.node import Node
from joute.errors import JouteError
from joute.games import State
from joute.numbers import count_of
from joute.train.checkpoint import pack_model
from joute.train.cluster.actor import Answer, Job, Weights
from joute.train.matches import starts_of
from joute.train.network import Network, on_host
from joute.train.parameters import TrainParameters
from joute.train.progress import Counters
from joute.train.self_play import Searches

# Games stay on the actors while more learner steps than these are due.
_MOST_DUE = 64
# Least seconds between two answers of an actor.
_BATCH_S = 0.5
# The numbers of actors, each of which has random numbers of its own, begin here: those of the pools of one process are
# smaller. A part of a run has so many.
_FIRST, _MOST_ACTORS = 2**41, 2**24


@dataclass(eq=False)
class _Actor:
    """An actor, as the driver knows it."""

    name: str
    number: int
    machine: Machine
    node: Node
    #: When it answered last, or was asked to begin; infinite while its core is in use by others.
    heard_s: float
    plays: bool = False
    #: Whether games wait there because the learner is behind.
    is_held: bool = False
    #: The learner steps of its network, and whether that is on its way.
    steps: int = 0
    is_sent: bool = False


class Actors:
    """Plays the games of a run on a cluster, as `Pools` does in one process.

    `part`: the number of this session of the run.
    """

    def __init__(
        self,
        machines: Machines,
        start: State,
        parameters: TrainParameters,
        *,
        searches: Callable[[], Searches],
        part: int,
        cluster: ClusterParameters | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._machines, self._start, self._parameters, self._searches = machines, start, parameters, searches
        self._cluster = cluster or ClusterParameters()
        self._now = clock
        self._software = software()
        own = dataclasses.replace(parameters, games=parameters.actor_games, pools=1, threads=1, device="cpu")
        self._own = own
        kind: Any = type(start)
        options = SelfPlayOptions(**own.self_play(kind) | {"games": 1})
        self._shape = kind.self_play(options, start.rules, starts_of(start, parameters))
        self._actors: dict[str, _Actor] = {}
        self._next_number = _FIRST + part * _MOST_ACTORS
        self._nodes = Nodes()
        #: Machines that get no actor any more, and failures in a row of the others.
        self._left_out: set[str] = set()
        self._failures: Counter[str] = Counter()
        #: The number of the next actor when a machine failed last.
        self._next_at_failure: dict[str, int] = {}
        self._next_look_s = -math.inf
        self._alone_since_s = clock()
        #: The network that the actors get next; the one they got last, shared, with its learner steps; and the steps
        #: that the learner has made.
        self._pending: Network | None = None
        self._weights: Any = None
        self._published = self._steps = 0
        self._published_s = -math.inf
        self._counters = Counters()
        #: Since the last `facts`: games by the steps that their networks were behind, and games refused.
        self._ages: Counter[int] = Counter()
        self._refused = 0

    @property
    def shape(self) -> Any:
        """A pool of one game."""
        return self._shape

    @property
    def counters(self) -> Counters:
        """Counts of all play, refused and unfinished games included; `games` counts the accepted ones."""
        return self._counters

    @property
    def nodes(self) -> Sequence[Node]:
        """The machines of this session."""
        return list(self._nodes.values())

    def begin(self, network: Network, steps: int) -> None:
        """Begin to start actors, which play with this network."""
        self.refresh(network, steps)

    def bare_rate(self) -> float:
        """Not known: the actors differ."""
        return 0.0

    def turn(self, due: int) -> bytes:
        """Take the games that have come; waits for some if no learner step is due.

        JouteError if no machine can play, or there has been none for `wait_s` seconds.
        """
        if self._pending is not None and self._now() - self._published_s >= self._parameters.publish_every:
            self._publish(self._pending)
        self._look()
        if due <= _MOST_DUE:
            for held in [actor for actor in self._actors.values() if actor.is_held]:
                self._take(held)
        games: list[bytes] = []
        for reply in self._machines.replies(0.0 if due else min(1.0, self._cluster.look_s)):
            if actor := self._actors.get(reply.host):
                actor.heard_s = self._now()
                games += self._replied(actor, reply, is_behind=due > _MOST_DUE)
        self._look_for_silence()
        return b"".join(games)

    def pause(self) -> bytes:
        """End all actors; `turn` starts new ones. The report still tells how many there were."""
        self._actors.clear()
        self._machines.end()
        self._next_look_s = -math.inf
        return b""

    def refresh(self, network: Network, steps: int) -> None:
        """Let the actors have the network, at the first `turn` that comes long enough after the last one.

        Until then the learner may change it.
        """
        self._steps, self._pending = steps, network

    def save(self) -> list[bytes]:
        """Nothing: games in progress begin anew."""
        return []

    def load(self, saved: Sequence[bytes]) -> bool:
        """Nothing: games in progress begin anew."""
        return False

    def facts(self) -> Mapping[str, Any]:
        """The actors that play; since the last call, how old the networks of games were, and the games refused."""
        games = self._ages.total()
        facts = {
            "actors": sum(actor.plays for actor in self._actors.values()),
            "age": sum(age * count for age, count in self._ages.items()) / games if games else None,
            "oldest": max(self._ages, default=0),
            "refused": self._refused,
        }
        self._ages.clear()
        self._refused = 0
        return facts

    def close(self) -> None:
        """End all actors."""
        self.pause()

    # --- Networks ---

    def _publish(self, network: Network) -> None:
        self._weights = self._machines.share(Weights(self._steps, pack_model(on_host(network)), *self._searches()))
        self._pending, self._published, self._published_s = None, self._steps, self._now()
        for actor in self._actors.values():
            self._update(actor)

    def _update(self, actor: _Actor) -> None:
        """Send the newest network to an actor that has an older one and waits for none."""
        if actor.plays and not actor.is_sent and actor.steps < self._published:
            actor.steps, actor.is_sent = self._published, True
            self._machines.call(actor.name, "refresh", self._weights)

    # --- Games ---

    def _replied(self, actor: _Actor, reply: Reply, *, is_behind: bool) -> Iterator[bytes]:
        if isinstance(reply.error, LostError):
            self._lost(actor, str(reply.error))
        elif reply.error is not None:
            self._leave_out(actor.machine, sentence_of(reply.error))
        elif reply.method == "software":
            self._compared(actor, reply.value)
        elif reply.method == "begin":
            actor.plays = True
            self._update(actor)
            self._take(actor)
        elif reply.method == "refresh":
            actor.is_sent = False
            self._update(actor)
        elif reply.method == "take":
            yield from self._took(actor, reply.value)
            if reply.value.problem:
                self._leave_out(actor.machine, reply.value.problem)
            elif is_behind:
                actor.is_held = True
            else:
                self._take(actor)

    def _take(self, actor: _Actor) -> None:
        actor.is_held = False
        actor.heard_s = self._now()
        self._machines.call(actor.name, "take", self._cluster.beat_s, _BATCH_S)

    def _took(self, actor: _Actor, answer: Answer) -> Iterator[bytes]:
        """Accept the games of an answer whose networks are not too old."""
        node = actor.node
        node.seen = datetime.now(UTC)
        node.busy_s += answer.seconds
        accepted = 0
        for games in answer.games:
            age = max(0, self._steps - games.steps)
            if age > self._parameters.most_behind:
                self._refused += games.count
                continue
            self._ages[age] += games.count
            accepted += games.count
            yield games.records
        if answer.games:
            self._failures[actor.machine.id] = 0
            self._next_at_failure.pop(actor.machine.id, None)
        node.games += accepted
        self._counters += dataclasses.replace(answer.counters, games=accepted)

    # --- Machines ---

    def _look(self) -> None:
        """Start actors on free cores; JouteError if no machine can play, now and for some time."""
        now = self._now()
        if now >= self._next_look_s:
            self._next_look_s = now + self._cluster.look_s
            present = self._machines.present()
            self._fill([machine for machine in present if machine.id not in self._left_out])
            if not self._actors and self._left_out.issuperset(machine.id for machine in present) and present:
                why = [f"{node.name}: {node.note}" for node in self._nodes.values() if node.note]
                raise JouteError(f"no node can play: {'; '.join(why)}")
        if self._actors:
            self._alone_since_s = now
        elif now - self._alone_since_s > self._cluster.wait_s:
            raise JouteError(f"the cluster has had no node for {self._cluster.wait_s:g} s")

    def _fill(self, machines: Sequence[Machine]) -> None:
        """Start actors until there are as many as wanted, each on the machine with the most free cores."""
        used = Counter(actor.machine.id for actor in self._actors.values())
        most = self._parameters.actors or max(1, sum(machine.cores for machine in machines) - 1)
        while machines and len(self._actors) < most:
            machine = max(machines, key=lambda machine: machine.cores - used[machine.id])
            if machine.cores <= used[machine.id]:
                return
            used[machine.id] += 1
            self._open(machine)

    def _open(self, machine: Machine) -> None:
        node = self._nodes.of(machine)
        number, self._next_number = self._next_number, self._next_number + 1
        actor = _Actor(f"{machine.id} {number}", number, machine, node, math.inf)
        self._actors[actor.name] = actor
        self._count(node)
        self._machines.open(machine, 1, actor.name)
        self._machines.call(actor.name, "software")

    def _compared(self, actor: _Actor, theirs: Software) -> None:
        """Refuse a machine with other software, and go on with the others."""
        if difference := self._software.difference(theirs):
            self._leave_out(actor.machine, difference)
            return
        actor.steps = self._published
        self._machines.call(actor.name, "begin", Job(self._start.spec, self._own, actor.number), self._weights)

    def _look_for_silence(self) -> None:
        now = self._now()
        for actor in list(self._actors.values()):
            limit_s = self._cluster.stall_s if actor.plays else self._cluster.start_s
            if now - actor.heard_s > limit_s and not actor.is_held and actor.name in self._actors:
                self._lost(actor, f"no answer for {limit_s:g} s")

    def _lost(self, actor: _Actor, what: str) -> None:
        """Give up an actor that died or does not answer, with its unfinished games; its machine is tried again.

        What ends several actors of a machine is one failure of it; the next is that of a later actor, or after games.
        """
        machine = actor.machine
        actor.node.note = what
        if actor.number >= self._next_at_failure.get(machine.id, 0):
            self._next_at_failure[machine.id] = self._next_number
            actor.node.failures += 1
            self._failures[machine.id] += 1
        if self._failures[machine.id] >= self._cluster.node_failures:
            self._leave_out(machine, f"{what}, {count_of(self._failures[machine.id], 'time')} in a row")
        else:
            self._end(actor)

    def _leave_out(self, machine: Machine, why: str) -> None:
        """Play no more games on a machine."""
        self._nodes[machine.id].note = why
        self._left_out.add(machine.id)
        for actor in [actor for actor in self._actors.values() if actor.machine.id == machine.id]:
            self._end(actor)

    def _end(self, actor: _Actor) -> None:
        del self._actors[actor.name]
        self._count(actor.node)
        self._machines.close(actor.name)

    def _count(self, node: Node) -> None:
        node.workers = sum(actor.node is node for actor in self._actors.values())
