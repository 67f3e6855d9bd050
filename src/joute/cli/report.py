"""``joute report``: report on a tournament as an HTML page, as Markdown, or as data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joute.cli.common import echo


def report(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.db", help="A tournament, finished or running, or a file of games as text."),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write. (default: FILE.html; other formats go to standard output)"
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(help="html, md, csv or json. (default: by the output's file extension, else html)"),
    ] = None,
    anchor: Annotated[
        list[str] | None, typer.Option(help="Fix the rating of an agent; may be repeated.", metavar="NAME=ELO")
    ] = None,
    title: Annotated[
        str, typer.Option(help="The title of the report. (default: the game and the numbers of agents and games)")
    ] = "",
    replays: Annotated[
        int | None,
        typer.Option(help="Most games that the page can replay; 1,000 take about a megabyte. (default: all)", min=0),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file even if it is not a report.")] = False,
) -> None:
    """Report on a tournament: ratings with intervals, who beat whom, and every game to replay on its board."""
    from joute.arena.store.importing import open_games
    from joute.numbers import count_of, size_text
    from joute.report.data import make_report
    from joute.report.formats import format_of, render, write_report

    chosen = format_of(output, format)
    anchors = dict(map(_anchor, anchor or []))
    with open_games(file) as store:
        made = make_report(store, anchors=anchors, title=title)
        text = render(made, store, chosen, replays=replays)
    path = output or (file.with_suffix(".html") if chosen == "html" else None)
    if path is None:
        echo(text, nl=False)
        return
    write_report(path, text, force=force)
    echo(f"{path}: {count_of(len(made.games), 'game')}, {size_text(path.stat().st_size)}")


def _anchor(text: str) -> tuple[str, float]:
    """The name and the rating in ``NAME=ELO``; the name may contain ``=``."""
    import math

    from joute.errors import SpecError

    name, equals, elo = text.rpartition("=")
    try:
        value = float(elo)
    except ValueError:
        value = math.nan
    if not equals or not name or not math.isfinite(value):
        raise SpecError(f"'{text}' is not an anchor; write the name of an agent, =, and its Elo, as in greedy=1000")
    return name, value


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: joute report class.db -o class.html --title 'Class of 2026' --anchor greedy=1000")(
        report
    )
