"""What several commands share: arguments, output, the console."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="A game, e.g. connect4 (see 'joute games').")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
SeedOption = Annotated[
    int, typer.Option(help="Feeds all randomness; the same seed gives the same games.", min=0, max=2**64 - 1)
]
PositionOption = Annotated[
    str | None, typer.Option(help="Start from this position, in the game's notation.", metavar="POSITION")
]

ClockOption = Annotated[
    str,
    typer.Option(help="What each side gets: 300, 60+0.5, 2/move, nodes=10000, iterations=1000, depth=6.", metavar="T"),
]


def console() -> Console:
    """Where tables go. Piped output gets room, so that no table is cut to fit a terminal.

    Text prints as it is: what rich takes for markup may be a plug-in's [brackets].
    """
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704  # the BrokenPipeError being handled: `main` knows how to end

    width = None if sys.stdout.isatty() else 160
    return PlainConsole(width=width, highlight=False, markup=False, emoji=False)


def command_line(*words: object) -> str:
    """A command for the user to paste into a shell."""
    return shlex.join(map(str, ("joute", *words)))


def print_json(data: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def table(*columns: str, title: str | None = None, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table; columns named in `numbers` align to the right."""
    from rich import box
    from rich.table import Table

    made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in numbers else "left")
    return made


def percent(share: float) -> str:
    """0.5432 as 54.3%."""
    return f"{100 * share:.1f}%"


def duration(seconds: float) -> str:
    """A short time with a unit that suits it."""
    if seconds < 1e-5:
        return f"{seconds * 1e6:.1f} µs"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"


class Advance(Protocol):
    """Moves a progress bar on."""

    def __call__(self, completed: int, description: str, total: int | None = None) -> None:
        """Show how much is done, in words and out of how much."""
        ...


@contextlib.contextmanager
def progress_bar(description: str, total: int | None) -> Iterator[Advance]:
    """A progress bar with the time left, on a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        task = progress.add_task(description, total=total)

        def advance(completed: int, description: str, total: int | None = None) -> None:
            progress.update(task, completed=completed, description=description, total=total)

        yield advance
