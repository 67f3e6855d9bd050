"""Quoridor in Python; the rules are core/games/quoridor/quoridor.hpp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from joute import _core
from joute.games.board import TextBoard
from joute.games.quoridor.training import STARTS, TRAINING, start_texts
from joute.games.scene import BLACK, WHITE, Scene
from joute.games.state import NativeState
from joute.spec import Value


class Quoridor(_core.Quoridor, NativeState):
    """A Quoridor position. A move is a cell, ``e2``, or a wall, ``e3h`` or ``e3v``."""

    __slots__ = ()
    game: ClassVar[str] = "quoridor"
    title: ClassVar[str] = "Quoridor"
    flips: ClassVar[bool] = True
    players: ClassVar[tuple[str, str]] = ("white", "black")
    colours: ClassVar[tuple[str, str]] = (WHITE, BLACK)
    opening_plies: ClassVar[int] = 4
    training: ClassVar[Mapping[str, Value]] = TRAINING
    training_start_kinds: ClassVar[Mapping[str, str]] = STARTS

    def training_starts(self, kind: str, rng: _core.Random) -> list[Self]:
        """Return the positions of a set of `training_start_kinds`, with the rules of this position."""
        return [type(self).new(text, self.rules) for text in start_texts(kind, rng, self)]

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.quoridor.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the position; a ring marks the last wall, or the cell of the pawn that moved last."""
        from joute.games.quoridor.drawing import scene

        return scene(self, last_move, f"{self.title}, {self.status}")
