"""How ``joute play`` talks to the player: line by line through pipes, or by a picture that is redrawn in place."""

from __future__ import annotations

import contextlib
import os
import sys
import termios
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import typer

from joute.cli.common import echo, say
from joute.cli.play_frame import Message, View, frame
from joute.cli.terminal import Look, find_look, painted

if TYPE_CHECKING:
    from joute.games import State

_PROMPT = "your move: "
# Moves the cursor to the top left corner and erases everything below it.
_CLEAR = "\x1b[H\x1b[J"


class Screen(ABC):
    """Shows a game to the player and reads what the player types."""

    #: Whether a person sits before it, who sees a picture and can be asked questions.
    is_live = False

    @abstractmethod
    def show(self, view: View, told: str, state: State) -> None:
        """Show the position after something has happened, which `told` says."""

    @abstractmethod
    def say(self, text: str, kind: str = "") -> None:
        """Tell the player something: a hint, an error, or an answer."""

    @abstractmethod
    def ask(self, view: View) -> str:
        """Read a line; EOFError at the end of the input."""

    def think(self, view: View) -> None:  # noqa: B027  # lines of text do not tell that the opponent thinks
        """Show that the opponent thinks."""

    def offer(self, words: Sequence[str]) -> None:  # noqa: B027
        """Complete these words when the Tab key is pressed, where that is possible."""

    def close(self) -> None:  # noqa: B027
        """Tell what was not shown yet, and leave the terminal as it was."""


class Lines(Screen):
    """Lines of text, for pipes and for terminals that cannot move their cursor."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def show(self, view: View, told: str, state: State) -> None:
        """Print what happened, and the board; in colours if they are forced."""
        if self._look.colours is None:
            echo(f"{told}{state}")
            return
        echo(told, nl=False)
        board = view.board if self._look.is_unicode else view.board.in_ascii()
        typer.echo(painted(board.lines, self._look), nl=False, color=True)
        echo(state.status)

    def say(self, text: str, kind: str = "") -> None:
        """Print it."""
        echo(text)

    def ask(self, view: View) -> str:
        """Read a line after the prompt."""
        return input(_PROMPT)


class Echo:
    """The terminal's echo of keys, which is off while a picture is drawn.

    Keys that a player presses early would otherwise be printed in the middle of the escapes of colours. They are not
    lost: the next question reads them.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._before: list[Any] | None = None
        with contextlib.suppress(OSError, termios.error, ValueError):  # no terminal, or no stream of the system
            self._before = termios.tcgetattr(stream)

    def hide(self) -> None:
        """Turn the echo off."""
        if self._before is not None:
            flags = self._before[3] & ~termios.ECHO
            termios.tcsetattr(self._stream, termios.TCSADRAIN, [*self._before[:3], flags, *self._before[4:]])

    def restore(self) -> None:
        """Leave the terminal as it was."""
        if self._before is not None:
            termios.tcsetattr(self._stream, termios.TCSADRAIN, self._before)

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Turn the echo on while a line is read."""
        self.restore()
        try:
            yield
        finally:
            self.hide()


class Picture(Screen):
    """A picture that is redrawn in place. What is said stands below the board until the next line is typed."""

    is_live = True

    def __init__(self, look: Callable[[], Look]) -> None:
        self._find_look = look  # asked for every picture: the window may change its size
        self._messages: list[Message] = []
        self._undrawn: list[Message] = []
        self._drawn: tuple[View, Look] | None = None
        self._words: list[str] = []
        self._echo = Echo(sys.stdin)
        self._echo.hide()
        # What is on the screen is scrolled away and not erased.
        sys.stdout.write("\n" * look().height)
        with contextlib.suppress(ImportError):
            import readline

            readline.parse_and_bind("tab: complete")
            readline.set_completer_delims(" ")
            readline.set_completer(self._complete)

    def show(self, view: View, told: str, state: State) -> None:
        """Redraw the picture."""
        self._draw(view)

    def say(self, text: str, kind: str = "") -> None:
        """Keep it for the next picture."""
        self._undrawn.append(Message(text, kind))

    def think(self, view: View) -> None:
        """Redraw the picture, which says who thinks."""
        self._draw(view)

    def ask(self, view: View) -> str:
        """Redraw the picture and read a line below it."""
        self._draw(view)
        self._messages.clear()
        self._drawn = None  # what the player types changes the screen
        with self._echo.shown():
            return input(_PROMPT)

    def offer(self, words: Sequence[str]) -> None:
        """Complete these words."""
        self._words = list(words)

    def close(self) -> None:
        """Print what was said since the last picture. The picture may be used again afterwards."""
        self._echo.restore()
        for message in self._undrawn:
            say(message.text)
        self._undrawn.clear()

    def _draw(self, view: View) -> None:
        look = self._find_look()
        self._messages += self._undrawn
        self._undrawn.clear()
        shown = replace(view, messages=tuple(self._messages))
        if (shown, look) == self._drawn:
            return
        self._drawn = shown, look
        sys.stdout.write(_CLEAR + painted(frame(shown, look), look))
        sys.stdout.flush()

    def _complete(self, text: str, index: int) -> str | None:
        fitting = [word for word in self._words if word.startswith(text)]
        return fitting[index] if index < len(fitting) else None


def make_screen(*, is_live: bool, theme: str) -> Screen:
    """The screen of this process's standard streams."""

    def look() -> Look:
        return find_look(sys.stdout, os.environ, theme=theme)

    return Picture(look) if is_live else Lines(look())
