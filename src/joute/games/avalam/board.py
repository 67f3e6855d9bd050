"""Avalam in a terminal: towers that rise with their height, or letters with numbers."""

from __future__ import annotations

from typing import Any

from joute import _core
from joute.games.board import PLAIN, Ink, Line, Span, TextBoard, column_names, labelled
from joute.games.scene import INK, RED, YELLOW

_SIZE = 9
_CELL = 4  # characters
# The ground of a tower that can still move, and of one that cannot.
_OPEN, _FROZEN = "#3a619b", "#9db4d6"
# The part of a tower above its lowest line, by its height.
_RISE = {1: " ", 2: "▂", 3: "▄", 4: "▆", 5: "█"}
_FULL = 5
_START = _core.Avalam()

# The upper and the lower line of a cell.
Block = tuple[tuple[Span, ...], tuple[Span, ...]]
_NOTHING: Block = ((" " * _CELL, PLAIN),), ((" " * _CELL, PLAIN),)


def text_board(state: _core.Avalam, last_move: Any, *, colour: bool) -> TextBoard:
    """Draw a position; brackets mark the tower that moved last, and a point where it stood."""
    last = str(last_move) if last_move is not None else ""
    lines: list[Line] = []
    for row in range(_SIZE):
        top, bottom = _row(state, row, last, colour=colour)
        lines += [labelled(" ", top), labelled(str(row + 1), bottom)]
    heights = [tower for line in state.towers for tower in line]
    notes = (_note([each for each in heights if each > 0]), _note([-each for each in heights if each < 0]))
    return TextBoard((*lines, column_names("abcdefghi", _CELL, 2)), notes)


def _note(heights: list[int]) -> str:
    fives = heights.count(_FULL)
    return f"{len(heights)} towers" + (f", {fives} of five" if fives else "")


def _row(state: _core.Avalam, row: int, last: str, *, colour: bool) -> tuple[list[Span], list[Span]]:
    """The two lines of a row."""
    top: list[Span] = []
    bottom: list[Span] = []
    for column in range(_SIZE):
        name = f"{'abcdefghi'[column]}{row + 1}"
        tower = state.tower_at(row, column)
        block: Block = _NOTHING
        if _START.tower_at(row, column):
            is_open = tower == 0 or bool(state.partners[row][column])
            block = _painted(tower, last, name, is_open=is_open) if colour else _lettered(tower, last, name)
        top += block[0]
        bottom += block[1]
    return top, bottom


def _painted(tower: int, last: str, name: str, *, is_open: bool) -> Block:
    """The two lines of a cell: the rise of the tower, and its lowest line with its height."""
    ground = _OPEN if is_open else _FROZEN
    gap: Span = (" ", Ink("", ground))
    if not tower:
        mark = "·" if name == last[:2] else " "
        return (("   ", Ink("", ground)), gap), ((f" {mark} ", Ink("#ffffff", ground, bold=True)), gap)
    fill = YELLOW if tower > 0 else RED
    text = f"[{abs(tower)}]" if name == last[2:] else f" {abs(tower)} "
    return (
        ((_RISE[abs(tower)] * 3, Ink(fill, ground)), gap),
        ((text, Ink(INK if tower > 0 else "#ffffff", fill, bold=True)), gap),
    )


def _lettered(tower: int, last: str, name: str) -> Block:
    if not tower:
        return ((" " * _CELL, PLAIN),), ((" ·· " if name == last[:2] else " ·  ", PLAIN),)
    text = f"{'Y' if tower > 0 else 'R'}{abs(tower)}"
    return ((f" {_RISE[abs(tower)] * 2} ", PLAIN),), ((f"[{text}]" if name == last[2:] else f" {text} ", PLAIN),)
