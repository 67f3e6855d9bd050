"""Shared by the commands that read or write files of games: selection by agent, damaged games, new texts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from joute.cli.common import echo

if TYPE_CHECKING:
    from joute.arena.store.game_file import DamagedGame, FiledGame
    from joute.errors import JouteError
    from joute.match import GameRecord

GameFileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A tournament's file, or a text of games.", show_default=False)
]
SkipDamagedOption = Annotated[
    bool,
    typer.Option("--skip-damaged", help="Use the readable games, name the others, and end with status 1."),
]


def played_by(agents: Sequence[str], games: Iterable[FiledGame], path: Path) -> Iterator[FiledGame]:
    """The games that one of these agents played, or all games if `agents` is empty.

    Raises SpecError after the last game if a name is unknown.
    """
    from joute.arena.store.game_file import players_of
    from joute.spec import look_up

    seen: set[str] = set()
    for game in games:
        players = game.record.players
        seen.update(players)
        if not agents or set(agents) & set(players):
            yield game
    if set(agents) - seen:
        names = {name: name for name in players_of(path)}
        for name in agents:
            look_up(f"agent in {path}", name, names)


@contextlib.contextmanager
def new_text(path: Path) -> Iterator[Callable[[GameRecord], None]]:
    """A new text of games; the yielded function appends a finished game and flushes it."""
    from datetime import UTC, datetime

    from joute.errors import JouteError
    from joute.match.record_text import write_record
    from joute.numbers import game_number

    try:
        text = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise JouteError(f"{path} already exists; games are written to a new file") from None
    except OSError as error:
        raise JouteError(f"{path} cannot be written: {error.strerror}") from error
    number, began = 0, datetime.now(UTC)

    def add(record: GameRecord) -> None:
        nonlocal number, began
        tags = {"Event": "match", "Date": began.isoformat(timespec="milliseconds"), "Round": str(game_number(number))}
        text.write("\n" * bool(number) + write_record(record, tags=tags))
        text.flush()
        number, began = number + 1, datetime.now(UTC)

    with text:
        yield add


@contextlib.contextmanager
def new_text_and_output(path: Path) -> Iterator[Callable[[GameRecord], None]]:
    """As `new_text`, with the agents' output in a file beside it: ``games.output.txt`` for ``games.txt``.

    Of the output, a game keeps only the traceback of an agent at fault. Without output there is no second file.
    """
    import dataclasses

    from joute.errors import JouteError
    from joute.match.crash import crashes
    from joute.text import printable_lines

    beside = path.with_suffix(f".output{path.suffix}")
    if beside.exists():
        raise JouteError(f"{beside} already exists; the agents' output is written to a new file")
    number = 0
    with new_text(path) as add_game, contextlib.ExitStack() as stack:
        file: TextIO | None = None

        def add(record: GameRecord) -> None:
            nonlocal number, file
            number += 1
            add_game(dataclasses.replace(record, output=crashes(record)))
            for name, output in zip(record.players, record.output, strict=True):
                if output and file is None:
                    file = stack.enter_context(beside.open("x", encoding="utf-8"))
                if output and file is not None:
                    file.write(printable_lines(f"== game {number}, {name}\n{output.rstrip()}\n\n"))
                    file.flush()

        yield add


class Damage:
    """Collects games that cannot be read. Unless `skip`, the first of them ends the command."""

    def __init__(self, *, skip: bool) -> None:
        self._skip = skip
        self._errors: list[JouteError] = []

    def whole(self, games: Iterable[FiledGame | DamagedGame]) -> Iterator[FiledGame]:
        """The games that are not damaged."""
        from joute.arena.store.game_file import DamagedGame
        from joute.errors import JouteError

        for game in games:
            if not isinstance(game, DamagedGame):
                yield game
            elif self._skip:
                self._errors.append(game.error)
            else:
                raise JouteError(f"{game.error}; --skip-damaged takes the games that can be read") from game.error

    def tell(self) -> None:
        """Print an error for each skipped game."""
        for error in self._errors:
            echo(f"joute: left out: {error}", err=True)

    def end(self) -> None:
        """Print an error for each skipped game, and end with status 1 if there is one."""
        self.tell()
        if self._errors:
            raise typer.Exit(1)
