"""Which cores a tournament uses: never more agents thinking at once than there are cores, unless asked."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

from joute.agents.loading import Source
from joute.arena.plan import threads_of
from joute.system import usable_cores


def worker_count(sources: Sequence[Source], wanted: int, most: int | None = None) -> tuple[int, str]:
    """How many games are played at once, and a sentence where that is more than there are cores for.

    One side of a game thinks at a time, so a game needs as many cores as its hungriest agent has threads. A server
    is one agent, which cannot tell the games of several referees apart.
    """
    cores = len(usable_cores())
    threads = max(map(threads_of, sources))
    fitting = max(1, cores // threads)
    workers = min(wanted or fitting, most or sys.maxsize)
    if workers > 1 and any(source.kind == "remote" for source in sources):
        return 1, "one game at a time: a server plays no more"
    if workers * threads <= cores:
        return workers, ""
    games = f"{workers} game{'s' * (workers != 1)} at once"
    what = f"{games} with agents of {threads} threads" if threads > 1 else games
    return workers, f"{what}, but {cores} core{'s' * (cores != 1)}: agents wait for each other, and times are not fair"


def core_shares(workers: int) -> list[tuple[int, ...]]:
    """The cores of each worker: a share of its own, or all where there are more workers than cores.

    A share may be larger than a game needs. So two tournaments on one machine do not crowd on its first core.
    """
    cores = usable_cores()
    if workers > len(cores):
        return [tuple(cores)] * workers
    bounds = [len(cores) * index // workers for index in range(workers + 1)]
    return [tuple(cores[low:high]) for low, high in itertools.pairwise(bounds)]


def memory_kills() -> int:
    """How many processes the kernel has killed for want of memory since it started."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
