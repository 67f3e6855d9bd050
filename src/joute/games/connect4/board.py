"""Connect Four in a terminal: discs in a blue board, or letters."""

from __future__ import annotations

from typing import Any

from joute import _core
from joute.games.board import Ink, Line, Span, TextBoard, column_names
from joute.games.scene import BOARD, EMPTY, HIGHLIGHT, PLAYERS

_COLUMNS, _ROWS = 7, 6
# A disc is one and a half lines high, so that discs above each other stay apart.
_TOP, _BOTTOM = "▟██▙", "▝▀▀▘"
_NAMES = [str(column + 1) for column in range(_COLUMNS)]
_LETTERS = "XO"


def text_board(state: _core.Connect4, last_move: Any, *, colour: bool) -> TextBoard:
    """Draw a position; the last disc is marked."""
    column = int(str(last_move)) - 1 if last_move is not None else -1
    last = (column, state.heights[column] - 1)
    rows = range(_ROWS - 1, -1, -1)
    if colour:
        lines = [line for row in rows for line in _discs(state, row, last)]
        return TextBoard((*lines, column_names(_NAMES, 5, 0)))
    return TextBoard((*(_letters(state, row, last) for row in rows), column_names(_NAMES, 4, 0)))


def _discs(state: _core.Connect4, row: int, last: tuple[int, int]) -> tuple[Line, Line]:
    """The two lines of a row of discs; a white square marks the last one."""
    frame = Ink("", BOARD)
    top: list[Span] = []
    bottom: list[Span] = []
    for column in range(_COLUMNS):
        owner = state.disc_at(column, row)
        fill = PLAYERS[owner] if owner >= 0 else EMPTY
        disc, gap = Ink(fill, BOARD), (" ", frame)
        marked: list[Span] = [(_TOP[0], disc), ("▄▄", Ink(HIGHLIGHT, fill)), (_TOP[3], disc)]
        top += [gap, *(marked if (column, row) == last else [(_TOP, disc)])]
        bottom += [gap, (_BOTTOM, disc)]
    return (*top, (" ", frame)), (*bottom, (" ", frame))


def _letters(state: _core.Connect4, row: int, last: tuple[int, int]) -> Line:
    cells = []
    for column in range(_COLUMNS):
        owner = state.disc_at(column, row)
        letter = _LETTERS[owner] if owner >= 0 else "·"
        cells.append(f"[{letter}] " if (column, row) == last else f" {letter}  ")
    return (("".join(cells), Ink()),)
