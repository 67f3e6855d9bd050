"""Avalam in Python; the rules are core/games/avalam/avalam.hpp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from joute import _core
from joute.games.avalam.training import TRAINING
from joute.games.board import TextBoard
from joute.games.scene import RED, YELLOW, Scene
from joute.games.state import NativeState
from joute.spec import Value


class Avalam(_core.Avalam, NativeState):
    """An Avalam position. A move names two cells, ``c1d1``; a position's text lists the 48 cells, row by row."""

    __slots__ = ()
    game: ClassVar[str] = "avalam"
    title: ClassVar[str] = "Avalam"
    flips: ClassVar[bool] = True
    players: ClassVar[tuple[str, str]] = ("yellow", "red")
    colours: ClassVar[tuple[str, str]] = (YELLOW, RED)
    opening_plies: ClassVar[int] = 4
    training: ClassVar[Mapping[str, Value]] = TRAINING

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.avalam.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the position; rings mark where the last tower came from and where it stands."""
        from joute.games.avalam.drawing import scene

        return scene(self, last_move, f"{self.title}, {self.status}")
