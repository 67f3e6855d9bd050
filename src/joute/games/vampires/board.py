"""Vampires vs Werewolves in a terminal: a grid with the number and the species of each group."""

from __future__ import annotations

from typing import Any

from joute import _core
from joute.games.board import PLAIN, Ink, Line, Span, TextBoard, column_names
from joute.games.scene import INK, WHITE
from joute.games.vampires.state import COLOURS
from joute.numbers import count_of

_CELL = 4  # characters
_GROUPS = {"v": (WHITE, COLOURS["v"]), "w": (INK, COLOURS["w"]), "h": (INK, COLOURS["h"])}
# The ground of empty cells, like a chess board, and of the cells of the last turn.
_GROUNDS, _LAST = ("#dfe4d2", "#d2d9c3"), "#b5d67c"


def text_board(state: _core.Vampires, last_move: Any, *, colour: bool) -> TextBoard:
    """Draw a position; the cells of the last turn are green, or marked by signs."""
    touched = _touched(state, last_move)
    contents = {(cell.x, cell.y): cell for cell in state.cells}
    margin = len(str(state.rows - 1)) + 1
    names = [str(column) for column in range(state.columns)]
    lines: list[Line] = [column_names(names, _CELL, margin)]
    for y in range(state.rows):
        spans: list[Span] = [(f"{y:>{margin - 1}} ", PLAIN)]
        for x in range(state.columns):
            cell = contents.get((x, y))
            text = f"{cell.units}{cell.species}" if cell else ""
            species = cell.species if cell else ""
            spans.append(_cell(text, species, (x + y) % 2, is_touched=(x, y) in touched, colour=colour))
        lines.append(tuple(spans))
    return TextBoard(tuple(lines), (_note(state, 0), _note(state, 1)))


def _note(state: _core.Vampires, player: int) -> str:
    return count_of(state.units(player), "unit")


def _touched(state: _core.Vampires, last_move: Any) -> frozenset[tuple[int, int]]:
    if last_move is None:
        return frozenset()
    orders = state.parse_move(str(last_move)).orders
    sources, targets = {(order.x, order.y) for order in orders}, {(order.target_x, order.target_y) for order in orders}
    return frozenset(sources | targets)


def _cell(text: str, species: str, parity: int, *, is_touched: bool, colour: bool) -> Span:
    if is_touched:
        text = f"›{text}" if text else "·"
    if not colour:
        return (text or ".").center(_CELL), PLAIN
    if not species:
        return text.center(_CELL), Ink("#3c4a3e", _LAST if is_touched else _GROUNDS[parity])
    fill, ground = _GROUPS[species]
    return text.center(_CELL), Ink(fill, ground, bold=True)
