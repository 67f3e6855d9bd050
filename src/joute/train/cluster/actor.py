"""Self-play on one core of a node, for a driver elsewhere.

The driver calls the methods over the network, several at a time. A thread plays as a run on one machine does, with the
newest network that came.
"""

from __future__ import annotations

import importlib.util
import threading
import time
from dataclasses import dataclass, field

from joute.arena.cluster.guard import Guard
from joute.arena.cluster.software import Software, software
from joute.errors import JouteError, described
from joute.games import new
from joute.train.checkpoint import records, steps_of, unpack_model
from joute.train.parameters import TrainParameters
from joute.train.progress import Counters


@dataclass(frozen=True)
class Job:
    """The game that an actor plays, and how."""

    game: str
    parameters: TrainParameters
    #: The number of the actor, from which its random numbers follow.
    number: int


@dataclass(frozen=True)
class Weights:
    """A network, and how to search with it."""

    #: Its learner steps.
    steps: int
    #: See `pack_model`.
    model: bytes
    #: See `Searches`.
    simulations: tuple[int, int]
    repetition_penalty: float


@dataclass(frozen=True)
class Games:
    """Finished games that the same network began."""

    #: Its learner steps.
    steps: int
    count: int
    records: bytes


@dataclass(frozen=True)
class Answer:
    """News of an actor since its last answer."""

    games: tuple[Games, ...] = ()
    #: What it played, unfinished games included.
    counters: Counters = field(default_factory=Counters)
    #: Seconds for which it played.
    seconds: float = 0.0
    #: Why it can play no more; "" while it can.
    problem: str = ""


class Actor:
    """The games of one core."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._games: list[bytes] = []
        self._counters = Counters()
        self._seconds = 0.0
        self._problem = ""
        self._newest: Weights | None = None
        self._ends = False
        self._thread: threading.Thread | None = None
        self._last_answer_s = 0.0

    def software(self) -> Software:
        """Return the software of this node."""
        return software()

    def begin(self, job: Job, weights: Weights) -> None:
        """Begin to play; JouteError if this node cannot."""
        if importlib.util.find_spec("torch") is None:
            raise JouteError("PyTorch is not installed there")
        self._thread = threading.Thread(target=self._play, args=(job, weights), daemon=True)
        self._thread.start()

    def refresh(self, weights: Weights) -> None:
        """Play with another network from now on."""
        with self._changed:
            self._newest = weights

    def take(self, beat_s: float, batch_s: float) -> Answer:
        """Return the news since the last answer.

        It waits at most `beat_s` for games, and at least `batch_s` between answers.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._games or self._problem, beat_s)
            while (wait_s := self._last_answer_s + batch_s - time.monotonic()) > 0 and not self._problem:
                self._changed.wait(wait_s)
            self._last_answer_s = time.monotonic()
            games, self._games = b"".join(self._games), []
            answer = Answer(by_network(games), self._counters, self._seconds, self._problem)
            self._counters, self._seconds = Counters(), 0.0
            self._changed.notify_all()
            return answer

    def end(self) -> None:
        """Stop to play."""
        with self._changed:
            self._ends = True
            self._changed.notify_all()
        if self._thread:
            self._thread.join()

    def _play(self, job: Job, weights: Weights) -> None:
        try:
            self._play_with(job, weights)
        except Exception as error:
            with self._changed:
                self._problem = str(error) if isinstance(error, JouteError) else described(error)
                self._changed.notify_all()

    def _play_with(self, job: Job, weights: Weights) -> None:
        import torch

        from joute.train.network import Network, design_of
        from joute.train.self_play import Pools, Searches

        torch.set_num_threads(1)
        start, parameters = new(job.game), job.parameters
        pools = Pools(
            start,
            parameters,
            searches=lambda: Searches(weights.simulations, weights.repetition_penalty),
            device=torch.device("cpu"),
            first=job.number,
            records_steps=True,
        )
        network = Network(design_of(pools.shape, parameters, start), margin_scale=parameters.margin_scale).eval()
        network.load_state_dict(unpack_model(weights.model))
        pools.begin(network, weights.steps)
        before = Counters()
        while self._may_go_on(parameters.most_ahead):
            if newest := self._take_newest():
                weights = newest
                network.load_state_dict(unpack_model(weights.model))
                pools.refresh(network, weights.steps)
            began_s = time.monotonic()
            games, now = pools.turn(), pools.counters
            with self._changed:
                self._games += [games] if games else []
                self._counters += now - before
                self._seconds += time.monotonic() - began_s
                self._changed.notify_all()
            before = now
        pools.close()

    def _may_go_on(self, most_ahead: int) -> bool:
        """Wait while the driver takes no games; False at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._ends or self._counters.positions < most_ahead)
            return not self._ends

    def _take_newest(self) -> Weights | None:
        """A network that came since the last call."""
        with self._changed:
            newest, self._newest = self._newest, None
            return newest


class GuardedActor(Guard, Actor):
    """An actor on a node that asks for a token."""


def by_network(games: bytes) -> tuple[Games, ...]:
    """Finished games, grouped by the network that began them."""
    groups: dict[int, list[bytes]] = {}
    for record in records(games):
        groups.setdefault(steps_of(record), []).append(record)
    return tuple(Games(steps, len(group), b"".join(group)) for steps, group in groups.items())
