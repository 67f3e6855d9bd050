"""Divercité in a terminal: cities in their owner's frame with their points, resources as round blobs."""

from __future__ import annotations

from typing import Any

from joute import _core
from joute.games.board import PLAIN, Ink, Line, Span, TextBoard, column_names, labelled
from joute.games.divercite.drawing import COLOURS
from joute.numbers import count_of

_SIZE = 9
_CELL = 4  # characters
_OWNERS = {"W": "#fbfaf5", "B": "#17181b"}
_CITY_GROUND, _RESOURCE_GROUND, _LAST = "#9c9686", "#b5af9f", "#ffa51f"
_DIVERCITE = 5
_SIGNS = {"W": "+", "B": "-"}
_TOP, _BOTTOM = "▟██▙", "▜██▛"

Block = tuple[tuple[Span, ...], tuple[Span, ...]]


def text_board(state: _core.Divercite, last_move: Any, *, colour: bool) -> TextBoard:
    """Draw a position; the ground of the last piece is orange, or brackets mark it."""
    last = str(last_move)[1:] if last_move is not None else ""
    lines: list[Line] = []
    for row in range(_SIZE):
        top: list[Span] = []
        bottom: list[Span] = []
        for column in range(_SIZE):
            upper, lower = _block(state, row, column, last, colour=colour)
            top += upper
            bottom += lower
        lines += [labelled(str(row + 1), top), labelled(" ", bottom)]
    return TextBoard((*lines, column_names("abcdefghi", _CELL, 2)), (_note(state, 0), _note(state, 1)))


def _note(state: _core.Divercite, player: int) -> str:
    """Points, and the pieces in hand: capitals are cities."""
    hand = state.hand(player)
    cities = "".join(colour * hand.get(f"{colour}C", 0) for colour in COLOURS)
    resources = "".join(colour.lower() * hand.get(f"{colour}R", 0) for colour in COLOURS)
    return f"{count_of(state.scores[player], 'point')}, has {cities}{resources or ('' if cities else 'nothing')}"


def _block(state: _core.Divercite, row: int, column: int, last: str, *, colour: bool) -> Block:
    """The two lines of a cell."""
    if abs(row - 4) + abs(column - 4) > 4:
        return ((" " * _CELL, PLAIN),), ((" " * _CELL, PLAIN),)
    piece, points = state.piece_at(row, column), state.points_at(row, column)
    is_last = f"{'abcdefghi'[column]}{row + 1}" == last
    is_city = (row + column) % 2 == 1
    if not colour:
        return _lettered(piece, points, is_city=is_city, is_last=is_last)
    ground = _LAST if is_last else _CITY_GROUND if is_city else _RESOURCE_GROUND
    if not piece:
        return ((" " * _CELL, Ink("", ground)),), ((" ■■ " if is_city else " ·  ", Ink("#6f6a5d", ground)),)
    fill = COLOURS[piece[0]]
    if not is_city:
        blob = Ink(fill, ground)
        middle: Span = ("▄▄", Ink("#ffffff", fill)) if is_last else ("██", blob)
        return ((_TOP[0], blob), middle, (_TOP[3], blob)), ((_BOTTOM, blob),)
    frame = Ink("", _OWNERS[piece[2]])
    ink = Ink("#17181b" if piece[0] == "Y" else "#ffffff", fill, bold=True)
    worth = "★" if points == _DIVERCITE else str(points) if points else " "
    side: Span = ("[" if is_last else " ", Ink(_LAST, _OWNERS[piece[2]], bold=True))
    other: Span = ("]" if is_last else " ", side[1])
    return (side, (f"{piece[0]} ", ink), other), ((" ", frame), (f"{worth} ", ink), (" ", frame))


def _lettered(piece: str, points: int, *, is_city: bool, is_last: bool) -> Block:
    """A cell without colours: R+ is White's red city with its points below, r a red resource."""
    if not piece:
        text = "##" if is_city else "· "
    elif is_city:
        text = f"{piece[0]}{_SIGNS[piece[2]]}"
    else:
        text = f"{piece[0].lower()} "
    worth = "★" if points == _DIVERCITE else str(points) if points else " "
    return ((f"[{text}]" if is_last else f" {text} ", PLAIN),), ((f" {worth}  ", PLAIN),)
