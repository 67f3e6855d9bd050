"""Edits Connect Four positions: a click drops a disc into a column, or takes its top disc away.

A position's text is a sequence of columns, which few boards on the way to a legal one have. A draft therefore lists the
discs of the columns from below, ``x`` for the first player and ``o`` for the second: ``xo/x/////``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from joute import _core
from joute.errors import NotationError
from joute.games.connect4.state import Connect4
from joute.games.editor import Brush, EditError, Editor, drawn_as, spots
from joute.games.scene import Area, Scene
from joute.games.state import State
from joute.numbers import count_of

_COLUMNS, _ROWS = 7, 6
_COLUMN_BITS = _ROWS + 1
_LETTERS = "xo"
_DRAFT = re.compile(rf"[xo]{{0,{_ROWS}}}(?:/[xo]{{0,{_ROWS}}}){{{_COLUMNS - 1}}}")
_DISCS = {"first": "x", "second": "o"}


@dataclass(frozen=True)
class _Board:
    """A draft with the members of a position that its drawing reads."""

    columns: list[str]
    title: str = Connect4.title
    status: str = "a position that is being edited"
    legal_moves: tuple[Any, ...] = ()

    @property
    def heights(self) -> tuple[int, ...]:
        return tuple(map(len, self.columns))

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(self.disc_at(column, row) for row in range(_ROWS)) for column in range(_COLUMNS))

    def disc_at(self, column: int, row: int) -> int:
        discs = self.columns[column]
        return _LETTERS.index(discs[row]) if row < len(discs) else -1


class Connect4Editor(Editor):
    """Brushes drop discs."""

    def draft(self, state: State) -> str:
        """The columns of a position."""
        assert isinstance(state, Connect4)
        return "/".join("".join(_LETTERS[owner] for owner in column if owner >= 0) for column in state.cells)

    def empty(self) -> str:
        """The empty board."""
        return "/" * (_COLUMNS - 1)

    def position(self, draft: str) -> str:
        """Moves that lead to these discs; NotationError if there are none."""
        columns = _columns(draft)
        first, second = (sum(column.count(letter) for column in columns) for letter in _LETTERS)
        if first - second not in (0, 1):
            raise NotationError(
                f"the first player has {count_of(first, 'disc')} and the second {second}, but they take turns"
            )
        discs = tuple(
            sum(
                1 << (_COLUMN_BITS * column + row)
                for column, discs in enumerate(columns)
                for row, owner in enumerate(discs)
                if owner == letter
            )
            for letter in _LETTERS
        )
        order = _core.connect4_order((discs[0], discs[1]))
        if order is None:
            raise NotationError("no game leads to these discs: players take turns, and four in a row ends the game")
        return order

    def brushes(self, draft: str) -> tuple[Brush, ...]:
        """A disc of each player, and one that takes discs away; they paint columns."""
        columns = _columns(draft)
        places = [(target.move, Area(target.x, target.y, target.width, target.height)) for target in _TARGETS]
        open_columns = spots((name, area) for name, area in places if len(columns[int(name) - 1]) < _ROWS)
        filled = spots((name, area) for name, area in places if columns[int(name) - 1])
        first, second = self.start.players
        return (
            Brush("first", f"disc of {first}", open_columns, "4", shown=_CELL),
            Brush("second", f"disc of {second}", open_columns, "4", shown=_CELL),
            Brush("remove", "remove", filled),
        )

    def paint(self, draft: str, brush: str, spot: str, amount: int) -> str:
        """Drop a disc into a column, or take its top disc away."""
        columns = _columns(draft)
        at = int(spot) - 1
        columns[at] = columns[at][:-1] if brush == "remove" else columns[at] + _DISCS[brush]
        return "/".join(columns)

    def drawing(self, draft: str) -> Scene:
        """The board with these discs."""
        return drawn_as(Connect4, _Board(_columns(draft)))


_TARGETS = Connect4().scene().targets
_CELL = _TARGETS[3].place  # into which a disc falls that is dropped into column 4 of an empty board


def _columns(draft: str) -> list[str]:
    if not _DRAFT.fullmatch(draft):
        raise EditError(f"the draft must have {_COLUMNS} columns of at most {_ROWS} discs, x or o")
    return draft.split("/")
