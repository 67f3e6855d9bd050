"""Shared by several commands: arguments, output, the console."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from joute.cli.completion import complete_game
from joute.example import GAME

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.table import Table

    from joute.plugins import Registry


def adds_command(name: str, entry: object) -> Callable[[typer.Typer], None]:
    """A check for a registry of commands: an entry is a function that adds its command to an app."""
    if not callable(entry):
        raise TypeError(f"{entry!r} does not add a command")
    return entry


def add_command(app: typer.Typer, commands: Registry[Callable[[typer.Typer], None]], name: str) -> None:
    """Add a plug-in's command to an app; SpecError if it cannot be loaded or added, whatever the reason."""
    from joute.errors import SpecError, described

    add = commands.find(name)
    try:
        add(app)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a plug-in's own mistake, whatever it is
        raise SpecError(f"command '{name}' could not be added: {described(error)}") from error


GameArgument = Annotated[
    str,
    typer.Argument(metavar="GAME", help=f"A game, e.g. {GAME} (see 'joute games').", autocompletion=complete_game),
]
OptionalGameArgument = Annotated[
    str | None,
    typer.Argument(metavar="GAME", help=f"A game, e.g. {GAME} (see 'joute games').", autocompletion=complete_game),
]
GameOrSavedGameArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="GAME",
        help=f"A game, e.g. {GAME} (see 'joute games'); with --resume also the file of a saved game.",
        autocompletion=complete_game,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
SeedOption = Annotated[
    int, typer.Option(help="The seed of all random numbers; the same seed gives the same games.", min=0, max=2**64 - 1)
]
PictureForceOption = Annotated[bool, typer.Option("--force", help="Replace the file even if it is not a picture.")]
PositionOption = Annotated[
    str | None, typer.Option(help="Start from this position, in the game's notation.", metavar="POSITION")
]

ClockOption = Annotated[
    str,
    typer.Option(
        help="The limit of each side: seconds per game (300), plus an increment per move (60+0.5), seconds per move "
        "(2/move), nodes=10000, iterations=1000, depth=6.",
        metavar="T",
    ),
]


# A table drops dispensable columns before it cuts names to fewer characters than this.
_SHORT_NAME = 20


def console() -> Console:
    """The console for tables. Piped output is 160 columns wide, so that no table is cut to fit a terminal.

    Markup is off: text of plug-ins may contain [brackets], which rich would interpret.
    """
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704  # the BrokenPipeError being handled; `main` turns it into an exit status

    width = None if sys.stdout.isatty() else 160
    return PlainConsole(width=width, highlight=False, markup=False, emoji=False)


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text. Names and messages of others may be part of it: what is not printable is escaped, line by line."""
    from joute.text import printable_lines

    typer.echo(printable_lines(text), err=err, nl=nl)


def say(text: str, *, err: bool = False, alarm: bool = False) -> None:
    """Print a sentence, wrapped between words on a terminal. Not for commands to paste: these must not wrap.

    An `alarm` is red on a terminal, unless NO_COLOR is set (https://no-color.org).
    """
    import shutil
    import textwrap

    from joute.text import printable_lines

    is_terminal = (sys.stderr if err else sys.stdout).isatty()
    if is_terminal:
        width = shutil.get_terminal_size().columns
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    text = printable_lines(text)
    is_red = alarm and is_terminal and not os.environ.get("NO_COLOR")
    typer.echo(typer.style(text, fg=typer.colors.RED) if is_red else text, err=err)


def tell_failure(sentence: str, output: str, consequence: str) -> None:
    """Say on standard error that an agent failed before its first move: its traceback, a sentence, the consequence."""
    from joute.arena.hints import hint
    from joute.match.crash import crash_text

    text = crash_text(output)
    for line in text.splitlines() if text not in sentence else ():
        echo(f"  {line.expandtabs()}", err=True)
    advice = f" (hint: {advice})" if (advice := hint(sentence)) else ""
    say(f"joute: {sentence}; {consequence}{advice}", err=True, alarm=True)


def command_line(*words: object) -> str:
    """A command for the user to paste into a shell."""
    return " ".join(map(shell_word, ("joute", *words)))


def shell_word(word: object) -> str:
    r"""A word of a command, quoted for a shell; what is not printable is escaped as bash and zsh read it.

    >>> print(shell_word("a b"), shell_word("ev\u202eil.py"))
    'a b' $'ev\u202eil.py'
    """
    text = str(word)
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_shell_character, text)) + "'"


def _shell_character(character: str) -> str:
    if character.isprintable():
        return f"\\{character}" if character in "\\'" else character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def broken_command(lead: str, words: Sequence[object], width: int | None = None) -> str:
    r"""A command to paste, after a lead. If it is wider than the terminal, it is broken with backslashes.

    >>> print(broken_command("joute 1.0; ", ("host", "vampires", "--map", "a b.xml"), 24))
    joute 1.0;
    joute host vampires \
      --map 'a b.xml'
    """
    import shutil

    whole = f"{lead}{command_line(*words)}"
    if width is None:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(whole)
    if len(whole) <= width:
        return whole
    lines = ["joute"]
    for word in map(shell_word, words):
        if len(f"{lines[-1]} {word} \\") > width:
            lines.append(" ")
        lines[-1] += f" {word}"
    return lead.rstrip() + "\n" + " \\\n".join(lines)


def option_words(options: Mapping[str, Any]) -> list[object]:
    """Options as they are typed: ``--name value``, ``--switch`` or ``--no-switch``."""
    words: list[object] = []
    for name, value in options.items():
        option = name.replace("_", "-")
        words += [f"--{'' if value else 'no-'}{option}"] if isinstance(value, bool) else [f"--{option}", value]
    return words


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    from joute.text import json_text

    echo(json_text(json.dumps(data, ensure_ascii=False, indent=2)))


def table(*columns: str, title: str | None = None, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table; columns named in `numbers` align to the right."""
    from rich import box
    from rich.table import Table

    made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in numbers else "left")
    return made


def breakable(choices: str) -> str:
    """Choices ``a|b|c`` with blanks, at which a table can wrap them."""
    return choices.replace("|", " | ")


def table_of_agents(
    out: Console,
    columns: Mapping[str, list[str]],
    *,
    dispensable: Sequence[str] = (),
    shortest_name: int = 5,
    title: str | None = None,
) -> Table:
    """A table with a row for each name in the column ``agent``; all other columns are numbers.

    If the table is too wide, it drops the dispensable columns one by one, in the given order, and then shortens names.
    """
    kept = dict(columns)
    names = kept["agent"]
    longest = max(map(len, names), default=0)
    for column in ("", *dispensable):
        kept.pop(column, None)
        kept["agent"] = ["" for _ in names]
        room = out.width - width_of(out, _filled(kept)) + len("agent")
        if room >= min(longest, _SHORT_NAME):
            break
    return _filled(kept | {"agent": shortened(names, max(shortest_name, room))}, title)


def _filled(columns: Mapping[str, list[str]], title: str | None = None) -> Table:
    listing = table(*columns, title=title, numbers=tuple(header for header in columns if header != "agent"))
    for column in listing.columns:
        column.no_wrap = True
    for cells in zip(*columns.values(), strict=True):
        listing.add_row(*cells)
    return listing


def width_of(out: Console, listing: Table) -> int:
    """The width of a table, in characters, if nothing in it is cut."""
    from rich.measure import Measurement

    return Measurement.get(out, out.options.update(width=10_000), listing).maximum


def shortened(names: Sequence[str], width: int) -> list[str]:
    """Names cut to a width by an ellipsis, which is placed such that as many names as possible stay distinct.

    >>> shortened(["mcts:iterations=1000,c=1.4", "greedy"], 15)
    ['mcts:it…0,c=1.4', 'greedy']
    >>> shortened(["mcts:iterations=1000,c=1.4", "mcts:iterations=2000,c=1.4"], 15)
    ['mcts…1000,c=1.4', 'mcts…2000,c=1.4']
    """
    from joute._core import one_line

    printable = [one_line(name) for name in names]
    attempts = [[_cut(name, width, share) for name in printable] for share in (1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8, 0, 1)]
    return max(attempts, key=lambda attempt: len(set(attempt)))


def _cut(text: str, width: int, share: float) -> str:
    """`text` in `width` columns; the beginning gets `share` of them, the rest follows the ellipsis."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    room = max(0, width - 1)
    head, tail = text, text
    while cell_len(head) > round(share * room):
        head = head[:-1]
    while cell_len(head) + cell_len(tail) > room:
        tail = tail[1:]
    return f"{head}…{tail}"


class Advance(Protocol):
    """Advances a progress bar."""

    def __call__(self, completed: int, description: str, total: int | None = None) -> None:
        """Set the completed count, the description and, if given, the total."""
        ...


@contextlib.contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt in the context, so that a command ends by it as by Ctrl-C."""
    import signal

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt("SIGTERM")

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def redrawn(out: Console, view: Callable[[], RenderableType]) -> Live:
    """A live display that redraws a view four times a second and erases it when it stops."""
    from rich.live import Live

    return Live(console=out, transient=True, refresh_per_second=4, vertical_overflow="crop", get_renderable=view)


# Seconds between two lines of progress where the output is not a terminal.
_LINE_S = 30.0


@contextlib.contextmanager
def progress_lines(text: Callable[[], str], *, every_s: float = _LINE_S) -> Iterator[None]:
    """Print a line of progress on standard error every half minute, for logs; another thread calls `text`."""
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(every_s):
            echo(text(), err=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


class _Log:
    """Progress as a line of text."""

    def __init__(self, description: str, total: int | None) -> None:
        self._completed, self._description, self._total = 0, description, total
        self._began_s = time.monotonic()

    def __call__(self, completed: int, description: str, total: int | None = None) -> None:
        self._completed, self._description, self._total = completed, description, total or self._total

    def line(self) -> str:
        """The progress so far."""
        of_all = f" of {self._total}" if self._total else ""
        elapsed_s = time.monotonic() - self._began_s
        return f"{self._description}: {self._completed}{of_all}, {clock_text(elapsed_s)} so far"


@contextlib.contextmanager
def progress_bar(description: str, total: int | None) -> Iterator[Advance]:
    """A progress bar with the time left on a terminal; elsewhere a line every half minute."""
    if not sys.stderr.isatty():
        log = _Log(description, total)
        with progress_lines(log.line):
            yield log
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task(description, total=total)

        def advance(completed: int, description: str, total: int | None = None) -> None:
            progress.update(task, completed=completed, description=description, total=total)

        yield advance


def clock_text(seconds: float) -> str:
    """Return a time as on a clock.

    >>> clock_text(3725.4)
    '1:02:05'
    """
    from datetime import timedelta

    return str(timedelta(seconds=max(0, round(seconds))))
