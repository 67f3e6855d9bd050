"""Connect Four in Python; the rules are core/games/connect4/connect4.hpp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from joute import _core
from joute.games.board import TextBoard
from joute.games.scene import Scene
from joute.games.state import NativeState
from joute.spec import Value

Solver = _core.Connect4Solver

_COLUMNS = 7
_ROWS = 6


class Connect4(_core.Connect4, NativeState):
    """A Connect Four position. A move is a column, 1 to 7; a position's text is the sequence of columns played."""

    __slots__ = ()
    game: ClassVar[str] = "connect4"
    title: ClassVar[str] = "Connect Four"
    players: ClassVar[tuple[str, str]] = ("first (X)", "second (O)")
    opening_plies: ClassVar[int] = 4  # about 370 positions that a shallow search considers balanced
    # The fastest win leaves the winner 18 discs. The solver takes 24 µs for a random position at ply 24, 1.8 ms at 16.
    training: ClassVar[Mapping[str, Value]] = {
        "margin_scale": 18.0,
        "exact_from": 22,
        "random_share": 0.5,
        "random_plies": 20,
    }

    def text_board(self, last_move: Any = None, *, colour: bool = True) -> TextBoard:
        """Draw the position for a terminal."""
        from joute.games.connect4.board import text_board

        return text_board(self, last_move, colour=colour)

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the position; a ring marks the last disc."""
        from joute.games.connect4.drawing import scene

        return scene(self, last_move, f"{self.title}, {self.status}")


def score_in_words(state: _core.Connect4, score: int) -> str:
    """Return the meaning of a solver's score for the mover, as in ``wins at ply 41``."""
    if score == 0:
        return "draws"
    if state.is_terminal:
        return f"has lost at ply {state.ply}"
    winner = state.to_move if score > 0 else 1 - state.to_move
    disc = _ROWS * _COLUMNS // 2 + 1 - abs(score)  # the winner's disc that completes four
    return f"{'wins' if score > 0 else 'loses'} at ply {2 * disc - (1 - winner)}"
