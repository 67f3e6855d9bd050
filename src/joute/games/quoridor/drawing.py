"""The drawing of a Quoridor position: pawns and walls on a wooden board, and the walls in hand at its ends."""

from __future__ import annotations

import functools
from itertools import chain
from typing import Any

from joute import _core
from joute.games.scene import (
    BLACK,
    WHITE,
    Area,
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
_WALLS_EACH = 10

# Lengths are binary fractions: their sums are exact. The distance from cell to cell is 1.
_LEFT = 0.625  # room for the coordinates and the turn marker
_BOTTOM = 0.6875
_GAP = 0.1875  # between cells, where walls go
_CELL = 1 - _GAP
_RIM = 0.1875  # of the board around its cells and gaps
_TRAY = 1.125  # at either end, for walls in hand
_WIDTH = _SIZE + 2 * _RIM
_HEIGHT = _WIDTH + 2 * _TRAY
_RING = 0.1875  # the ring of the last wall is that much wider and higher than the wall
# A wall's click target extends this far from the middle of the gap into the cells: walls and cells get equal shares.
_REACH = 0.1875

# Cells are between white and black, so that both pawns stand out; a goal row tends to the colour of its player.
_WOOD, _EDGE, _CELL_FILL, _WHITE_GOAL, _BLACK_GOAL = "#6b4630", "#42291a", "#b98c5e", "#d8b78d", "#94683f"
_TRAY_FILL = "#543523"
_WALL_FILL, _WALL_EDGE = "#f7e6b5", "#2b1a10"

# A pawn from the side: a ball on a body that widens to a foot. Its middle is at (0, 0).
_PAWN = (
    "M-.27.33V.27Q-.27.21-.21.2C-.12.15-.09.06-.08-.02H-.11Q-.15-.02-.15-.05T-.11-.08H-.1A.165.165 0 1 1 .1-.08"
    "H.11Q.15-.08.15-.05T.11-.02H.08C.09.06.12.15.21.2Q.27.21.27.27V.33Q.27.36.24.36H-.24Q-.27.36-.27.33Z"
)
_PAWN_SCALE = 1.1
# An arrow up, for steps to go.
_ARROW = "M0-.2 .15-.02H.05V.2H-.05V-.02H-.15Z"
_ARROW_DOWN = "M0 .2 .15 .02H.05V-.2H-.05V.02H-.15Z"

# The fill and the outline of a player's pawn and plate.
_COLOURS = ((WHITE, BLACK), (BLACK, WHITE))

Cell = tuple[int, int]


def _name(row: int, column: int) -> str:
    return f"{'abcdefghi'[column]}{row + 1}"


def _centre(row: float, column: float) -> tuple[float, float]:
    """Return the centre of a cell, with rows from below; with halves, the middle of a wall."""
    return _LEFT + _RIM + column + 0.5, _TRAY + _RIM + _SIZE - row - 0.5


def _block(x: float, y: float, width: float, height: float, fill: str, radius: float = 0.0) -> Rect:
    """A rectangle around a point."""
    return Rect(x - width / 2, y - height / 2, width, height, fill, radius)


def _tray_middle(player: int) -> tuple[float, float]:
    return _LEFT + _WIDTH / 2, _TRAY / 2 if player == 1 else _HEIGHT - _TRAY / 2


def _cell(row: int, column: int) -> Rect:
    goal = {0: _BLACK_GOAL, _SIZE - 1: _WHITE_GOAL}
    return _block(*_centre(row, column), _CELL, _CELL, goal.get(row, _CELL_FILL), 0.1)


def _groove(player: int) -> Shape:
    """The hollow of a tray, in which walls stand."""
    x, y = _tray_middle(player)
    return _block(x, y, _WIDTH - 0.3125, _TRAY - 0.3125, _TRAY_FILL, 0.15)


_GROUND: tuple[Shape, ...] = (
    Rect(_LEFT, 0.02, _WIDTH - 0.02, _HEIGHT - 0.04, _WOOD, 0.3, stroke=_EDGE),
    _groove(0),
    _groove(1),
    *(_cell(row, column) for row in range(_SIZE) for column in range(_SIZE)),
    *(coordinate(_centre(0, at)[0], _HEIGHT + 0.36, "abcdefghi"[at]) for at in range(_SIZE)),
    *(coordinate(_LEFT / 2 - 0.04, _centre(at, 0)[1], str(at + 1)) for at in range(_SIZE)),
)


def scene(state: _core.Quoridor, last_move: Any, title: str) -> Scene:
    """Draw pawns and walls, a ring around the last one; a tray at each end holds the walls in hand.

    A tray shows its player's remaining steps. To move the pawn, click the destination cell. To place a wall, click a
    gap beside the wall's middle: left or right of it for a horizontal wall, above or below it for a vertical one.
    """
    last = str(state.parse_move(str(last_move))) if last_move is not None else ""
    shapes: list[Shape] = list(_GROUND)
    for direction, walls in (("h", state.horizontal_walls), ("v", state.vertical_walls)):
        for row, column in sorted(walls):
            shapes += _wall(row, column, direction, last == _name(row, column) + direction)
    for player in (0, 1):
        cell = state.pawn(player)
        shapes += _pawn(player, cell, last == _name(*cell))
        is_turn = not state.is_terminal and player == state.to_move
        shapes += _tray(player, state.walls_left(player), state.distance(player), is_turn)
    pawn = state.pawn(state.to_move)
    targets = tuple(chain.from_iterable(_targets(str(move), pawn) for move in state.legal_moves))
    return Scene(_LEFT + _WIDTH, _HEIGHT + _BOTTOM, tuple(shapes), targets, title=title)


def _wall_size(direction: str) -> tuple[float, float]:
    return (1 + _CELL, _GAP) if direction == "h" else (_GAP, 1 + _CELL)


def _standing(x: float, y: float, width: float, height: float, key: str = "") -> Rect:
    """A wall around a point, on the board or in hand."""
    return Rect(x - width / 2, y - height / 2, width, height, _WALL_FILL, 0.05, False, _WALL_EDGE, 0.03, key=key)


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _wall(row: int, column: int, direction: str, highlight: bool) -> tuple[Shape, ...]:
    """Return the wall (h or v) whose middle is at the upper right corner of a cell, and its ring if it is the last."""
    x, y = _centre(row + 0.5, column + 0.5)
    width, height = _wall_size(direction)
    wall = _standing(x, y, width, height, _name(row, column) + direction)
    if not highlight:
        return (wall,)
    wide, high = width + _RING, height + _RING
    return wall, Rect(x - wide / 2, y - high / 2, wide, high, "none", 0.1, highlight=True)


@functools.cache
def _pawn(player: int, cell: Cell, highlight: bool) -> tuple[Shape, ...]:
    """Return a pawn, and the ring around its cell if it moved last."""
    x, y = _centre(*cell)
    fill, stroke = _COLOURS[player]
    pawn = Path(_PAWN, fill, x, y, _PAWN_SCALE, stroke, 0.05, key=f"pawn{player}")
    if not highlight:
        return (pawn,)
    return Rect(x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, "none", 0.1, highlight=True), pawn


@functools.cache
def _tray(player: int, walls: int, steps: int, is_turn: bool) -> tuple[Shape, ...]:
    """Return a player's tray: five walls on either side of a plate with the remaining steps."""
    x, y = _tray_middle(player)
    fill, ink = _COLOURS[player]
    shapes: list[Shape] = [
        *turn_marker(_LEFT / 2 - 0.02, y, is_turn=is_turn),
        _block(x, y, 1.375, 0.5625, fill, 0.25),
        Label(x - 0.1875, y, str(steps), 0.46, ink, bold=True),
        Path((_ARROW, _ARROW_DOWN)[player], ink, x + 0.375, y),
    ]
    for at in range(walls):
        # From the plate outwards, so that the outermost walls are used up first; to the left and right in turn.
        side, beside = (-1, 1)[at % 2], at // 2
        shapes.append(_standing(x + side * (1.1875 + 0.65625 * beside), y, _GAP, 0.5625))
    return tuple(shapes)


@functools.cache
def _targets(move: str, pawn: Cell) -> tuple[Target, ...]:
    """Return the click targets of a move; targets of different moves do not overlap."""
    column, row = "abcdefghi".index(move[0]), int(move[1]) - 1
    if len(move) == 2:
        x, y = _centre(row, column)
        from_x, from_y = _centre(*pawn)
        free = 1 - 2 * _REACH
        origin, place = (Area(at - _CELL / 2, to - _CELL / 2, _CELL, _CELL) for at, to in ((from_x, from_y), (x, y)))
        label = f"pawn to {move}"
        return (Target(x - free / 2, y - free / 2, free, free, move, label=label, origin=origin, place=place),)
    x, y = _centre(row + 0.5, column + 0.5)
    width, height = _wall_size(move[2])
    place = Area(x - width / 2, y - height / 2, width, height)
    if move[2] == "h":
        label = f"horizontal wall above {move[:2]} and {_name(row, column + 1)}"
        areas = [Area(x + at, y - _REACH, long, 2 * _REACH) for at, long in _arms(column)]
    else:
        label = f"vertical wall right of {move[:2]} and {_name(row + 1, column)}"
        areas = [Area(x - _REACH, y + at, 2 * _REACH, long) for at, long in _arms(_SIZE - 2 - row)]
    return tuple(Target(*area, move, label=label, place=place) for area in areas)


def _arms(at: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return (start, length) of the two arms of a wall from its middle: half a cell, or a whole one at the edge."""
    before = 1.0 if at == 0 else 0.5
    after = 1.0 if at == _SIZE - 2 else 0.5
    return (-before, before - _REACH), (_REACH, after - _REACH)
