"""Othello in Python: its name and its drawing; the rules are in core/othello.hpp."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, ClassVar

from joute.games.scene import BLACK, INK, WHITE, Disc, Path, Rect, Scene, Shape, Target, coordinate
from joute.games.state import NativeState
from joute.spec import Value
from joute_othello import _othello

_SIDE = 8
_LEFT, _BOTTOM = 0.6, 0.65  # room for the coordinates
_RIM = 0.2  # of the board around its cells
_WIDTH = _SIDE + 2 * _RIM
_FRAME, _EDGE, _CLOTH, _LINES, _HINT = "#3b2a1e", "#22170f", "#2f7d4f", "#1f5135", "#276a43"


class Othello(_othello.Othello, NativeState):
    """An Othello position. A move is a cell, ``d3``; a player without a move passes, and a pass is not a move."""

    __slots__ = ()
    game: ClassVar[str] = "othello"
    title: ClassVar[str] = "Othello"
    players: ClassVar[tuple[str, str]] = ("black (X)", "white (O)")
    colours: ClassVar[tuple[str, str]] = (BLACK, WHITE)
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
        return Scene(
            _LEFT + _WIDTH,
            _WIDTH + _BOTTOM,
            tuple(shapes),
            tuple(map(_target, moves)),
            title=f"{self.title}, {self.status}",
        )


def _name(row: int, column: int) -> str:
    return f"{'abcdefgh'[column]}{row + 1}"


def _centre(row: int, column: int) -> tuple[float, float]:
    return _LEFT + _RIM + column + 0.5, _RIM + row + 0.5


def _ground() -> tuple[Shape, ...]:
    """Draw the frame, the cloth with its lines, and the coordinates."""
    left, top = _LEFT + _RIM, _RIM
    lines = [f"M{left + at:g} {top:g}v{_SIDE}M{left:g} {top + at:g}h{_SIDE}" for at in range(1, _SIDE)]
    return (
        Rect(_LEFT, 0.02, _WIDTH - 0.02, _WIDTH - 0.04, _FRAME, 0.25, stroke=_EDGE),
        Rect(left, top, _SIDE, _SIDE, _CLOTH, stroke=_LINES),
        Path("".join(lines), "none", stroke=_LINES),
        *(coordinate(_centre(0, at)[0], _WIDTH + 0.35, "abcdefgh"[at]) for at in range(_SIDE)),
        *(coordinate(_LEFT / 2, _centre(at, 0)[1], str(at + 1)) for at in range(_SIDE)),
    )


_GROUND = _ground()


@functools.cache  # a report draws thousands of boards
def _disc(row: int, column: int, owner: int, highlight: bool) -> Disc:
    key = _name(row, column)
    return Disc(*_centre(row, column), 0.4, (BLACK, WHITE)[owner], highlight, INK, 0.03, key=key)


@functools.cache
def _target(move: str) -> Target:
    x, y = _centre(int(move[1]) - 1, "abcdefgh".index(move[0]))
    return Target(x - 0.5, y - 0.5, 1, 1, move, label=f"disc on {move}")
