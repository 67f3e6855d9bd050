"""Quoridor in Python: its name and its drawing; the rules are core/games/quoridor/quoridor.hpp."""

from __future__ import annotations

import functools
from itertools import chain
from typing import Any, ClassVar

from joute import _core
from joute.games.board import TextBoard
from joute.games.scene import Disc, Label, Rect, Scene, Shape, Target, coordinate
from joute.games.state import NativeState

_SIZE = 9
_WALLS_EACH = 10

# Lengths are binary fractions: their sums are exact. The distance from cell to cell is 1.
_LEFT = 0.625  # room for the coordinates
_BOTTOM = 0.6875
_GAP = 0.1875  # between cells, where walls go
_CELL = 1 - _GAP
_TRAY = 1.0  # at either end, for walls in hand
_WIDTH = _SIZE + _GAP
_HEIGHT = _WIDTH + 2 * _TRAY
# A wall's click target extends this far from the middle of the gap into the cells, so that it is not too narrow to hit.
_REACH = 0.15625

_WHITE, _BLACK = "#fbfaf5", "#17181b"
# Cells are between white and black, so that both pawns stand out; a goal row tends to the colour of its player.
_WOOD, _CELL_FILL, _WHITE_GOAL, _BLACK_GOAL = "#5b3a26", "#b98c5e", "#d0a97f", "#9a7048"
_TRAY_FILL, _SLOT, _STUD = "#6e4a33", "#4a2e1d", "#82593c"
_WALL_FILL, _LAST = "#f7e6b5", "#ffa51f"

Cell = tuple[int, int]


class Quoridor(_core.Quoridor, NativeState):
    """A Quoridor position. A move is a cell, ``e2``, or a wall, ``e3h`` or ``e3v``."""

    __slots__ = ()
    game: ClassVar[str] = "quoridor"
    title: ClassVar[str] = "Quoridor"
    flips: ClassVar[bool] = True
    players: ClassVar[tuple[str, str]] = ("white", "black")
    colours: ClassVar[tuple[str, str]] = (_WHITE, _BLACK)
    opening_plies: ClassVar[int] = 4

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.quoridor.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the board with pawns and walls, the last move highlighted; a tray at each end holds the walls in hand.

        A tray shows its player's remaining steps; the tray of the player to move is framed. To move the pawn, click the
        destination cell. To place a wall, click a gap beside the stud at its middle: left or right of the stud for a
        horizontal wall, above or below it for a vertical one.
        """
        last = str(self.parse_move(str(last_move))) if last_move is not None else ""
        pawns = [self.pawn(player) for player in (0, 1)]
        directions = dict.fromkeys(self.horizontal_walls, "h") | dict.fromkeys(self.vertical_walls, "v")
        shapes: list[Shape] = list(_GROUND)
        shapes += [_cell(row, column, _name(row, column) == last) for row in range(_SIZE) for column in range(_SIZE)]
        for row in range(_SIZE - 1):
            for column in range(_SIZE - 1):
                direction = directions.get((row, column), "")
                is_last = bool(direction) and _name(row, column) + direction == last
                shapes.append(_crossing(row, column, direction, is_last))
        for player, pawn in enumerate(pawns):
            to_move = not self.is_terminal and player == self.to_move
            shapes += _pawn(player, pawn)
            shapes += _tray(player, self.walls_left(player), self.distance(player), to_move)
        return Scene(
            _LEFT + _WIDTH,
            _HEIGHT + _BOTTOM,
            tuple(shapes),
            tuple(chain.from_iterable(_targets(str(move)) for move in self.legal_moves)),
            title=f"{self.title}, {self.status}",
        )


def _name(row: int, column: int) -> str:
    return f"{'abcdefghi'[column]}{row + 1}"


def _centre(row: float, column: float) -> tuple[float, float]:
    """Return the centre of a cell, with rows from below; with halves, the middle of a wall."""
    return _LEFT + _GAP / 2 + column + 0.5, _TRAY + _GAP / 2 + _SIZE - row - 0.5


_GROUND: tuple[Shape, ...] = (
    Rect(_LEFT, 0, _WIDTH, _HEIGHT, _WOOD, 0.25),
    *(coordinate(_centre(0, at)[0], _HEIGHT + 0.36, "abcdefghi"[at]) for at in range(_SIZE)),
    *(coordinate(_LEFT / 2 - 0.02, _centre(at, 0)[1], str(at + 1)) for at in range(_SIZE)),
)


def _block(x: float, y: float, width: float, height: float, fill: str, radius: float) -> Rect:
    return Rect(x - width / 2, y - height / 2, width, height, fill, radius)


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _cell(row: int, column: int, is_last: bool) -> Rect:
    goal = {0: _BLACK_GOAL, _SIZE - 1: _WHITE_GOAL}
    return _block(*_centre(row, column), _CELL, _CELL, _LAST if is_last else goal.get(row, _CELL_FILL), 0.1)


@functools.cache
def _crossing(row: int, column: int, direction: str, is_last: bool) -> Rect:
    """Return the wall (h or v) whose middle is here, or a stud: always one shape, which keeps reports small."""
    x, y = _centre(row + 0.5, column + 0.5)
    if not direction:
        return _block(x, y, 0.09375, 0.09375, _STUD, 0.046875)
    length = 1 + _CELL
    width, height = (length, _GAP) if direction == "h" else (_GAP, length)
    return _block(x, y, width, height, _LAST if is_last else _WALL_FILL, 0.05)


@functools.cache
def _pawn(player: int, cell: Cell) -> tuple[Shape, ...]:
    x, y = _centre(*cell)
    body, edge = ((_WHITE, _BLACK), (_BLACK, _WHITE))[player]
    return Disc(x, y, 0.3125, edge), Disc(x, y, 0.28125, body), Disc(x, y, 0.125, edge), Disc(x, y, 0.09375, body)


@functools.cache
def _tray(player: int, walls: int, steps: int, to_move: bool) -> tuple[Shape, ...]:
    """Return a player's tray: five walls on either side of a plate with the remaining steps."""
    x, y = _LEFT + _WIDTH / 2, _TRAY / 2 if player == 1 else _HEIGHT - _TRAY / 2
    width, height = _WIDTH - 0.1875, _TRAY - 0.1875
    plate, ink = ((_WHITE, _BLACK), (_BLACK, _WHITE))[player]
    shapes: list[Shape] = [
        _block(x, y, width, height, _LAST if to_move else _TRAY_FILL, 0.1875),
        _block(x, y, width - 0.125, height - 0.125, _TRAY_FILL, 0.125),
        _block(x, y, 1.25, 0.5, plate, 0.25),
        Label(x, y, f"{steps} {'↑↓'[player]}", 0.4375, ink),
    ]
    for at in range(_WALLS_EACH):
        side, beside = (-1, _WALLS_EACH // 2 - at) if at < _WALLS_EACH // 2 else (1, at - _WALLS_EACH // 2 + 1)
        fill = _WALL_FILL if at < walls else _SLOT
        shapes.append(_block(x + side * (0.375 + 0.71875 * beside), y, _GAP, 0.5, fill, 0.05))
    return tuple(shapes)


@functools.cache
def _targets(move: str) -> tuple[Target, ...]:
    """Return the click targets of a move; targets of different moves do not overlap."""
    column, row = "abcdefghi".index(move[0]), int(move[1]) - 1
    if len(move) == 2:
        x, y = _centre(row, column)
        free = 1 - 2 * _REACH
        return (Target(x - free / 2, y - free / 2, free, free, move),)
    x, y = _centre(row + 0.5, column + 0.5)
    if move[2] == "h":
        low, high = _arms(column)
        return tuple(Target(x + at, y - _REACH, long, 2 * _REACH, move) for at, long in (low, high))
    low, high = _arms(_SIZE - 2 - row)
    return tuple(Target(x - _REACH, y + at, 2 * _REACH, long, move) for at, long in (low, high))


def _arms(at: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return (start, length) of the two arms of a wall from its middle: half a cell, or a whole one at the edge."""
    before = 1.0 if at == 0 else 0.5
    after = 1.0 if at == _SIZE - 2 else 0.5
    return (-before, before - _REACH), (_REACH, after - _REACH)
