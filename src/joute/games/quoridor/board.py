"""Quoridor in a terminal: cells with walls in the gaps between them."""

from __future__ import annotations

from typing import Any

from joute import _core
from joute.games.board import Ink, Line, Span, TextBoard, column_names, labelled
from joute.numbers import count_of

_SIZE = 9
_WOOD, _CELL, _WHITE_GOAL, _BLACK_GOAL = "#5b3a26", "#b98c5e", "#d0a97f", "#9a7048"
_PAWNS = ("#ffffff", "#000000")
_WALL, _LAST = "#f7e6b5", "#ffa51f"
_LETTERS = "WB"
# Characters of a cell, and of the gap between two cells.
_WIDTH, _GAP = 3, 1

# The walls by (row, column) as the core has them, with the notation of each.
Walls = dict[tuple[int, int], str]


def text_board(state: _core.Quoridor, last_move: Any, *, colour: bool) -> TextBoard:
    """Draw a position from White's side; the last pawn's cell or wall is marked."""
    last = str(last_move) if last_move is not None else ""
    horizontal = {(row, column): f"{_name(row, column)}h" for row, column in state.horizontal_walls}
    vertical = {(row, column): f"{_name(row, column)}v" for row, column in state.vertical_walls}
    lines: list[Line] = []
    for row in range(_SIZE - 1, -1, -1):
        lines.append(labelled(str(row + 1), _cells(state, row, vertical, last, colour=colour)))
        if row:
            lines.append(labelled(" ", _gaps(row - 1, horizontal, vertical, last, colour=colour)))
    lines.append(column_names([f" {letter}  " for letter in "abcdefghi"], _WIDTH + _GAP, 2))
    return TextBoard(tuple(lines), (_note(state, 0), _note(state, 1)))


def _note(state: _core.Quoridor, player: int) -> str:
    return f"{count_of(state.walls_left(player), 'wall')}, {count_of(state.distance(player), 'step')} to go"


def _name(row: int, column: int) -> str:
    return f"{'abcdefghi'[column]}{row + 1}"


def _cells(state: _core.Quoridor, row: int, vertical: Walls, last: str, *, colour: bool) -> list[Span]:
    """The line of a row of cells, and of the vertical walls between them."""
    spans: list[Span] = []
    for column in range(_SIZE):
        pawn = next((player for player in (0, 1) if state.pawn(player) == (row, column)), None)
        is_last = _name(row, column) == last
        ground = _LAST if is_last else {0: _BLACK_GOAL, _SIZE - 1: _WHITE_GOAL}.get(row, _CELL)
        if not colour:
            shown = "·" if pawn is None else _LETTERS[pawn]
            spans.append((f"[{shown}]" if is_last else f" {shown} ", Ink()))
        elif pawn is None:
            spans.append((" " * _WIDTH, Ink("", ground)))
        else:
            spans.append((" ● ", Ink(_PAWNS[pawn], ground, bold=True)))
        if column < _SIZE - 1:
            wall = vertical.get((row, column)) or vertical.get((row - 1, column))
            spans.append(_wall("┃", "║", wall, last, colour=colour))
    return spans


def _gaps(row: int, horizontal: Walls, vertical: Walls, last: str, *, colour: bool) -> list[Span]:
    """The line of the gaps above a row of cells: horizontal walls, and the middles of vertical ones."""
    spans: list[Span] = []
    for column in range(_SIZE):
        wall = horizontal.get((row, column)) or horizontal.get((row, column - 1))
        text, ink = _wall("━", "═", wall, last, colour=colour)
        spans.append((text * _WIDTH, ink))
        if column < _SIZE - 1:
            if middle := horizontal.get((row, column)):
                spans.append(_wall("━", "═", middle, last, colour=colour))
            else:
                spans.append(_wall("┃", "║", vertical.get((row, column)), last, colour=colour))
    return spans


def _wall(shape: str, marked: str, wall: str | None, last: str, *, colour: bool) -> Span:
    """A character of a wall, or of an empty gap. Without colours, double lines mark the last wall."""
    is_last = wall == last
    if not colour:
        return " " if wall is None else marked if is_last else shape, Ink()
    return " " if wall is None else shape, Ink(_LAST if is_last else _WALL, _WOOD, bold=True)
