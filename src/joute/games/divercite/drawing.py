"""The drawing of a Divercité position: a diamond of wells, with each player's pieces in hand above or below it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from math import cos, pi, sin
from typing import Any

from joute import _core
from joute.games.outline import outline
from joute.games.scene import (
    BLACK,
    INK,
    WHITE,
    Area,
    Disc,
    Label,
    Path,
    Rect,
    Scene,
    Shape,
    Target,
    coordinate,
    turn_marker,
)

_SIZE = 9
_LEFT = 0.625  # room for the coordinates and the turn marker
_RIM = 0.15  # of the board around its cells
_TRAY = 1.1  # the height of a tray
_GAP = 0.15  # between the upper tray and the board
_LETTERS = 0.65  # between the board and the lower tray, for the names of the columns
_BOARD_TOP = _TRAY + _GAP
_BOARD_SIDE = _SIZE + 2 * _RIM
_WIDTH = _LEFT + _BOARD_SIDE
_HEIGHT = _BOARD_TOP + _BOARD_SIDE + _LETTERS + _TRAY
_TRAY_TOPS = (_HEIGHT - _TRAY, 0.0)  # White's and Black's

#: The four colours of pieces, which also differ in lightness. Each has an emblem in a darker shade.
COLOURS = {"R": "#d23c1e", "G": "#2ea876", "B": "#1b4691", "Y": "#f7da4a"}
_SHADES = {"R": "#9d2710", "G": "#1c7851", "B": "#0f2c61", "Y": "#d9a81a"}
_INKS = {"R": WHITE, "G": WHITE, "B": WHITE, "Y": INK}
_COLOUR_NAMES = {"R": "red", "G": "green", "B": "blue", "Y": "yellow"}
_OWNERS = (WHITE, BLACK)

# Grounds are between white and black, so that both stand out.
_STONE, _EDGE, _WELL, _GHOST = "#d0c9b9", "#8b8371", "#b2aa98", "#8b8371"

_CITY, _INSIDE, _RESOURCE, _STROKE = 0.82, 0.58, 0.36, 0.03
# The trays: the score, then a slot for each kind of piece.
_SLOTS_LEFT, _SLOT = _LEFT + 1.44, 0.97
_SLOT_SCALE = 0.68
_DIVERCITE = 5

Cell = tuple[int, int]
_CELLS: tuple[Cell, ...] = tuple(
    (row, column) for row in range(_SIZE) for column in range(_SIZE) if abs(row - 4) + abs(column - 4) <= 4
)


def _star(points: int, outer: float, inner: float) -> str:
    """The outline of a star around (0, 0), a point at the top."""
    corners = (
        (radius * sin(at * pi / points), -radius * cos(at * pi / points))
        for at, radius in ((at, inner if at % 2 else outer) for at in range(2 * points))
    )
    return "M" + " ".join(f"{x:.3f} {y:.3f}" for x, y in corners) + "Z"


#: The outline of each colour's emblem, for people who cannot tell the colours apart.
EMBLEMS = {
    "R": "M0-.22 .21 .15H-.21Z",
    "G": "M0-.23 .23 0 0 .23-.23 0Z",
    "B": "M-.18 0a.18 .18 0 1 0 .36 0a.18 .18 0 1 0-.36 0Z",
    "Y": _star(8, 0.23, 0.15),
}
_STAR = _star(5, 0.29, 0.125)


def _is_city(row: int, column: int) -> bool:
    return (row + column) % 2 == 1


def _name(row: int, column: int) -> str:
    return f"{'abcdefghi'[column]}{row + 1}"


def _centre(row: int, column: int) -> tuple[float, float]:
    return _LEFT + _RIM + column + 0.5, _BOARD_TOP + _RIM + row + 0.5


def _square(x: float, y: float, side: float, fill: str, radius: float, *, stroke: str = "", key: str = "") -> Rect:
    return Rect(x - side / 2, y - side / 2, side, side, fill, radius, False, stroke, _STROKE, key=key)


def _well(row: int, column: int) -> Shape:
    """An empty cell: square for cities, round for resources."""
    x, y = _centre(row, column)
    return _square(x, y, _CITY, _WELL, 0.12) if _is_city(row, column) else Disc(x, y, _RESOURCE, _WELL)


def _tray(player: int) -> Rect:
    edge = 0.02
    return Rect(
        _LEFT + edge, _TRAY_TOPS[player] + edge, _BOARD_SIDE - 2 * edge, _TRAY - 2 * edge, _STONE, 0.3, stroke=_EDGE
    )


_GROUND: tuple[Shape, ...] = (
    _tray(0),
    _tray(1),
    Path(
        outline(_CELLS, _LEFT + _RIM, _BOARD_TOP + _RIM, rim=_RIM - 0.02, radius=0.25),
        _STONE,
        stroke=_EDGE,
    ),
    *(_well(row, column) for row, column in _CELLS),
    *(coordinate(_centre(0, at)[0], _BOARD_TOP + _BOARD_SIDE + 0.32, "abcdefghi"[at]) for at in range(_SIZE)),
    *(coordinate(_LEFT / 2 - 0.04, _centre(at, 0)[1], str(at + 1)) for at in range(_SIZE)),
)


def scene(state: _core.Divercite, last_move: Any, title: str) -> Scene:
    """Draw the diamond between the two trays; a ring marks the last piece.

    A city is a square in a frame of its owner's colour, with its points, or a star for a Divercité; a resource is
    round. To move, click a piece in the mover's tray, then its cell.
    """
    last = str(state.parse_move(str(last_move)))[1:] if last_move is not None else ""
    shapes: list[Shape] = list(_GROUND)
    for row, column in _CELLS:
        piece = state.piece_at(row, column)
        if piece:
            shapes += _piece(row, column, piece, state.points_at(row, column), _name(row, column) == last)
    for player in (0, 1):
        shapes += _score(player, state.scores[player], not state.is_terminal and player == state.to_move)
        for kind, left in state.hand(player).items():
            shapes += _slot(player, kind, left)
    hand: Mapping[str, int] = state.hand(state.to_move)
    targets = tuple(_target(str(move), state.to_move, hand[_kind(str(move))]) for move in state.legal_moves)
    return Scene(_WIDTH, _HEIGHT, tuple(shapes), targets, title=title)


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _piece(row: int, column: int, piece: str, points: int, is_last: bool) -> tuple[Shape, ...]:
    """The shapes of the piece on a cell, and the ring around it if it is the last."""
    x, y = _centre(row, column)
    key = _name(row, column)
    if not _is_city(row, column):
        ring: tuple[Shape, ...] = (Disc(x, y, 0.42, "none", highlight=True),) if is_last else ()
        return *_resource(x, y, piece[0], 1.0, key), *ring
    shapes = _city(x, y, piece[0], "WB".index(piece[2]), 1.0, key)
    if points == _DIVERCITE:
        shapes += (Path(_STAR, WHITE, x, y, stroke=INK, stroke_width=0.04, key=key),)
    elif points:
        shapes += (Label(x, y, str(points), 0.44, _INKS[piece[0]], bold=True, key=key),)
    if is_last:
        shapes += (Rect(x - 0.44, y - 0.44, 0.88, 0.88, "none", 0.14, highlight=True),)
    return shapes


def _resource(x: float, y: float, colour: str, scale: float, key: str = "") -> tuple[Shape, ...]:
    return (
        Disc(x, y, _RESOURCE * scale, COLOURS[colour], False, INK, _STROKE, key=key),
        Path(EMBLEMS[colour], _SHADES[colour], x, y, scale, key=key),
    )


def _city(x: float, y: float, colour: str, owner: int, scale: float, key: str = "") -> tuple[Shape, ...]:
    return (
        _square(x, y, _CITY * scale, _OWNERS[owner], 0.12 * scale, stroke=INK, key=key),
        _square(x, y, _INSIDE * scale, COLOURS[colour], 0.05 * scale, stroke=INK, key=key),
        Path(EMBLEMS[colour], _SHADES[colour], x, y, 1.1 * scale, key=key),
    )


@functools.cache
def _score(player: int, score: int, is_turn: bool) -> tuple[Shape, ...]:
    """A player's score on a plate in the player's colour."""
    x, y = _LEFT + 0.77, _TRAY_TOPS[player] + _TRAY / 2
    return (
        *turn_marker(_LEFT / 2 - 0.02, y, is_turn=is_turn),
        Rect(x - 0.55, y - 0.34, 1.1, 0.68, _OWNERS[player], 0.34, stroke=INK, stroke_width=_STROKE),
        Label(x, y, str(score), 0.5, _OWNERS[1 - player], bold=True),
    )


def _slot_area(player: int, kind: str) -> Area:
    """The place of a kind of piece, such as RC or YR, in a player's tray: cities first."""
    at = "RGBY".index(kind[0]) + (4 if kind[1] == "R" else 0)
    return Area(_SLOTS_LEFT + at * _SLOT, _TRAY_TOPS[player], _SLOT, _TRAY)


@functools.cache
def _slot(player: int, kind: str, left: int) -> tuple[Shape, ...]:
    """A piece of one kind in a tray and the number left, or an outline if none is."""
    area = _slot_area(player, kind)
    x, y = area.x + 0.33, area.y + _TRAY / 2
    if left:
        number = Label(area.x + 0.755, y, str(left), 0.42, INK, bold=True)
        if kind[1] == "R":
            return *_resource(x, y, kind[0], _SLOT_SCALE), number
        return *_city(x, y, kind[0], player, _SLOT_SCALE), number
    if kind[1] == "R":
        return (Disc(x, y, _RESOURCE * _SLOT_SCALE, "none", False, _GHOST, _STROKE),)
    return (_square(x, y, _CITY * _SLOT_SCALE, "none", 0.09, stroke=_GHOST),)


def _kind(move: str) -> str:
    """The kind of piece that a move places, such as RC: cities have capitals."""
    return move[0].upper() + ("C" if move[0].isupper() else "R")


@functools.cache
def _target(move: str, player: int, left: int) -> Target:
    """The click target of a move: click a piece in hand, then the cell."""
    x, y = _centre(int(move[2]) - 1, ord(move[1]) - ord("a"))
    words = f"{_COLOUR_NAMES[move[0].upper()]} {'city' if move[0].isupper() else 'resource'}"
    return Target(
        x - 0.5,
        y - 0.5,
        1,
        1,
        move,
        source=_slot_area(player, _kind(move)),
        label=f"{words} on {move[1:]}",
        source_label=f"{words}, {left} in hand",
    )
