"""Allocation of CPU cores: by default, no more search threads run in parallel than there are cores."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence

from joute.agents.loading import Source
from joute.arena.plan import threads_of
from joute.system import usable_cores


def worker_count(sources: Sequence[Source], wanted: int, most: int | None = None) -> tuple[int, str]:
    """The number of games to play in parallel, and a warning if they need more cores than there are.

    `wanted` 0 means as many as the cores allow; `most` is the largest possible number of games. Only one side thinks at
    a time, so a game needs as many cores as the agent with the most threads has threads. With an agent on a server,
    games are played one at a time, because a server cannot distinguish the games of several referees.
    """
    cores = len(usable_cores())
    threads = max(map(threads_of, sources))
    fitting = max(1, cores // threads)
    workers = min(wanted or fitting, most or sys.maxsize)
    if workers > 1 and any(source.kind == "remote" for source in sources):
        return 1, "one game at a time: a server plays only one game at once"
    if workers * threads <= cores:
        return workers, ""
    games = f"{workers} game{'s' * (workers != 1)} at once"
    what = f"{games} with agents of {threads} threads" if threads > 1 else games
    return workers, f"{what}, but {cores} core{'s' * (cores != 1)}: agents wait for each other, and times are not fair"


def core_shares(workers: int) -> list[tuple[int, ...]]:
    """The cores of each worker: disjoint shares of all cores, or all cores each if there are more workers than cores.

    The shares cover all cores even if the games need fewer: if each tournament bound itself to the cores it needs, two
    on one machine would take the same ones.
    """
    cores = usable_cores()
    if workers > len(cores):
        return [tuple(cores)] * workers
    bounds = [len(cores) * index // workers for index in range(workers + 1)]
    return [tuple(cores[low:high]) for low, high in itertools.pairwise(bounds)]
