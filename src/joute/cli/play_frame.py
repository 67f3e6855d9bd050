"""The picture of a game in a terminal: the board, a panel with the players, clocks and last moves, and messages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joute.cli.terminal import Look
from joute.games.board import PLAIN, Ink, Line, Span, TextBoard, line_width, plain_board
from joute.text import printable, shortened

_GAP = 3  # columns between the board and the panel
_LEAST_PANEL = 28
_WIDEST_PANEL = 44
# The last moves that a panel lists, beside the board and below it.
_MOVES, _MOVES_BELOW = 6, 2
_LEAST_LINES = 3  # of messages, even if the board scrolls away
# Behind the sign of a player's colour, so that white and black show on every terminal.
_SIGN_GROUND = "#8a8f98"


@dataclass(frozen=True)
class Side:
    """A player in the panel."""

    #: The colour or species in the game, and the player's name: ``white``, ``you``.
    role: str
    name: str
    colour: str
    note: str
    clock: str
    is_to_move: bool


@dataclass(frozen=True)
class Message:
    """A sentence below the board; its kind gives the colour."""

    text: str
    kind: str = ""  # hint, error or empty


@dataclass(frozen=True)
class View:
    """Everything that the picture shows."""

    title: str
    board: TextBoard
    sides: tuple[Side, Side]
    #: (ply, role, move) of the last moves.
    moves: Sequence[tuple[int, str, str]]
    status: str
    messages: Sequence[Message] = ()


def frame(view: View, look: Look) -> list[Line]:
    """The lines of the picture; none is wider than the terminal, unless the board itself is."""
    board = view.board if look.is_unicode else view.board.in_ascii()
    room = look.width - board.width - _GAP
    if room >= _LEAST_PANEL:
        lines = _beside(board, list(_panel(view, look, min(room, _WIDEST_PANEL))))
    else:
        lines = [*board.lines, *_panel(view, look, look.width, moves=_MOVES_BELOW, gap=False)]
    return [*lines, (), *_cut_lines(list(_messages(view.messages, look)), look.height - len(lines) - 2)]


def fitting(board: TextBoard, text: str, look: Look) -> TextBoard:
    """A board, or the game's plain text if the board is too wide for the terminal and the text is not."""
    plain = plain_board(text)
    return plain if plain.width <= look.width < board.width else board


def _beside(board: TextBoard, panel: list[Line]) -> list[Line]:
    """The board with the panel at its right."""
    lines: list[Line] = []
    for row in range(max(len(board.lines), len(panel))):
        left = board.lines[row] if row < len(board.lines) else ()
        right = panel[row] if row < len(panel) else ()
        space = board.width + _GAP - line_width(left) if right else 0
        lines.append((*left, (" " * space, PLAIN), *right))
    return lines


def _panel(view: View, look: Look, width: int, *, moves: int = _MOVES, gap: bool = True) -> Iterator[Line]:
    """The lines beside or below the board; `gap` separates its parts by empty lines."""
    theme, empty = look.theme, ((),) if gap else ()
    yield ((_cut(view.title, width), Ink(bold=True)),)
    for side in view.sides:
        yield from empty
        yield _side(side, look, width)
        if side.note:
            yield ((_cut(f"    {side.note}", width), Ink(theme.muted)),)
    yield from empty
    for ply, role, move in view.moves[-moves:]:
        yield ((_cut(f"{ply + 1:>4}  {role}  {move}", width), Ink(theme.muted)),)
    if view.moves:
        yield from empty
    for line in textwrap.wrap(printable(view.status), width, break_on_hyphens=False):
        yield ((line, Ink(theme.accent, bold=True)),)


def _side(side: Side, look: Look, width: int) -> Line:
    """A player's line: a mark if it is to move, the colour, the name, and the clock at the right."""
    mark: Span = (f"{'▶' if side.is_to_move else ' '} ", Ink(look.theme.accent, bold=True))
    sign: list[Span] = [(" ● ", Ink(side.colour, _SIGN_GROUND)), (" ", PLAIN)] if look.colours else []
    used = 2 + sum(len(text) for text, _ in sign) + len(side.clock) + 1
    name = _cut(f"{side.role}: {side.name}", max(8, width - used))
    space = max(1, width - used - len(name) + 1)
    return (mark, *sign, (name, Ink(bold=side.is_to_move)), (" " * space, PLAIN), (side.clock, PLAIN))


def _cut_lines(lines: list[Line], room: int) -> list[Line]:
    """As many lines as fit, but for a few that are always shown; the last one tells that there are more."""
    room = max(_LEAST_LINES, room)
    return lines if len(lines) <= room else [*lines[: room - 1], (("…", PLAIN),)]


def _messages(messages: Sequence[Message], look: Look) -> Iterator[Line]:
    inks = {"hint": Ink(look.theme.hint), "error": Ink(look.theme.error)}
    for message in messages:
        for text in printable_lines(message.text):
            wrapped = textwrap.wrap(text, look.width, break_on_hyphens=False, subsequent_indent="  ") or [""]
            yield from (((line, inks.get(message.kind, PLAIN)),) for line in wrapped)


def printable_lines(text: str) -> list[str]:
    """The lines of a text, each printable."""
    return [printable(line) for line in text.split("\n")]


def _cut(text: str, width: int) -> str:
    return shortened(printable(text), width)
