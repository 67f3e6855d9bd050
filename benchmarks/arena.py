"""What a game costs beside the thinking: a ply between agents that do not think, and starting one in its process."""

from __future__ import annotations

import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from joute.agents.loading import find_source
from joute.arena.players.isolation import Isolation
from joute.arena.players.players import make_player
from joute.arena.players.sandbox import check_sandbox
from joute.errors import JouteError
from joute.games import new
from joute.match import MoveRecord, play_game
from joute.match.player import LocalPlayer, Player

# What the arena promises.
GOALS_MS = {"in-process": 0.2, "process": 1.0, "sandbox": 1.0}
START_GOAL_MS = 250

AGENT = """
class First:
    def choose(self, state, clock):
        return state.legal_moves[0]
"""


class _Watch:
    """Notes when moves were played."""

    def __init__(self) -> None:
        self.instants: list[float] = []

    def began(self, start_outcomes: tuple[int, ...]) -> None: ...

    def turn(self, player: int, limit_s: float) -> None: ...

    def played(self, move: MoveRecord) -> None:
        self.instants.append(time.perf_counter())


class _First:
    def choose(self, state: object, clock: object) -> object:
        return state.legal_moves[0]  # type: ignore[attr-defined]


def run(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "first.py"
        file.write_text(AGENT)
        print("\nA ply between agents that play their first legal move, and starting such an agent; medians")
        for label in GOALS_MS:
            if label == "sandbox" and not _has_sandbox():
                continue
            _measure(label, file, repeats)


def _has_sandbox() -> bool:
    try:
        check_sandbox()
    except JouteError as error:
        print(f"  {error}")
        return False
    return True


def _measure(label: str, file: Path, repeats: int) -> None:
    plies_s: list[float] = []
    for seed in range(repeats):
        watch = _Watch()
        play_game("connect4", _player(label, file), _player(label, file), seed=seed, clock="60", witness=watch)
        plies_s += [after - before for before, after in pairwise(watch.instants)]
    starts_s, ends_s = [], []
    for _ in range(repeats):
        player = _player(label, file)
        began = time.perf_counter()
        player.begin(new("connect4"), 0, 1)
        ready = time.perf_counter()
        player.end()
        starts_s.append(ready - began)
        ends_s.append(time.perf_counter() - ready)
    ply_ms = 1000 * statistics.median(plies_s)
    verdict = f"goal {GOALS_MS[label]:g} ms: {'reached' if ply_ms < GOALS_MS[label] else 'MISSED'}"
    start_ms, end_ms = (1000 * statistics.median(times) for times in (starts_s, ends_s))
    start_verdict = f"goal {START_GOAL_MS} ms: {'reached' if start_ms <= START_GOAL_MS else 'MISSED'}"
    start = f"start {start_ms:.1f} ms ({start_verdict})"
    print(f"  {label:<12} {ply_ms:>7.3f} ms a ply ({verdict}), {start}, end {end_ms:.1f} ms")


def _player(label: str, file: Path) -> Player:
    if label == "in-process":
        return LocalPlayer(_First(), "first")
    return make_player(find_source(str(file)), "first", "connect4", Isolation(sandbox=label == "sandbox"))
