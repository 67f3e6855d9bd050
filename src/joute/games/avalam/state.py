"""Avalam in Python: its name and its drawing; the rules are core/games/avalam/avalam.hpp."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from joute import _core
from joute.games.board import TextBoard
from joute.games.scene import BOARD, INK, RED, YELLOW, Area, Disc, Pile, Rect, Scene, Shape, Target, coordinate
from joute.games.state import NativeState

_SIZE = 9
# Binary fractions: their sums are exact.
_LEFT = 0.625  # room for the coordinates
_RIM = 0.125  # of the board around its cells
_GAP = 0.03125  # between a cell and its edge

# Colours of a cell: its tower can still move, cannot move, or is complete (height 5).
_OPEN, _FROZEN, _FULL = "#3a619b", "#9db4d6", INK
_HOLE = "#24426e"


# The cells in the order of a position's text. Every cell has a tower at the start.
_CELLS = tuple(
    f"{chr(ord('a') + column)}{row + 1}"
    for row in range(_SIZE)
    for column in range(_SIZE)
    if _core.Avalam().tower_at(row, column)
)


def _corner(name: str) -> tuple[float, float]:
    """Return the top left corner of a cell such as ``c1``."""
    return _LEFT + ord(name[0]) - ord("a"), _RIM + int(name[1]) - 1


def _bar(first: str, last: str) -> Rect:
    """Return the board under the cells from `first` to `last`, with its rim."""
    (left, top), (right, bottom) = _corner(first), _corner(last)
    return Rect(left - _RIM, top - _RIM, right - left + 1 + 2 * _RIM, bottom - top + 1 + 2 * _RIM, BOARD, 0.3)


def _bars(lines: Iterable[Sequence[str]]) -> Iterator[Rect]:
    """Yield the board under each unbroken run of cells."""
    for line in lines:
        run: list[str] = []
        for name in (*line, ""):
            if name in _CELLS:
                run.append(name)
            elif run:
                yield _bar(run[0], run[-1])
                run = []


_ROWS = [[f"{letter}{row}" for letter in "abcdefghi"] for row in range(1, _SIZE + 1)]
# Bars along rows and columns: rows alone would leave notches.
_GROUND: tuple[Shape, ...] = (
    *_bars(_ROWS),
    *_bars(zip(*_ROWS, strict=True)),
    *(coordinate(_corner(name)[0] + 0.5, _RIM + _SIZE + 0.4, name[0]) for name in _ROWS[0]),
    *(coordinate(_LEFT / 2 - 0.05, _corner(row[0])[1] + 0.5, row[0][1]) for row in _ROWS),
)


class Avalam(_core.Avalam, NativeState):
    """An Avalam position. A move names two cells, ``c1d1``; a position's text lists the 48 cells, row by row."""

    __slots__ = ()
    game: ClassVar[str] = "avalam"
    title: ClassVar[str] = "Avalam"
    flips: ClassVar[bool] = True
    players: ClassVar[tuple[str, str]] = ("yellow", "red")
    colours: ClassVar[tuple[str, str]] = (YELLOW, RED)
    opening_plies: ClassVar[int] = 4

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.avalam.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw towers as piles with their height; a ring marks the cells of the last move.

        A cell is blue while its tower can move, pale once it is frozen, and dark under a tower of five.
        """
        moves = [str(move) for move in self.legal_moves]
        movable = {move[:2] for move in moves}
        last = str(self.parse_move(str(last_move))) if last_move is not None else ""
        shapes: list[Shape] = list(_GROUND)
        for name, tower in zip(_CELLS, self.position.replace("/", ""), strict=True):
            shapes += _cell(name, tower, name in movable, name in (last[:2], last[2:]))
        return Scene(
            _LEFT + _SIZE + _RIM,
            _RIM + _SIZE + 0.8,
            tuple(shapes),
            tuple(map(_target, moves)),
            title=f"{self.title}, {self.status}",
        )


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _cell(name: str, tower: str, movable: bool, highlight: bool) -> tuple[Shape, Shape]:
    """Return the shapes of a cell and its tower; `tower` is its character in a position's text."""
    left, top = _corner(name)
    x, y = left + 0.5, top + 0.5
    height = 0 if tower == "." else ord(tower.lower()) - ord("a") + 1
    fill = _OPEN if movable or not height else _FULL if height == 5 else _FROZEN
    ground = Rect(left + _GAP, top + _GAP, 1 - 2 * _GAP, 1 - 2 * _GAP, fill, radius=0.15)
    if not height:
        return ground, Disc(x, y, 0.16, _HOLE, highlight)
    return ground, Pile(x, y, 0.35, YELLOW if tower.isupper() else RED, height, highlight)


@functools.cache
def _target(move: str) -> Target:
    """Return the click target of a move: click the tower, then its destination."""
    return Target(*_corner(move[2:]), 1, 1, move, source=Area(*_corner(move[:2]), 1, 1))
