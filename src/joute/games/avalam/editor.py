"""Edits Avalam positions: brushes put a tower of a colour and a height on a cell. Drafts are positions' texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from joute import _core
from joute.games.avalam.state import Avalam
from joute.games.editor import Brush, EditError, Editor, drawn_as, spots
from joute.games.scene import Area, Scene

_SIZE, _HIGHEST = 9, 5
_START = _core.Avalam()
#: The cells (row, column) in the order of a position's text.
_CELLS = [(row, column) for row in range(_SIZE) for column in range(_SIZE) if _START.tower_at(row, column)]
_NAMES = [f"{'abcdefghi'[column]}{row + 1}" for row, column in _CELLS]
_ROWS = [sum(row == each for each, _ in _CELLS) for row in range(_SIZE)]
_DRAFT = re.compile("/".join(f"[.A-Ea-e]{{{length}}}" for length in _ROWS))
_TOWERS = "ABCDE", "abcde"


@dataclass(frozen=True)
class _Board:
    """A draft with the members of a position that its drawing reads."""

    position: str
    title: str = Avalam.title
    status: str = "a position that is being edited"
    is_terminal: bool = False

    @cached_property
    def _heights(self) -> Mapping[tuple[int, int], int]:
        """The towers by cell, negative for the second player."""
        found = {}
        for cell, letter in zip(_CELLS, self.position.replace("/", ""), strict=True):
            player = 1 if letter.islower() else 0
            found[cell] = 0 if letter == "." else (_TOWERS[player].index(letter) + 1) * (1 - 2 * player)
        return found

    @cached_property
    def _merges(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """The pairs of neighbours that can merge."""
        heights = self._heights
        return [
            ((row, column), (row + down, column + across))
            for (row, column), height in heights.items()
            for down in (-1, 0, 1)
            for across in (-1, 0, 1)
            if (down or across) and height and (other := heights.get((row + down, column + across), 0))
            if abs(height) + abs(other) <= _HIGHEST
        ]

    @property
    def legal_moves(self) -> list[str]:
        return [_name(*source) + _name(*target) for source, target in self._merges]

    @property
    def partners(self) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(sum(source == (row, column) for source, _ in self._merges) for column in range(_SIZE))
            for row in range(_SIZE)
        )

    @property
    def towers(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(self.tower_at(row, column) for column in range(_SIZE)) for row in range(_SIZE))

    def tower_at(self, row: int, column: int) -> int:
        return self._heights.get((row, column), 0)


class AvalamEditor(Editor):
    """A brush for each colour and height."""

    def empty(self) -> str:
        """The board without towers."""
        return "/".join("." * length for length in _ROWS)

    def brushes(self, draft: str) -> tuple[Brush, ...]:
        """A tower of each colour and height, and one that takes towers away."""
        places = spots(_AREAS.items())
        taken = spots((name, _AREAS[name]) for name, tower in zip(_NAMES, _checked(draft), strict=True) if tower != ".")
        return (
            *(
                Brush(letter, f"{player} tower of {height}", places, "e3")
                for player, letters in zip(self.start.players, _TOWERS, strict=True)
                for height, letter in enumerate(letters, start=1)
            ),
            Brush(".", "remove", taken),
        )

    def paint(self, draft: str, brush: str, spot: str, amount: int) -> str:
        """Put a tower on a cell."""
        towers = list(_checked(draft))
        towers[_NAMES.index(spot)] = brush
        rest = iter(towers)
        return "/".join("".join(next(rest) for _ in range(length)) for length in _ROWS)

    def drawing(self, draft: str) -> Scene:
        """The board with these towers, whose counters may not number 48."""
        _checked(draft)
        return drawn_as(Avalam, _Board(draft))


def _name(row: int, column: int) -> str:
    return _NAMES[_CELLS.index((row, column))]


def _checked(draft: str) -> str:
    """The characters of the cells."""
    if not _DRAFT.fullmatch(draft):
        raise EditError("a draft has the 48 cells of a position, row by row: A to E, a to e or '.'")
    return draft.replace("/", "")


def _areas() -> dict[str, Area]:
    """The area of each cell: every tower can move at the start."""
    found = {target.move[:2]: target.source for target in Avalam().scene().targets if target.source is not None}
    return {name: found[name] for name in _NAMES}


_AREAS: dict[str, Area] = _areas()
