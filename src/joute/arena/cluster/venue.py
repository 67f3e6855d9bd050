"""A cluster as the place where games are played, beside this machine (`joute.arena.pool.venue`)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from joute.agents.loading import Source
from joute.arena.cluster.driver import ClusterGames
from joute.arena.cluster.machines import Machines
from joute.arena.plan import Plan, threads_of


class ClusterVenue:
    """The machines of a cluster."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines

    def workers(self, sources: Sequence[Source], wanted: int, most: int | None) -> tuple[int, str]:
        """The number of games in parallel on the machines that are present now."""
        if any(source.kind == "remote" for source in sources):
            return 1, "one game at a time: a server plays only one game at once"
        threads = max(map(threads_of, sources))
        fitting = sum(machine.cores // threads for machine in self._machines.present())
        return min(fitting, wanted or fitting, most or fitting), ""

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
    ) -> ClusterGames:
        """Begin to play a plan, also on machines that join later; `wanted` limits the games in parallel.

        `private_files` stay on this machine, so nothing has to be hidden.
        """
        return ClusterGames(
            self._machines,
            plan,
            sources,
            openings,
            wanted,
            keep_alive=keep_alive,
            reference_speed=reference_speed,
        )


@contextlib.contextmanager
def cluster_at(address: str) -> Iterator[ClusterVenue]:
    """The Ray cluster at an address; JouteError as of `ray_machines.connected`."""
    from joute.arena.cluster.ray_machines import connected

    with connected(address) as machines:
        yield ClusterVenue(machines)
