"""Connect Four in Python: its name and its drawing; the rules are core/games/connect4/connect4.hpp."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, ClassVar

from joute import _core
from joute.games.board import TextBoard
from joute.games.scene import BOARD, EMPTY, PLAYERS, Disc, Rect, Scene, Shape, Target, coordinate
from joute.games.state import NativeState
from joute.spec import Value

Solver = _core.Connect4Solver

_COLUMNS = 7
_ROWS = 6

_BOARD = Rect(0, 0, _COLUMNS, _ROWS, BOARD, radius=0.25)
_LABELS = tuple(coordinate(column + 0.5, _ROWS + 0.3, str(column + 1)) for column in range(_COLUMNS))


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
        """Draw a blue board with red (first) and yellow (second) discs; a ring marks the last disc."""
        shapes: list[Shape] = [_BOARD]
        last_column = int(str(last_move)) - 1 if last_move is not None else -1
        for column in range(_COLUMNS):
            owners = [self.disc_at(column, row) for row in range(_ROWS)]
            top = sum(owner >= 0 for owner in owners) - 1 if column == last_column else -1
            shapes += [_disc(column, row, owner, row == top) for row, owner in enumerate(owners)]
            shapes.append(_LABELS[column])
        targets = tuple(Target(int(str(move)) - 1, 0, 1, _ROWS, str(move)) for move in self.legal_moves)
        return Scene(_COLUMNS, _ROWS + 0.6, tuple(shapes), targets, title=f"{self.title}, {self.status}")


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _disc(column: int, row: int, owner: int, highlight: bool) -> Disc:
    """Return a player's disc, or a hole if `owner` is -1."""
    return Disc(column + 0.5, _ROWS - row - 0.5, 0.4, PLAYERS[owner] if owner >= 0 else EMPTY, highlight)


def score_in_words(state: _core.Connect4, score: int) -> str:
    """Return the meaning of a solver's score for the mover, as in ``wins at ply 41``."""
    if score == 0:
        return "draws"
    if state.is_terminal:
        return f"has lost at ply {state.ply}"
    winner = state.to_move if score > 0 else 1 - state.to_move
    disc = _ROWS * _COLUMNS // 2 + 1 - abs(score)  # the winner's disc that completes four
    return f"{'wins' if score > 0 else 'loses'} at ply {2 * disc - (1 - winner)}"
