"""Othello in Python: its name and its drawing; the rules are in core/othello.hpp."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, ClassVar

from joute.games.scene import Disc, Label, Rect, Scene, Shape, Target
from joute.games.state import NativeState
from joute.spec import Value
from joute_othello import _othello

_SIDE = 8
_LEFT = _TOP = 0.6  # room for the coordinates
_BLACK, _WHITE, _LINES, _CLOTH, _HINT = "#17181b", "#fbfaf5", "#1f5135", "#2f7d4f", "#276a43"


class Othello(_othello.Othello, NativeState):
    """An Othello position. A move is a cell, ``d3``; a player without a move passes, and a pass is not a move."""

    __slots__ = ()
    game: ClassVar[str] = "othello"
    title: ClassVar[str] = "Othello"
    players: ClassVar[tuple[str, str]] = ("black (X)", "white (O)")
    colours: ClassVar[tuple[str, str]] = (_BLACK, _WHITE)
    opening_plies: ClassVar[int] = 4
    training: ClassVar[Mapping[str, Value]] = {"margin_scale": 16.0}  # in discs; about the spread of random games

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the board with all discs, a ring around the last one, and a dot on each legal move."""
        shapes: list[Shape] = list(_GROUND)
        moves = [str(move) for move in self.legal_moves]
        for row in range(_SIDE):
            for column in range(_SIDE):
                name = _name(row, column)
                owner = self.disc_at(row, column)
                if owner >= 0:
                    shapes.append(_disc(row, column, owner, name == str(last_move)))
                elif name in moves:
                    shapes.append(Disc(*_centre(row, column), 0.12, _HINT))
        targets = tuple(
            Target(_LEFT + column, _TOP + row, 1, 1, _name(row, column))
            for row in range(_SIDE)
            for column in range(_SIDE)
            if _name(row, column) in moves
        )
        return Scene(_LEFT + _SIDE, _TOP + _SIDE, tuple(shapes), targets, title=f"{self.title}, {self.status}")


def _name(row: int, column: int) -> str:
    return f"{'abcdefgh'[column]}{row + 1}"


def _centre(row: int, column: int) -> tuple[float, float]:
    return _LEFT + column + 0.5, _TOP + row + 0.5


def _ground() -> tuple[Shape, ...]:
    """Draw the cloth, its cells and the coordinates."""
    shapes: list[Shape] = [Rect(_LEFT, _TOP, _SIDE, _SIDE, _LINES)]
    for row in range(_SIDE):
        shapes += [Rect(_LEFT + column + 0.02, _TOP + row + 0.02, 0.96, 0.96, _CLOTH) for column in range(_SIDE)]
    shapes += [Label(_centre(0, column)[0], _TOP / 2, "abcdefgh"[column]) for column in range(_SIDE)]
    shapes += [Label(_LEFT / 2, _centre(row, 0)[1], str(row + 1)) for row in range(_SIDE)]
    return tuple(shapes)


_GROUND = _ground()


@functools.cache  # a report draws thousands of boards
def _disc(row: int, column: int, owner: int, highlight: bool) -> Disc:
    return Disc(*_centre(row, column), 0.42, (_BLACK, _WHITE)[owner], highlight)
