"""Self-play: the seam between the training loop and the processes that play its games.

`Pools` plays them here. `joute.train.cluster` plays them on the machines of a cluster, where every actor has `Pools`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import torch

from joute._core import SelfPlayOptions
from joute.arena.pool.node import Node
from joute.games import State
from joute.train.inference import Inference
from joute.train.matches import starts_of
from joute.train.network import Network
from joute.train.parameters import TrainParameters
from joute.train.progress import Counters

# Seconds for the measurement of the bare rate.
_BARE_SECONDS = {"cuda": 1.0, "cpu": 0.2}


class Searches(NamedTuple):
    """The settings of searches that change during a run."""

    #: Simulations of full searches, and of fast ones.
    simulations: tuple[int, int]
    repetition_penalty: float


class SelfPlay(Protocol):
    """Plays the games of a run."""

    @property
    def shape(self) -> Any:
        """An object with the shapes of a batch, which the network must fit."""

    @property
    def counters(self) -> Counters:
        """Counts of the play so far; steps and samples are 0."""

    @property
    def nodes(self) -> Sequence[Node]:
        """The machines of a cluster that play; none if this process plays."""

    def begin(self, network: Network, steps: int) -> None:
        """Get ready to play with a network of so many learner steps."""

    def bare_rate(self) -> float:
        """The rate at which the network evaluates batches with nothing else to do; 0 if it is not known."""

    def turn(self, due: int) -> bytes:
        """Go on for a moment and return the records of games that ended. `due`: the learner steps that wait."""

    def pause(self) -> bytes:
        """Wait until nothing runs and return the records of games that ended; `turn` goes on."""

    def refresh(self, network: Network, steps: int) -> None:
        """Play with the weights of another network from now on."""

    def save(self) -> list[bytes]:
        """The games in progress, after `pause`; their searches begin anew."""

    def load(self, saved: Sequence[bytes]) -> bool:
        """Go on with saved games; False if games begin anew instead."""

    def facts(self) -> Mapping[str, Any]:
        """Facts about a cluster since the last call, for a line of the progress."""

    def close(self) -> None:
        """End all games."""


class Pools:
    """Pools of games in this process: while the network evaluates the batch of one, threads advance another.

    `first`: the number of the first pool, from which its random numbers follow. Every game records the learner steps of
    the network that began it if `records_steps`.
    """

    nodes: Sequence[Node] = ()

    def __init__(
        self,
        start: State,
        parameters: TrainParameters,
        *,
        searches: Callable[[], Searches],
        device: torch.device,
        first: int = 0,
        records_steps: bool = False,
    ) -> None:
        kind: Any = type(start)
        starts = starts_of(start, parameters)
        self._pools = [
            kind.self_play(SelfPlayOptions(**parameters.self_play(kind, number)), start.rules, starts)
            for number in range(first, first + parameters.pools)
        ]
        self._batch, self._searches, self._device = parameters.games, searches, device
        self._steps = 0
        self._records_steps = records_steps
        self._inference: Inference
        self._asked = [False] * len(self._pools)
        #: The pool whose threads run, or None.
        self._running: int | None = None

    @property
    def shape(self) -> Any:
        """The first pool."""
        return self._pools[0]

    @property
    def counters(self) -> Counters:
        """Counts of the play so far, unfinished games included."""
        names = ("games", "plies", "positions", "evaluations", "simulations")
        return Counters(**{name: sum(getattr(pool, name) for pool in self._pools) for name in names})

    def begin(self, network: Network, steps: int) -> None:
        """Get ready to play with a network of so many learner steps."""
        pool = self._pools[0]
        self._inference = Inference(
            network,
            batch=self._batch,
            width=pool.width,
            parts=pool.parts,
            slots=len(self._pools),
            device=self._device,
        )
        self._steps = steps
        for pool, slot in zip(self._pools, self._inference.slots, strict=True):
            pool.attach(*slot.arrays)

    def bare_rate(self) -> float:
        """The rate of the network alone. No batch may be in flight."""
        return self._inference.bare_rate(_BARE_SECONDS[self._device.type])

    def turn(self, due: int = 0) -> bytes:
        """Launch the batch of one pool on the network and start the threads on the next pool."""
        if self._running is None:
            self._start(0)
        place = self._running or 0
        pool = self._pools[place]
        after = (place + 1) % len(self._pools)
        pool.wait()
        if after == place:
            self._launch(place)
        if self._asked[after]:
            self._inference.wait(self._inference.slots[after])
        self._start(after)
        if after != place:
            self._launch(place)
        return bytes(pool.take_games())

    def pause(self) -> bytes:
        """Wait until all pools and batches are done."""
        for pool in self._pools:
            pool.wait()
        for slot, asked in zip(self._inference.slots, self._asked, strict=True):
            if asked:
                self._inference.wait(slot)
        self._asked = [False] * len(self._pools)
        self._running = None
        return b"".join(pool.take_games() for pool in self._pools)

    def refresh(self, network: Network, steps: int) -> None:
        """Play with the weights of another network from the next batch on."""
        self._inference.refresh(network)
        self._steps = steps

    def save(self) -> list[bytes]:
        """The games in progress of each pool."""
        self._set(*self._pools)  # for the searches that begin anew
        return [pool.save() for pool in self._pools]

    def load(self, saved: Sequence[bytes]) -> bool:
        """Go on with the saved games of each pool."""
        self._set(*self._pools)
        for pool, games in zip(self._pools, saved, strict=True):
            pool.load(games)
        return True

    def facts(self) -> Mapping[str, Any]:
        """None: there is no cluster."""
        return {}

    def close(self) -> None:
        """Release the pools, whose threads end with them."""
        for pool in self._pools:
            pool.wait()
        self._pools = []

    def _start(self, place: int) -> None:
        self._set(self._pools[place])
        self._pools[place].start()
        self._running = place

    def _launch(self, place: int) -> None:
        self._inference.launch(self._inference.slots[place])
        self._asked[place] = True

    def _set(self, *pools: Any) -> None:
        """Set what changes during a run, of pools that are not running."""
        searches = self._searches()
        for pool in pools:
            pool.set_simulations(*searches.simulations)
            pool.set_repetition_penalty(searches.repetition_penalty)
            if self._records_steps:
                pool.set_version(self._steps)
