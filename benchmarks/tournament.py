"""Games through the whole driver of a tournament, and what limits their number."""

from __future__ import annotations

import itertools
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import rates, show
from joute.arena.plan import make_plan
from joute.arena.tournament import Tournament
from joute.match import play_game

_GOAL_S = 0.2e-3
_GAMES = 500


def run(repeats: int) -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk, which /tmp may not be
        overheads_s: list[float] = []
        medians = rates(
            repeats,
            {
                "joute tournament, one worker": _tournament(Path(folder), overheads_s),
                "play_game, nothing stored": _plain,
                "flushes of the disk": _flushes(Path(folder)),
            },
        )
    overhead_s = statistics.median(overheads_s)
    print("\nThe runner's own time a ply, built-in agents in a worker, median of all games")
    verdict = "reached" if overhead_s < _GOAL_S else "MISSED"
    print(f"  {'Connect Four, random against random':<44} {1e6 * overhead_s:>7.1f} µs (goal 200 µs: {verdict})")
    show("Games of random against random through the whole driver", "games", medians)


def _tournament(folder: Path, overheads_s: list[float]) -> Callable[[], int]:
    names = itertools.count()
    plan = make_plan("connect4", ["random", "random"], games=_GAMES, openings="start", concurrency=1)

    def play() -> int:
        with Tournament.create(plan, folder / f"{next(names)}.db") as tournament:
            overheads_s.append(tournament.play().overhead_s or 0.0)
        return _GAMES

    return play


def _plain() -> int:
    for seed in range(_GAMES):
        play_game("connect4", "random", "random", seed=seed)
    return _GAMES


def _flushes(folder: Path) -> Callable[[], int]:
    def flush() -> int:
        with open(folder / "flushed", "wb", buffering=0) as file:
            for _ in range(50):
                file.write(bytes(4096))
                os.fdatasync(file.fileno())
        return 50

    return flush
