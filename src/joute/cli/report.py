"""``joute report``: report on a tournament as an HTML page, as Markdown, or as data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import echo, interrupted_by_sigterm

if TYPE_CHECKING:
    from joute.arena.store.store import Store
    from joute.report.data import Report


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
    per_agent: Annotated[
        Path | None,
        typer.Option(
            help="Write a page for each agent into this folder, and an index: its games, crashes, time and losses.",
            metavar="FOLDER",
        ),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Write only the page of this agent. (default file: NAME.html)", metavar="NAME")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Write the page again while the tournament runs; it reloads by itself.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file even if it is not a report.")] = False,
) -> None:
    """Report on a tournament: ratings with intervals, who beat whom, and every game to replay on its board."""
    from joute.arena.store.importing import open_games
    from joute.errors import SpecError
    from joute.numbers import count_of, size_text
    from joute.report.data import make_report
    from joute.report.formats import format_of, render, write_report

    chosen = format_of(output, format)
    anchors = dict(map(_anchor, anchor or []))
    if sum((per_agent is not None, agent is not None, live)) > 1:
        raise SpecError("--per-agent, --agent and --live write different pages; give one of them")
    if (per_agent or agent is not None or live) and (chosen != "html" or (per_agent and output)):
        raise SpecError(
            "--per-agent writes its pages into its folder, without --output"
            if per_agent and output
            else f"the pages of agents and live reports are HTML, not {chosen}"
        )
    if live:
        _follow(file, output or file.with_suffix(".html"), title, anchors, replays, force=force)
        return
    if per_agent or agent is not None:
        with open_games(file) as store:
            made = make_report(store, anchors=anchors, title=title)
            _write_agents(made, store, per_agent, agent, output, replays, force=force)
        return
    with open_games(file) as store:
        made = make_report(store, anchors=anchors, title=title)
        text = render(made, store, chosen, replays=replays)
    path = output or (file.with_suffix(".html") if chosen == "html" else None)
    if path is None:
        echo(text, nl=False)
        return
    write_report(path, text, force=force)
    echo(f"{path}: {count_of(len(made.games), 'game')}, {size_text(path.stat().st_size)}")


def _follow(file: Path, page: Path, title: str, anchors: dict[str, float], replays: int | None, *, force: bool) -> None:
    """Write a live page until the tournament is over or the user interrupts."""
    import contextlib

    from joute.numbers import count_of
    from joute.report.live import follow, is_over

    echo(f"{page}: open it in a browser; Ctrl-C stops")
    pages = follow(file, page, title=title, anchors=anchors, replays=replays, force=force)
    with interrupted_by_sigterm(), contextlib.closing(pages):
        for made in pages:
            over = ", the last one" if is_over(made) else ""
            echo(f"{page}: {count_of(len(made.games), 'game')}{over}")


def _write_agents(
    report: Report,
    store: Store,
    folder: Path | None,
    agent: str | None,
    output: Path | None,
    replays: int | None,
    *,
    force: bool,
) -> None:
    """Write the page of one agent, or those of all agents and their index."""
    from joute.errors import JouteError
    from joute.numbers import count_of
    from joute.report.agent_pages import agent_page, agent_pages, file_names, find_row
    from joute.report.formats import write_report

    if agent is not None:
        row = find_row(report, agent)
        path = output or Path(file_names([row.name])[0])
        write_report(path, agent_page(report, store, row, replays=replays), force=force)
        echo(f"{path}: {count_of(row.standing.games, 'game')}")
        return
    assert folder is not None
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise JouteError(f"{folder} cannot be made: {error.strerror}") from error
    for page in agent_pages(report, store, replays=replays):
        write_report(folder / page.file, page.text, force=force)
    echo(f"{folder / 'index.html'}: {count_of(len(report.agents), 'page')}")


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
