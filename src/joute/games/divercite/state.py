"""Divercité in Python; the rules are core/games/divercite/divercite.hpp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from joute import _core
from joute.games.board import TextBoard
from joute.games.divercite.training import TRAINING
from joute.games.scene import BLACK, WHITE, Scene
from joute.games.state import NativeState
from joute.spec import Value


class Divercite(_core.Divercite, NativeState):
    """A Divercité position. A move is a colour and a cell: ``Re4`` places a city, ``re5`` a resource."""

    __slots__ = ()
    game: ClassVar[str] = "divercite"
    title: ClassVar[str] = "Divercité"
    players: ClassVar[tuple[str, str]] = ("white", "black")
    colours: ClassVar[tuple[str, str]] = (WHITE, BLACK)
    opening_plies: ClassVar[int] = 4
    training: ClassVar[Mapping[str, Value]] = TRAINING

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.divercite.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the position; a ring marks the last piece."""
        from joute.games.divercite.drawing import scene

        return scene(self, last_move, f"{self.title}, {self.status}")
