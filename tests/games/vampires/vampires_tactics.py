"""Positions of Vampires vs Werewolves in which it is known what is right, from every side and for both species."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute import Clock, agent, new

#: The plies of the official rules; for the other species, a game is one ply later, and may last one ply longer.
_PLIES = 200
_SYMMETRIES = 8
_SWAPPED = str.maketrans("vw", "wv")


@dataclass(frozen=True)
class Tactic:
    """A position, and what is right there: one of some turns, or any that leaves the mover's units off some cells."""

    name: str
    position: str
    why: str
    right: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()
    judge: str = "report"  # the generator of turns that the right one is among

    @property
    def state(self) -> Any:
        return new("vampires", self.position)

    def is_right(self, move: Any) -> bool:
        """Whether a legal turn is right."""
        state = self.state
        if self.right:
            return str(move) in self.right
        after = state.play(move)
        if after.is_chance:
            return False
        own = state.species(state.to_move)
        return not any(species == own and f"{x}.{y}" in self.clear for x, y, species, _ in after.cells)

    def is_solved_by(self, spec: str, *, symmetry: int = 0, swapped: bool = False) -> bool:
        """Whether an agent plays what is right, seen from another side, or as the other species."""
        state = self.state.transformed(symmetry)
        if swapped:
            size, cells, *ply = state.position.split("/")
            later = int(ply[0] if ply else 0) + 1
            state = new(f"vampires:plies={_PLIES + 1}", f"{size}/{cells.translate(_SWAPPED)}/{later}")
        turn = agent(spec, game="vampires").choose(state, Clock())
        orders = [_seen_from(order, self.state, symmetry) for order in turn.orders]
        return self.is_right(self.state.turn(orders))


def _seen_from(order: tuple[int, int, int, int, int], state: Any, symmetry: int) -> tuple[int, int, int, int, int]:
    """An order on the turned board as it is on the board itself.

    A symmetry swaps columns and rows (4), then mirrors left and right (1), then top and bottom (2).
    """
    rows, columns = (state.columns, state.rows) if symmetry & 4 else (state.rows, state.columns)

    def back(x: int, y: int) -> tuple[int, int]:
        y = rows - 1 - y if symmetry & 2 else y
        x = columns - 1 - x if symmetry & 1 else x
        return (y, x) if symmetry & 4 else (x, y)

    x, y, count, to_x, to_y = order
    return (*back(x, y), count, *back(to_x, to_y))


def _load() -> tuple[Tactic, ...]:
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    return tuple(
        Tactic(**(entry | {key: tuple(turns) for key, turns in entry.items() if isinstance(turns, list)}))
        for entry in data["tactic"]
    )


TACTICS = _load()


def solved(spec: str) -> dict[str, int]:
    """Of the sixteen views of each tactic, how many an agent solves."""
    return {
        tactic.name: sum(
            tactic.is_solved_by(spec, symmetry=symmetry, swapped=swapped)
            for symmetry in range(_SYMMETRIES)
            for swapped in (False, True)
        )
        for tactic in TACTICS
    }
