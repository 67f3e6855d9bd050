"""The referee's own time, a ply: in one process, and across the process boundary.

What is measured is all that a ply costs beyond the agents' thinking: rules, clock, record; across the boundary
also the way to the agent's process and back, with an agent there that answers at once. It is the time of the
trivial agent's whole turn as the referee sees it, so it is an upper bound.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from joute import play_game
from joute.agents.loading import find_source
from joute.arena.isolation import Isolation
from joute.arena.players import make_player
from joute.match.player import Player
from joute.match.record import GameRecord

# What the arena promises, in milliseconds a ply.
_GOALS_MS = {"in one process": 0.2, "across the process boundary": 1.0}

_TRIVIAL = """
def choose(state, clock):
    return state.legal_moves[0]
"""


def run(repeats: int) -> None:
    """Print the medians."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "trivial.py"
        file.write_text(_TRIVIAL)
        outside = make_player(find_source(str(file)), "trivial", "connect4", Isolation())
        inside = [overhead_ms(record) for seed in range(20 * repeats) for record in [_game("random", "random", seed)]]
        across = [turn_ms for seed in range(repeats) for turn_ms in turns_ms(_game(outside, "random", seed))]
    print("\nthe referee's time a ply")
    for name, values in (("in one process", inside), ("across the process boundary", across)):
        median, goal = statistics.median(values), _GOALS_MS[name]
        print(f"  {name:<44} {median:9.3f} ms (goal {goal:g} ms: {'reached' if median <= goal else 'MISSED'})")


def _game(first: str | Player, second: str, seed: int) -> GameRecord:
    return play_game("connect4", first, second, seed=seed, clock="60+1")


def overhead_ms(record: GameRecord) -> float:
    """What the referee took a ply, beyond the agents' thinking."""
    return 1000 * record.overhead_s / len(record.moves)


def turns_ms(record: GameRecord) -> list[float]:
    """The first player's turns, with their share of the referee's own time."""
    return [1000 * move.time_s + overhead_ms(record) for move in record.moves if move.player == 0]
