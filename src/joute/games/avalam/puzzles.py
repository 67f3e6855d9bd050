"""The puzzles of Avalam: endings in which one move wins, by towers or by fives."""

import functools
from dataclasses import replace
from pathlib import Path
from typing import cast

from joute.agents import Analyst, agent
from joute.games.state import State
from joute.learn.puzzles import PuzzleSet, Solution, only_winning_move

_NODES = 2_000_000
# With fewer moves to choose from, there is nothing to find.
_FEWEST_MOVES = 6


@functools.cache
def _solver() -> Analyst:
    return cast(Analyst, agent(f"avalam-solver:nodes={_NODES},memory_mb=64", game="avalam"))


def solve(state: State) -> Solution | None:
    """Return the only winning move, with best play to the end."""
    if len(state.legal_moves) < _FEWEST_MOVES:
        return None
    found = only_winning_move(state, _solver())
    if found is None:
        return None
    return replace(found, kind="fives" if "fives" in found.proof else "towers")


PUZZLES = PuzzleSet(
    solve=solve,
    players=("level:5", "level:6", "level:7", "level:8"),
    plies=(24, 34),
    levels=(2, 4, 6, 8),
    check="checked by the exact solver: one move wins, all others draw or lose",
    file=Path(__file__).with_name("data") / "puzzles.toml",
)
