"""Where games are played: the seam between those who need games played and the processes that play them.

`HERE` plays them in worker processes on this machine. `joute.arena.cluster` plays them on the nodes of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, Self

from joute.agents.loading import Source
from joute.arena.plan import Plan
from joute.arena.pool.blame import Unplayed
from joute.arena.pool.cores import worker_count
from joute.arena.pool.node import Node
from joute.arena.pool.pool import Finished, Pool, Running
from joute.arena.schedules.schedule import Pairing


class Games(Protocol):
    """Plays the games of a plan, as `Pool` does."""

    #: The games that were given up.
    unplayed: list[Unplayed]

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def play(self, pairings: Iterator[Pairing | None]) -> Iterator[list[Finished]]:
        """Play games and yield those that end, as `Pool.play` does."""

    def running(self) -> list[Running]:
        """The games that are being played, as far as they are known here."""

    def changed_nodes(self) -> list[Node]:
        """The nodes whose facts changed since the last call; none if games are played here."""


class Venue(Protocol):
    """A place where games are played."""

    def workers(self, sources: Sequence[Source], wanted: int, most: int | None) -> tuple[int, str]:
        """The number of games in parallel, and a warning or "", as `worker_count` gives them."""

    def open(
        self,
        plan: Plan,
        sources: tuple[Source, ...],
        openings: tuple[str, ...],
        workers: int,
        private_files: Sequence[Path],
        *,
        wanted: int = 0,
        keep_alive: bool = False,
        reference_speed: float | None = None,
    ) -> Games:
        """Begin to play a plan. The arguments are those of `Pool`.

        `workers` is what the method of that name gave, and `wanted` what the user asked for, 0 for no limit.
        `reference_speed`: the speed that the clocks of an earlier session refer to.
        """


class _Here:
    """This machine."""

    def workers(self, sources: Sequence[Source], wanted: int, most: int | None) -> tuple[int, str]:
        return worker_count(sources, wanted, most)

    def open(
        self,
        plan: Plan,
        sources: tuple[Source, ...],
        openings: tuple[str, ...],
        workers: int,
        private_files: Sequence[Path],
        *,
        wanted: int = 0,
        keep_alive: bool = False,
        reference_speed: float | None = None,
    ) -> Pool:
        return Pool(plan, sources, openings, workers, private_files, keep_alive=keep_alive)


#: This machine, as a venue.
HERE: Venue = _Here()
