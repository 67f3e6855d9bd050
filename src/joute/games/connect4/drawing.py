"""The drawing of a Connect Four position: discs behind a board with holes."""

from __future__ import annotations

import functools
from typing import Any

from joute import _core
from joute.games.scene import BOARD, PLAYERS, Area, Disc, Path, Scene, Shape, Target, coordinate

_COLUMNS, _ROWS = 7, 6
_RIM = 0.2  # of the board around its cells
_HOLE = 0.4  # radius
_WIDTH, _HEIGHT = _COLUMNS + 2 * _RIM, _ROWS + 2 * _RIM
_EDGE = "#1d3559"
# The relief of a disc: a ring, and the letter of its player. The letters tell the discs apart without colours.
_RELIEF = ("#aa302d", "#c48f14")
_RING = "M-.31 0a.31 .31 0 1 0 .62 0a.31 .31 0 1 0-.62 0"
_LETTERS = ("M-.11-.11 .11 .11M-.11 .11 .11-.11", "M-.13 0a.13 .13 0 1 0 .26 0a.13 .13 0 1 0-.26 0")


def _centre(column: int, row: int) -> tuple[float, float]:
    """The centre of a cell, with rows from below."""
    return _RIM + column + 0.5, _RIM + _ROWS - row - 0.5


def _face() -> Path:
    """The board: a rounded rectangle with 42 holes, through which the page is seen."""
    c, edge = 0.35, 0.02  # of the corners; room for the outline
    w, h = _WIDTH - 2 * edge - 2 * c, _HEIGHT - 2 * edge - 2 * c
    outline = (
        f"M{edge + c:g} {edge}h{w:g}q{c} 0 {c} {c}v{h:g}q0 {c}-{c} {c}h-{w:g}q-{c} 0-{c}-{c}v-{h:g}q0-{c} {c}-{c}Z"
    )
    holes = (
        f"M{x - _HOLE:g} {y:g}a{_HOLE} {_HOLE} 0 1 0 {2 * _HOLE} 0a{_HOLE} {_HOLE} 0 1 0-{2 * _HOLE} 0Z"
        for x, y in (_centre(column, row) for column in range(_COLUMNS) for row in range(_ROWS))
    )
    return Path(outline + "".join(holes), BOARD, stroke=_EDGE)


_FRONT: tuple[Shape, ...] = (
    _face(),
    *(coordinate(_centre(column, 0)[0], _HEIGHT + 0.3, str(column + 1)) for column in range(_COLUMNS)),
)


def scene(state: _core.Connect4, last_move: Any, title: str) -> Scene:
    """Draw red (first) and yellow (second) discs in a blue board; a ring marks the last disc."""
    shapes: list[Shape] = []
    for column in range(_COLUMNS):
        for row in range(state.heights[column]):
            shapes += _disc(column, row, state.disc_at(column, row))
    shapes += _FRONT
    if last_move is not None:
        column = int(str(last_move)) - 1
        shapes.append(_ring(column, state.heights[column] - 1))
    targets = tuple(_target(int(str(move)) - 1, state.heights[int(str(move)) - 1]) for move in state.legal_moves)
    return Scene(_WIDTH, _HEIGHT + 0.6, tuple(shapes), targets, title=title)


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _disc(column: int, row: int, owner: int) -> tuple[Shape, ...]:
    x, y = _centre(column, row)
    key = f"{column + 1}.{row + 1}"
    return (
        Disc(x, y, 0.44, PLAYERS[owner], key=key),
        Path(_RING + _LETTERS[owner], "none", x, y, stroke=_RELIEF[owner], key=key),
    )


@functools.cache
def _ring(column: int, row: int) -> Disc:
    return Disc(*_centre(column, row), _HOLE, "none", highlight=True)


@functools.cache
def _target(column: int, height: int) -> Target:
    """The target of a move, a column; the disc falls from above the board."""
    x, y = _centre(column, height)
    return Target(
        _RIM + column,
        0,
        1,
        _HEIGHT,
        str(column + 1),
        label=f"column {column + 1}",
        origin=Area(x - 0.5, -1, 1, 1),
        place=Area(x - 0.5, y - 0.5, 1, 1),
    )
