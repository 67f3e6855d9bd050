"""Avalam in Python: its name and its drawing; the rules are core/games/avalam.hpp."""

from __future__ import annotations

from typing import ClassVar

from joute import _core
from joute.games.state import NativeState


class Avalam(_core.Avalam, NativeState):
    """An Avalam position. A move goes from cell to cell, ``c1d1``; a position is its 48 cells, row by row."""

    __slots__ = ()
    game: ClassVar[str] = "avalam"
    title: ClassVar[str] = "Avalam"
    players: ClassVar[tuple[str, str]] = ("yellow", "red")
    opening_plies: ClassVar[int] = 4
