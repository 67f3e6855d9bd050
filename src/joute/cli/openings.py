"""``joute openings``: make a set of balanced openings."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from joute.cli.common import (
    GameArgument,
    command_line,
    echo,
    interrupted_by_sigterm,
    option_words,
    progress_bar,
)
from joute.cli.isolation import given
from joute.example import GAME


def openings(
    game: GameArgument,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.", metavar="FILE")],
    count: Annotated[int, typer.Option(help="How many openings.", min=1)] = 1000,
    seed: Annotated[
        int, typer.Option(help="The seed; the same seed gives the same openings.", min=0, max=2**64 - 1)
    ] = 0,
    judge: Annotated[
        str | None,
        typer.Option(
            help="The agent that judges, with a limit of nodes or iterations.",
            metavar="AGENT",
            show_default="the game's engine",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(help="The largest distance from even, in the judge's unit.", min=0, show_default="the game's"),
    ] = None,
    even: Annotated[
        float | None,
        typer.Option(
            help="The advantage of the first player, by the judge, at which chances are even.",
            show_default="the game's",
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(help="Positions judged at once; the openings are the same.", min=0, show_default="all cores")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace the file even if it has no such openings.")] = False,
) -> None:
    """Make a set of balanced openings, judged by a deep search, for --openings FILE of match, tournament and sweep.

    Judged positions are kept beside the file: after Ctrl-C, the same command goes on.
    """
    from joute.arena.opening_maker import JOURNAL, MARK, Progress, make_set
    from joute.arena.opening_sets import opening_set
    from joute.errors import JouteError
    from joute.files import check_may_be_replaced

    changes: dict[str, Any] = given(judge=judge, tolerance=tolerance, even=even)
    settings = dataclasses.replace(opening_set(game), **changes)
    if not force:
        check_may_be_replaced(out, (MARK,), "a set of openings")
    if not out.parent.is_dir():
        raise JouteError(f"{out} cannot be written: there is no folder {out.parent}")
    words = option_words({"out": str(out), "count": count, "seed": seed} | changes)
    found = 0

    with interrupted_by_sigterm(), progress_bar("judging", count) as advance:

        def watch(progress: Progress) -> None:
            nonlocal found
            found = progress.found
            advance(found, f"{progress.judged} judged")

        try:
            made = make_set(game, settings, count=count, out=out, seed=seed, concurrency=concurrency, on_progress=watch)
        except KeyboardInterrupt:
            command = command_line("openings", game, *words)
            echo(f"stopped at {found} of {count} openings, kept in {out}{JOURNAL}; the same command goes on: {command}")
            raise
    if len(made.openings) < count:
        echo(f"note: only {len(made.openings)} of {count} openings are found; a larger --tolerance finds more")
    echo(f"{len(made.openings)} openings of {made.judged} candidates in {out}, judged by {settings.judge}")
    echo(f"use them: {command_line('match', game, 'A', 'B', '--openings', out)}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=f"Example: joute openings {GAME} --count 200 --out openings.txt")(openings)
