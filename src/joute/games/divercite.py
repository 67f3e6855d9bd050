"""Divercité in Python: its name and its drawing; the rules are core/games/divercite.hpp."""

from __future__ import annotations

from typing import Any, ClassVar

from joute import _core
from joute.games.scene import BOARD, Disc, Rect, Scene, Shape, Target
from joute.games.state import NativeState

_SIDE = 9
_COLOURS = {"R": "#d64545", "G": "#3f9b52", "B": "#3c6fc4", "Y": "#e8c33a"}


class Divercite(_core.Divercite, NativeState):
    """A Divercité position. A move is a colour and a cell: ``Re4`` places a city, ``re5`` a resource."""

    __slots__ = ()
    game: ClassVar[str] = "divercite"
    title: ClassVar[str] = "Divercité"
    players: ClassVar[tuple[str, str]] = ("white", "black")
    colours: ClassVar[tuple[str, str]] = ("#f4f1e8", "#2a2a2a")
    opening_plies: ClassVar[int] = 4

    def scene(self, last_move: Any = None) -> Scene:
        """The diamond, cities as squares and resources as discs."""
        shapes: list[Shape] = [Rect(0, 0, _SIDE, _SIDE, BOARD, 0.3)]
        for row in range(_SIDE):
            for column in range(_SIDE):
                piece = self.piece_at(row, column)
                if piece:
                    shapes.append(Disc(column + 0.5, row + 0.5, 0.4, _COLOURS[piece[0]]))
        targets = tuple(Target(ord(str(m)[1]) - ord("a"), int(str(m)[2]) - 1, 1, 1, str(m)) for m in self.legal_moves)
        return Scene(_SIDE, _SIDE, tuple(shapes), targets, title=f"{self.title}, {self.status}")
