"""Divercité in Python: its name and its drawing; the rules are core/games/divercite/divercite.hpp."""

from __future__ import annotations

import functools
from typing import Any, ClassVar

from joute import _core
from joute.games.board import TextBoard
from joute.games.scene import INK, Area, Disc, Label, Rect, Scene, Shape, Target, coordinate
from joute.games.state import NativeState

_SIZE = 9
_LEFT = 0.625  # room for the coordinates
_BOTTOM = 0.75

# The four colours also differ in lightness, for players who cannot tell red from green (after Okabe and Ito, 2008).
_COLOURS = {"R": "#d43d1a", "G": "#0f9d6c", "B": "#1c5fae", "Y": "#f4d53d"}
_WHITE, _BLACK = "#fbfaf5", "#17181b"
# Grounds are between white and black, so that both stand out.
_TABLE, _CITY_GROUND, _RESOURCE_GROUND = "#d6d1c4", "#9c9686", "#b5af9f"
_HOLE, _GHOST = "#8a8474", "#c6c0b2"
_LAST = "#ffa51f"

# The corners around the diamond show the players' hands: cities on the left, resources on the right, Black at the top.
_HAND_STEP = 0.62  # from piece to piece
_HAND_EDGE = 0.25
_CITIES, _RESOURCES = 2, 3  # of each colour

Cell = tuple[int, int]
_CELLS: tuple[Cell, ...] = tuple(
    (row, column) for row in range(_SIZE) for column in range(_SIZE) if abs(row - 4) + abs(column - 4) <= 4
)


def _is_city(row: int, column: int) -> bool:
    return (row + column) % 2 == 1


_TABLE_AND_COORDINATES: tuple[Shape, ...] = (
    Rect(_LEFT, 0, _SIZE, _SIZE, _TABLE, 0.3),
    *(coordinate(_LEFT + at + 0.5, _SIZE + 0.38, "abcdefghi"[at]) for at in range(_SIZE)),
    *(coordinate(_LEFT / 2 - 0.02, at + 0.5, str(at + 1)) for at in range(_SIZE)),
)


class Divercite(_core.Divercite, NativeState):
    """A Divercité position. A move is a colour and a cell: ``Re4`` places a city, ``re5`` a resource."""

    __slots__ = ()
    game: ClassVar[str] = "divercite"
    title: ClassVar[str] = "Divercité"
    players: ClassVar[tuple[str, str]] = ("white", "black")
    colours: ClassVar[tuple[str, str]] = (_WHITE, _BLACK)
    opening_plies: ClassVar[int] = 4

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.divercite.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the diamond between the two hands; the cell of the last move is highlighted.

        A city is a square in a frame of its owner's colour, with its points, or a star for a Divercité; a resource is a
        disc. To move, click a piece in the mover's hand, then its destination.
        """
        last = str(self.parse_move(str(last_move)))[1:] if last_move is not None else ""
        shapes: list[Shape] = list(_TABLE_AND_COORDINATES)
        for row, column in _CELLS:
            points = self.points_at(row, column)
            shapes += _cell(row, column, self.piece_at(row, column), points, _name(row, column) == last)
        for player in (0, 1):
            for piece, left in self.hand(player).items():
                shapes += _in_hand(player, piece, left)
            shapes += _score(player, self.scores[player], not self.is_terminal and player == self.to_move)
        return Scene(
            _LEFT + _SIZE,
            _SIZE + _BOTTOM,
            tuple(shapes),
            tuple(_target(str(move), self.to_move) for move in self.legal_moves),
            title=f"{self.title}, {self.status}",
        )


def _name(row: int, column: int) -> str:
    return f"{'abcdefghi'[column]}{row + 1}"


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _cell(row: int, column: int, piece: str, points: int, is_last: bool) -> tuple[Shape, ...]:
    """Return the shapes of a cell and its piece.

    Their number does not depend on the piece, so that a report can store only the shapes that change.
    """
    x, y = _LEFT + column + 0.5, row + 0.5
    ground = _LAST if is_last else _CITY_GROUND if _is_city(row, column) else _RESOURCE_GROUND
    tile = _square(x, y, 1.0 if is_last else 0.96, ground, 0.14)
    if not _is_city(row, column):
        return tile, Disc(x, y, 0.36 if piece else 0.24, _COLOURS[piece[0]] if piece else _HOLE)
    if not piece:
        return tile, _square(x, y, 0.5, _HOLE, 0.08), _square(x, y, 0.34, _CITY_GROUND, 0.04), Label(x, y, "")
    owner = _WHITE if piece[2] == "W" else _BLACK
    text = "" if points == 0 else "★" if points == 5 else str(points)
    return (
        tile,
        _square(x, y, 0.8, owner, 0.1),
        _square(x, y, 0.56, _COLOURS[piece[0]], 0.04),
        Label(x, y, text, 0.5, _ink_on(piece[0])),
    )


@functools.cache
def _in_hand(player: int, piece: str, left: int) -> tuple[Shape, ...]:
    """Return the pieces of one kind in a player's hand, and placeholders for those already placed."""
    shapes: list[Shape] = []
    for at in range(_CITIES if piece[1] == "C" else _RESOURCES):
        x, y = _hand_place(player, piece, at)
        if piece[1] == "R":
            shapes.append(Disc(x, y, 0.24 if at < left else 0.12, _COLOURS[piece[0]] if at < left else _GHOST))
        elif at < left:
            owner = (_WHITE, _BLACK)[player]
            shapes += (_square(x, y, 0.52, owner, 0.08), _square(x, y, 0.34, _COLOURS[piece[0]], 0.03))
        else:
            shapes += (_square(x, y, 0.26, _GHOST, 0.06), _square(x, y, 0.26, _GHOST, 0.06))
    return tuple(shapes)


@functools.cache
def _score(player: int, score: int, to_move: bool) -> tuple[Shape, ...]:
    """Return a player's score on a plate; a ring marks the player to move."""
    x, y = _LEFT + _HAND_EDGE + 0.72, 2.55 if player == 1 else _SIZE - 2.55
    plate, ink = (_WHITE, INK) if player == 0 else (_BLACK, _WHITE)
    ring = _LAST if to_move else plate
    return (
        Rect(x - 0.72, y - 0.4, 1.44, 0.8, ring, 0.4),
        Rect(x - 0.64, y - 0.32, 1.28, 0.64, plate, 0.32),
        Label(x, y, str(score), 0.52, ink),
    )


@functools.cache
def _target(move: str, player: int) -> Target:
    """Return the click target of a move: click a piece in hand, then the cell."""
    column, row = ord(move[1]) - ord("a"), int(move[2]) - 1
    piece = move[0].upper() + ("C" if _is_city(row, column) else "R")
    return Target(_LEFT + column, row, 1, 1, move, source=_hand_area(player, piece))


def _hand_place(player: int, piece: str, at: int) -> tuple[float, float]:
    """Return the centre of a piece in hand; pieces farthest from the edge are used up first."""
    from_left = _HAND_EDGE if piece[1] == "C" else _SIZE - _HAND_EDGE - len(_COLOURS) * _HAND_STEP
    x = from_left + _HAND_STEP * ("RGBY".index(piece[0]) + 0.5)
    y = _HAND_EDGE + _HAND_STEP * (at + 0.5) - 0.05
    return _LEFT + x, y if player == 1 else _SIZE - y


def _hand_area(player: int, piece: str) -> Area:
    x, first = _hand_place(player, piece, 0)
    _, last = _hand_place(player, piece, (_CITIES if piece[1] == "C" else _RESOURCES) - 1)
    half = _HAND_STEP / 2
    return Area(x - half, min(first, last) - half, 2 * half, abs(last - first) + 2 * half)


def _square(x: float, y: float, side: float, fill: str, radius: float) -> Rect:
    return Rect(x - side / 2, y - side / 2, side, side, fill, radius)


def _ink_on(colour: str) -> str:
    return INK if colour == "Y" else _WHITE
