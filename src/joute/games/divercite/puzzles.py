"""The puzzles of Divercité: endings in which one move wins, with a city, with a resource, or by the tie-break."""

import functools
from dataclasses import replace
from pathlib import Path
from typing import cast

from joute.agents import Analyst, agent
from joute.games.state import State
from joute.learn.puzzles import PuzzleSet, Solution, only_winning_move

_NODES = 3_000_000
_FEWEST_MOVES = 6


@functools.cache
def _solver() -> Analyst:
    return cast(Analyst, agent(f"divercite-solver:nodes={_NODES},memory_mb=64", game="divercite"))


def solve(state: State) -> Solution | None:
    """Return the only winning move, with best play to the end."""
    if len(state.legal_moves) < _FEWEST_MOVES:
        return None
    found = only_winning_move(state, _solver())
    if found is None:
        return None
    kind = "city" if found.line[0][0].isupper() else "resource"
    return replace(found, kind=kind if "by points" in found.proof else "tie")


PUZZLES = PuzzleSet(
    solve=solve,
    players=("level:6", "level:8", "level:10", "level:11"),
    plies=(29, 37),
    levels=(2, 5, 8, 11),
    check="checked by the exact solver: one move wins, all others lose",
    file=Path(__file__).with_name("data") / "puzzles.toml",
)
