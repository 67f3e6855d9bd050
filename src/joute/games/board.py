"""A board of text for terminals: lines of characters with colours.

A game draws it in `State.text_board`, as it draws a scene for pages. A board must be readable without colours, because
a terminal may have none: the game then draws letters for the players. It may use the characters of `ASCII` besides
ASCII itself; a terminal that cannot show them gets their replacements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

#: Characters of drawings, and what stands for them where the encoding of a terminal has only ASCII.
ASCII = {
    "█": "#", "▀": '"', "▁": "_", "▂": "_", "▃": "_", "▄": "=", "▅": "=", "▆": "=", "▇": "#", "▟": "/", "▙": "\\",
    "▜": "\\", "▛": "/", "▝": "\\", "▘": "/", "●": "o", "·": ".", "━": "-", "┃": "|", "═": "=", "║": "!", "★": "*",
    "─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+",
    "╴": "-", "╶": "-", "╵": "|", "╷": "|", "■": "#", "▶": ">", "›": ">", "…": "...", "–": "-", "½": "1/2", "é": "e",
}  # fmt: skip
_TO_ASCII = str.maketrans(ASCII)


@dataclass(frozen=True)
class Ink:
    """Colours as ``#rrggbb``, of the characters and of the ground behind them; empty for the terminal's own."""

    fill: str = ""
    ground: str = ""
    bold: bool = False


#: Text in one ink.
Span: TypeAlias = tuple[str, Ink]
Line: TypeAlias = tuple[Span, ...]

#: The terminal's own colours.
PLAIN = Ink()


@dataclass(frozen=True)
class TextBoard:
    """A drawn position, and a few words about each player, such as the walls in hand."""

    lines: tuple[Line, ...]
    notes: tuple[str, str] = ("", "")

    @property
    def width(self) -> int:
        """The number of characters in the longest line; every character of a drawing is one column wide."""
        return max((line_width(line) for line in self.lines), default=0)

    @property
    def text(self) -> str:
        """The board without colours."""
        return "\n".join(line_text(line).rstrip() for line in self.lines)

    def in_ascii(self) -> TextBoard:
        """The board with the replacements of `ASCII`; those of drawings have one character."""
        return replace(self, lines=tuple(tuple((ascii_text(text), ink) for text, ink in line) for line in self.lines))


def line_text(line: Line) -> str:
    """The characters of a line."""
    return "".join(text for text, _ in line)


def line_width(line: Line) -> int:
    """The number of characters of a line."""
    return sum(len(text) for text, _ in line)


def ascii_text(text: str) -> str:
    """Text with the replacements of `ASCII`; any other character that is not ASCII becomes a question mark.

    >>> ascii_text("● e4 …")
    'o e4 ...'
    """
    return text.translate(_TO_ASCII).encode("ascii", "replace").decode("ascii")


def plain_board(text: str) -> TextBoard:
    """A board of lines of text: the default of games without a drawing."""
    return TextBoard(tuple(((line, PLAIN),) for line in text.split("\n")))


def labelled(label: str, spans: Iterable[Span]) -> Line:
    """A line of a board after the name of its row."""
    return ((f"{label} ", PLAIN), *spans)


def column_names(names: Sequence[str], cell: int, margin: int) -> Line:
    """The line of the columns' names, each in the middle of a cell of that many characters, after a margin."""
    return ((" " * margin + "".join(name.center(cell) for name in names), PLAIN),)
