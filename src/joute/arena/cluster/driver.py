"""The driver's side of games on a cluster: hands out games, receives them, and plays those of a lost node elsewhere.

A node gets ready in steps: its software is compared, its speed measured if games have clocks, and the tournament sent.
Then it always has an unanswered call, `take`, whose answers are also its signs of life.
"""

from __future__ import annotations

import heapq
import math
import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from joute.agents.loading import Source
from joute.arena.cluster.host import Answer, Played
from joute.arena.cluster.machines import LostError, Machine, Machines, Reply, sentence_of
from joute.arena.cluster.nodes import Nodes
from joute.arena.cluster.parameters import ClusterParameters
from joute.arena.cluster.shipment import packed
from joute.arena.cluster.software import Software, software
from joute.arena.plan import Plan, threads_of
from joute.arena.pool.blame import Unplayed
from joute.arena.pool.node import Node
from joute.arena.pool.pool import Finished, Running
from joute.arena.schedules.schedule import Pairing
from joute.errors import JouteError
from joute.match.game import derive_seed
from joute.numbers import count_of, percent

# The weight of the latest answer in the mean rate of a node.
_FRESH = 0.3


@dataclass(eq=False)
class _Host:
    """The host of a machine, as the driver knows it."""

    machine: Machine
    node: Node
    #: When it answered last, or was asked to begin; infinite while its cores are in use by others.
    heard_s: float
    #: Whether its software was compared, whether it was told to begin, and whether it plays.
    is_known: bool = False
    is_begun: bool = False
    plays: bool = False
    given: dict[int, Pairing] = field(default_factory=dict)
    #: Games per second.
    rate: float = 0.0
    #: When the last answer with a game came, or when it was ready to play.
    answered_s: float = 0.0

    @property
    def load(self) -> float:
        """Games for each worker."""
        return len(self.given) / self.node.workers


class ClusterGames:
    """Plays the games of a plan on a cluster, as `Pool` does on one machine.

    `workers`: the most games in parallel; 0 for as many as the cores allow.
    """

    def __init__(
        self,
        machines: Machines,
        plan: Plan,
        sources: tuple[Source, ...],
        openings: tuple[str, ...],
        workers: int = 0,
        *,
        keep_alive: bool = False,
        reference_speed: float | None = None,
        parameters: ClusterParameters | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._machines = machines
        self._plan = plan
        self._openings = openings
        self._parameters = parameters or ClusterParameters()
        self._now = clock
        playing = [sources[index] for index in plan.playing]
        self._threads = max(map(threads_of, playing))
        self._most = 1 if any(source.kind == "remote" for source in playing) else workers or math.inf
        self._is_timed = any(plan.control(index).is_timed for index in plan.playing)
        self._software = software()
        self._shipment = machines.share(packed(plan, sources, openings, keep_alive=keep_alive))
        self._reference_speed = reference_speed
        self._hosts: dict[str, _Host] = {}
        #: Machines that get no host any more, and failures in a row of the others.
        self._left_out: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._nodes = Nodes()
        self._changed: dict[int, Node] = {}
        self._again: deque[Pairing] = deque()
        self._losses: Counter[int] = Counter()
        self._next_look_s = -math.inf
        self._alone_since_s = clock()
        self._measured_since_s = math.inf
        #: The games that were given up.
        self.unplayed: list[Unplayed] = []

    def __enter__(self) -> ClusterGames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the games on all machines."""
        for host in self._hosts.values():
            if not (host.is_known or host.node.note):
                host.node.note = "it did not get ready before the last game began; others may use its cores"
                self._tell(host.node)
        self._hosts.clear()
        self._machines.end()

    def running(self) -> list[Running]:
        """Nothing: the moves of a running game stay on its node."""
        return []

    def changed_nodes(self) -> list[Node]:
        """The nodes whose facts changed since the last call."""
        changed = list(self._changed.values())
        self._changed.clear()
        return changed

    def play(self, pairings: Iterator[Pairing | None]) -> Iterator[list[Finished]]:
        """Play the games of `pairings` and yield those that end, as `Pool.play` does.

        JouteError if no node can play, or no node is left for `wait_s` seconds.
        """
        while True:
            self._look()
            has_more = self._hand_out(pairings)
            if not has_more and not any(host.given for host in self._hosts.values()):
                return
            finished = list(self._happened())
            self._hand_out(pairings)  # before the yield, so that no node waits while the driver stores games
            if finished:
                yield finished

    # --- Games ---

    def _hand_out(self, pairings: Iterator[Pairing | None]) -> bool:
        """Give games to hosts with room, evenly; False if there was room left, or no host, and no game to give."""
        batches: dict[_Host, list[Pairing]] = {}
        has_more = True
        # The heap yields the host with the lowest load first.
        free = [(host.load, number, host) for number, host in enumerate(self._hosts.values()) if self._room(host) > 0]
        heapq.heapify(free)
        while free:
            if (pairing := self._again.popleft() if self._again else next(pairings, None)) is None:
                has_more = False
                break
            _, number, host = heapq.heappop(free)
            host.given[pairing.number] = pairing
            batches.setdefault(host, []).append(pairing)
            if self._room(host) > 0:
                heapq.heappush(free, (host.load, number, host))
        for host, batch in batches.items():
            self._machines.call(host.machine.id, "give", batch)
        if not any(host.plays for host in self._hosts.values()) and not self._again:
            if pairing := next(pairings, None):
                self._again.append(pairing)
            has_more = pairing is not None
        return has_more

    def _room(self, host: _Host) -> int:
        """The games that a host can take: one a worker, and short ones ahead."""
        if not host.plays:
            return 0
        return host.node.workers + int(host.rate * self._parameters.ahead_s) - len(host.given)

    def _happened(self) -> Iterator[Finished]:
        """Wait for replies and return the games that ended."""
        for reply in self._machines.replies(min(1.0, self._parameters.look_s)):
            if (host := self._hosts.get(reply.host)) is None:
                continue
            host.heard_s = self._now()
            if isinstance(reply.error, LostError):
                self._lost(host, str(reply.error))
            elif reply.error is not None:
                self._leave_out(host, sentence_of(reply.error))
            else:
                yield from self._replied(host, reply)
        now = self._now()
        for host in list(self._hosts.values()):
            limit_s = self._parameters.stall_s if host.plays else self._parameters.start_s
            if now - host.heard_s > limit_s:
                self._lost(host, f"no answer for {limit_s:g} s")

    def _replied(self, host: _Host, reply: Reply) -> Iterator[Finished]:
        if reply.method == "software":
            self._compared(host, reply.value)
        elif reply.method == "speed":
            host.node.speed = float(reply.value)
            self._measured_since_s = min(self._measured_since_s, self._now())
        elif reply.method == "begin":
            host.plays = True
            host.answered_s = self._now()
            self._take(host)
        elif reply.method == "take":
            yield from self._took(host, reply.value)

    def _take(self, host: _Host) -> None:
        self._machines.call(host.machine.id, "take", self._parameters.beat_s, self._parameters.batch_s)

    def _took(self, host: _Host, answer: Answer) -> Iterator[Finished]:
        """Accept the games of an answer, each once, and ask for the next answer."""
        host.node.seen = datetime.now(UTC)
        if answer.played:
            self._failures[host.machine.id] = 0
            now = self._now()
            rate = len(answer.played) / max(now - host.answered_s, 1e-3)
            host.rate += (_FRESH if host.rate else 1.0) * (rate - host.rate)
            host.answered_s = now
        for unplayed in answer.unplayed:
            if host.given.pop(unplayed.game.number, None):
                self.unplayed.append(unplayed)
        for played in answer.played:
            if pairing := host.given.pop(played.number, None):
                if finished := self._finished(host, pairing, played):
                    yield finished
                else:
                    self._leave_out(host, f"it sent another game than game {played.number}")
                    return
        if answer.problem:
            self._leave_out(host, answer.problem)
        else:
            self._take(host)

    def _finished(self, host: _Host, pairing: Pairing, played: Played) -> Finished | None:
        """A game of a node, with the driver's time of its beginning; None if it is not the game that was asked for."""
        record, plan = played.record, self._plan
        wanted = (
            plan.game,
            self._openings[pairing.opening],
            tuple(plan.entrants[index].name for index in pairing.players),
            derive_seed(plan.seed, pairing.seed_number),
        )
        if (record.game, record.start, record.players, record.seed) != wanted:
            return None
        node = host.node
        node.games += 1
        node.busy_s += played.seconds
        self._tell(node)
        return Finished(pairing, record, datetime.now(UTC) - timedelta(seconds=played.seconds), node)

    # --- Nodes ---

    def _look(self) -> None:
        """Start hosts on machines that have none; JouteError if no machine can play, now and for some time."""
        now = self._now()
        if now >= self._next_look_s:
            self._next_look_s = now + self._parameters.look_s
            for machine in self._machines.present():
                if machine.id not in self._hosts and machine.id not in self._left_out:
                    self._open(machine)
        self._begin_measured()
        if self._hosts:
            self._alone_since_s = now
        elif self._left_out and all(machine.id in self._left_out for machine in self._machines.present()):
            raise JouteError(f"no node can play: {'; '.join(self._why_not())}")
        elif now - self._alone_since_s > self._parameters.wait_s:
            raise JouteError(f"the cluster has had no node for {self._parameters.wait_s:g} s")

    def _why_not(self) -> list[str]:
        return [f"{node.name}: {node.note}" for node in self._nodes.values() if node.note]

    def _open(self, machine: Machine) -> None:
        used = sum(host.node.workers for host in self._hosts.values())
        workers = int(min(machine.cores // self._threads, self._most - used))
        if workers < 1:
            if machine.cores < self._threads:
                node = self._nodes.of(machine)
                node.note = f"it has {count_of(machine.cores, 'core')}, and an agent has {self._threads} threads"
                self._left_out.add(machine.id)
                self._tell(node)
            return
        node = self._nodes.of(machine)
        node.workers, node.threads = workers, self._threads
        self._hosts[machine.id] = _Host(machine, node, math.inf)
        self._machines.open(machine, workers * self._threads)
        self._machines.call(machine.id, "software")

    def _compared(self, host: _Host, theirs: Software) -> None:
        """Refuse a host with other software, and go on with the others."""
        host.is_known = True
        if difference := self._software.difference(theirs):
            self._leave_out(host, difference)
        elif self._is_timed and host.node.speed is None:
            arguments = self._plan.game, host.node.workers, self._parameters.measure_s
            self._machines.call(host.machine.id, "speed", *arguments)
        elif not self._is_timed:
            self._begin(host)

    def _begin_measured(self) -> None:
        """Begin on measured hosts. The first of them wait for each other, because their median is the reference."""
        if not self._is_timed:
            return
        hosts = [host for host in self._hosts.values() if host.is_known]
        measured = [host for host in hosts if host.node.speed is not None]
        if self._reference_speed is None:
            waits = self._now() - self._measured_since_s < self._parameters.stall_s
            if not measured or (waits and len(measured) < len(self._hosts)):
                return
            self._reference_speed = statistics.median_low(host.node.speed or 0.0 for host in measured)
        for host in measured:
            if not host.is_begun and self._is_even(host, self._reference_speed):
                self._begin(host)

    def _is_even(self, host: _Host, reference: float) -> bool:
        """Set the clocks of a measured host; False if it is left out."""
        node = host.node
        node.reference_speed = reference
        speed = node.speed or 0.0
        share = speed / reference
        if max(share, 1 / max(share, 1e-9)) > self._parameters.most_apart:
            self._leave_out(host, f"its speed is {percent(share)} of the reference, too far from it for clocks")
            return False
        if abs(share - 1) > self._parameters.even:
            node.clock_factor = round(1 / share, 3)
            factor = f"{node.clock_factor:g} times the seconds"
            node.note = f"its speed is {percent(share)} of the reference, so its clocks have {factor}"
        return True

    def _begin(self, host: _Host) -> None:
        host.is_begun = True
        self._tell(host.node)
        self._machines.call(host.machine.id, "begin", self._shipment, host.node.workers, host.node.clock_factor)

    def _lost(self, host: _Host, what: str) -> None:
        """Give up a host that died or does not answer. Its games are played again; its machine is tried again."""
        machine, node = host.machine.id, host.node
        node.failures += 1
        node.note = what
        self._failures[machine] += 1
        if self._failures[machine] >= self._parameters.node_failures:
            self._leave_out(host, f"{what}, {count_of(self._failures[machine], 'time')} in a row")
        else:
            self._play_elsewhere(host)

    def _leave_out(self, host: _Host, why: str) -> None:
        """Play no more games on a machine."""
        host.node.note = why
        self._left_out.add(host.machine.id)
        self._play_elsewhere(host)

    def _play_elsewhere(self, host: _Host) -> None:
        """End a host; its unfinished games are played again, those that lost many hosts excepted."""
        node = host.node
        del self._hosts[host.machine.id]
        self._machines.close(host.machine.id)
        node.games_lost += len(host.given)
        for number, pairing in enumerate(host.given.values()):
            self._losses[pairing.number] += number < node.workers  # the others were waiting
            if (losses := self._losses[pairing.number]) < self._parameters.game_losses:
                self._again.append(pairing)
            else:
                self.unplayed.append(Unplayed(pairing, f"{count_of(losses, 'node')} were lost while they played it"))
        self._tell(node)

    def _tell(self, node: Node) -> None:
        self._changed[id(node)] = node
