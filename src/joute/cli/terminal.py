"""What the terminal can show: colours, characters, width; and how lines of a drawing are written to it."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TextIO

from joute.games.board import ASCII, Ink, Line, ascii_text

if TYPE_CHECKING:
    from rich.style import Style

#: The colour systems of terminals, as rich names them; None for no colours.
Colours = Literal["truecolor", "256", "standard"] | None

_DUMB = ("dumb", "unknown")
# The background colours of the variable COLORFGBG that are light: white and bright white.
_LIGHT = ("7", "15")


@dataclass(frozen=True)
class Theme:
    """Colours of words beside the board, on a ground that is the terminal's own."""

    accent: str
    muted: str
    hint: str
    error: str


#: By whether the terminal is light. All have a contrast of at least 4.5 on white, or on black.
THEMES = {
    False: Theme(accent="#ffb454", muted="#9aa5b1", hint="#7ee787", error="#ff7b72"),
    True: Theme(accent="#9a4d00", muted="#5b6673", hint="#1a6f33", error="#b3261e"),
}


@dataclass(frozen=True)
class Look:
    """What a terminal can show."""

    colours: Colours = None
    is_unicode: bool = True
    is_light: bool = False
    width: int = 80
    height: int = 24

    @property
    def theme(self) -> Theme:
        """The colours of words."""
        return THEMES[self.is_light]

    def shown(self, text: str) -> str:
        """Text in characters that the terminal has."""
        return text if self.is_unicode else ascii_text(text)


def find_look(stream: TextIO, environment: Mapping[str, str], *, theme: str = "auto") -> Look:
    """The look of a stream. NO_COLOR takes colours away, and FORCE_COLOR gives them to a pipe.

    `theme` is ``light``, ``dark`` or ``auto``: by the variable COLORFGBG, which some terminals set, and dark without.
    """
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    size = shutil.get_terminal_size()
    return Look(
        colours=_colours(environment, is_terminal=stream.isatty()),
        is_unicode=_has_characters(stream),
        is_light=theme == "light" or (theme == "auto" and ground in _LIGHT),
        width=size.columns,
        height=size.lines,
    )


def can_redraw(stdin: TextIO, stdout: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether a player sits at a terminal that can move its cursor."""
    return stdin.isatty() and stdout.isatty() and environment.get("TERM", "") not in (*_DUMB, "")


def _colours(environment: Mapping[str, str], *, is_terminal: bool) -> Colours:
    is_forced = environment.get("FORCE_COLOR", "") not in ("", "0")
    if environment.get("NO_COLOR") or not (is_terminal or is_forced):
        return None
    term = environment.get("TERM", "")
    if environment.get("COLORTERM", "") in ("truecolor", "24bit"):
        return "truecolor"
    if "256" in term:
        return "256"
    return "standard" if is_forced or term not in (*_DUMB, "") else None


def _has_characters(stream: TextIO) -> bool:
    try:
        "".join(ASCII).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def painted(lines: Iterable[Line], look: Look) -> str:
    """Lines as text with the escapes of their colours."""
    from rich.console import Console
    from rich.text import Text

    out = Console(
        file=io.StringIO(),
        force_terminal=look.colours is not None,
        color_system=look.colours,
        width=10_000,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        no_color=look.colours is None,
    )
    with out.capture() as capture:
        for line in lines:
            text = Text()
            for words, ink in line:
                text.append(look.shown(words), _style(ink))
            out.print(text, no_wrap=True, overflow="ignore", crop=False)
    return capture.get()


def _style(ink: Ink) -> Style:
    from rich.style import Style

    return Style(color=ink.fill or None, bgcolor=ink.ground or None, bold=ink.bold or None)
