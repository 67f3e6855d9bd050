"""``joute import``: make a tournament's file from texts and recordings of games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joute.cli.common import command_line, echo
from joute.cli.game_files import Damage, SkipDamagedOption
from joute.numbers import count_of


def import_(
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT",
            help="Texts of games, recordings of a course's program (JSON), or tournaments' files.",
            show_default=False,
        ),
    ],
    *,
    db: Annotated[Path, typer.Option(help="The tournament's file to make; it must not exist yet.", metavar="FILE.db")],
    game: Annotated[
        str | None, typer.Option(help="Import only games of this kind, if the files hold several.", metavar="GAME")
    ] = None,
    skip_damaged: SkipDamagedOption = False,
) -> None:
    """Make a tournament's file from texts or recordings of games, for tables and reports.

    If anything is wrong with a game, nothing is written.
    """
    from joute.arena.store.game_file import read_game_file
    from joute.arena.store.importing import import_games
    from joute.errors import JouteError
    from joute.games import new

    damage = Damage(skip=skip_damaged)
    spec = new(game).spec if game else None
    games = [
        found
        for path in texts
        for found in damage.whole(read_game_file(path))
        if spec is None or new(found.record.game).spec == spec
    ]
    names = ", ".join(path.name for path in texts)
    if not games:
        damage.tell()
        raise JouteError(f"there is no game{f' of {spec}' if spec else ''} in {names}")
    plan = import_games(games, db, note=f"imported from {names}")
    echo(f"{count_of(len(games), 'game')} of {plan.game} between {count_of(len(plan.entrants), 'agent')} in {db}")
    echo(f"the table: {command_line('tournament', '--resume', '--db', db)}")
    damage.end()


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_)
