"""Quoridor in Python: its name and its drawing; the rules are core/games/quoridor.hpp."""

from __future__ import annotations

from typing import ClassVar

from joute import _core
from joute.games.state import NativeState


class Quoridor(_core.Quoridor, NativeState):
    """A Quoridor position. A move is a cell, ``e2``, or a wall, ``e3h`` or ``e3v``."""

    __slots__ = ()
    game: ClassVar[str] = "quoridor"
    title: ClassVar[str] = "Quoridor"
    players: ClassVar[tuple[str, str]] = ("white", "black")
    opening_plies: ClassVar[int] = 4
