"""What the commands share that have to do with files of games: choosing some, telling which are damaged, writing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from joute.arena.store.game_file import DamagedGame, FiledGame
    from joute.errors import JouteError
    from joute.match import GameRecord

GameFileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A tournament's file, or a text of games.", show_default=False)
]
SkipDamagedOption = Annotated[
    bool,
    typer.Option("--skip-damaged", help="Take the games that can be read, name the others, and end with status 1."),
]


def played_by(agents: Sequence[str], games: Iterable[FiledGame], path: Path) -> Iterator[FiledGame]:
    """The games that one of these agents played, or all if none is named; SpecError in the end about a wrong name."""
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
    """A new text of games, which is told each game when it ends, and has it from then on."""
    from datetime import UTC, datetime

    from joute.errors import JouteError
    from joute.match.record_text import write_record

    try:
        text = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise JouteError(f"{path} is already there; games are written to a new file") from None
    except OSError as error:
        raise JouteError(f"{path} cannot be written: {error.strerror}") from error
    number, began = 0, datetime.now(UTC)

    def add(record: GameRecord) -> None:
        nonlocal number, began
        tags = {"Event": "match", "Date": began.isoformat(timespec="milliseconds"), "Round": str(number)}
        text.write("\n" * bool(number) + write_record(record, tags=tags))
        text.flush()
        number, began = number + 1, datetime.now(UTC)

    with text:
        yield add


class Damage:
    """The games that could not be read: the first ends the command, unless they are to be skipped."""

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
        """Name what was left out."""
        for error in self._errors:
            typer.echo(f"joute: left out: {error}", err=True)

    def end(self) -> None:
        """Name what was left out, and end with status 1 if anything was."""
        self.tell()
        if self._errors:
            raise typer.Exit(1)
