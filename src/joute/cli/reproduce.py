"""``joute reproduce``: play the experiments of the five papers again and report which claims hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import command_line, console, echo, redrawn, say, table
from joute.cli.ray_option import RayOption, venue_at
from joute.example import GAME

if TYPE_CHECKING:
    from joute.arena.pool.venue import Venue
    from joute.reproduce.contents import Contents
    from joute.reproduce.experiments import Paper
    from joute.reproduce.results import Results
    from joute.reproduce.run import Row

_ALL = "all"


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAPER...",
            help="A paper that --list shows, or all; or a TOML file with your own experiments.",
        ),
    ] = None,
    *,
    scale: Annotated[
        str, typer.Option(help="quick: minutes, wide intervals; full: about three hours on two cores.", metavar="SCALE")
    ] = "quick",
    only: Annotated[
        list[str] | None, typer.Option(help="Play only this experiment; may be repeated.", metavar="EXPERIMENT")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder of games, results and report. (default: reproduction-PAPER-SCALE)"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of all random numbers.", min=0, max=2**64 - 1)] = 1,
    concurrency: Annotated[
        int, typer.Option(help="Games at once. (default: as many as there are cores)", min=0, show_default=False)
    ] = 0,
    ray: RayOption = None,
    results: Annotated[
        Path | None,
        typer.Option("--from", help="Play nothing; report on the results in this file.", metavar="RESULTS.json"),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the experiments, and play nothing.")] = False,
) -> None:
    """Play the experiments of the five papers again, and report which of their claims hold.

    Finished games stay in the folder: after Ctrl-C, a crash or a power failure, the same command resumes the run. For a
    finished run, it writes the report again.
    """
    from joute.errors import SpecError
    from joute.reproduce.experiments import SCALES
    from joute.reproduce.report import write_report
    from joute.reproduce.results import read_results, to_json

    if scale not in SCALES:
        raise SpecError(f"the scale is {' or '.join(SCALES)}, not {scale}")
    if not names and not listed and not results:
        raise SpecError(f"name a paper: joute reproduce {GAME}, or joute reproduce all; --list lists the papers")
    papers = _chosen(names or [], only or [])
    if listed:
        _list(papers, scale)
        return
    chosen = [Path(name).stem for name in names or [] if name != _ALL] + list(only or [])
    folder = out or Path("-".join(["reproduction", *dict.fromkeys(chosen), scale]))
    if results:
        found = read_results(results)
    else:
        words = [*(names or [_ALL]), *(word for name in only or [] for word in ("--only", name)), "--scale", scale]
        words += ["--seed", str(seed)] if seed != 1 else []
        with venue_at(ray) as venue:
            found = _played(papers, scale, seed, folder, concurrency, command_line("reproduce", *words), venue)
    _make_folder(folder)
    if not results:
        from joute.files import whole_file

        with whole_file(folder / "results.json") as file:
            file.write(to_json(found))
        found = read_results(
            folder / "results.json"
        )  # numbers are rounded there; a report made from the file is the same
    _summarise(write_report(found, papers, folder))
    echo(f"{folder / 'report.html'} and {folder / 'report.md'}: the tables, with figures")


def _chosen(names: Sequence[str], only: Sequence[str]) -> list[Paper]:
    """The named papers, with only the experiments in `only` unless it is empty."""
    import dataclasses

    from joute.reproduce.experiments import find_paper, paper_names
    from joute.spec import look_up

    wanted = paper_names() if not names or _ALL in names else list(dict.fromkeys(names))
    papers = [find_paper(name) for name in wanted]
    if not only:
        return papers
    known = {experiment.name: None for paper in papers for experiment in paper.experiments}
    for name in only:
        look_up("experiment", name, known)
    chosen = [
        dataclasses.replace(paper, experiments=tuple(one for one in paper.experiments if one.name in only))
        for paper in papers
    ]
    return [paper for paper in chosen if paper.experiments]


def _played(
    papers: Sequence[Paper], scale: str, seed: int, folder: Path, concurrency: int, command: str, venue: Venue
) -> Results:
    """Play the games that the folder lacks, and return all results."""
    from rich.text import Text

    from joute.reproduce.checks import check
    from joute.reproduce.progress import Progress
    from joute.reproduce.run import results_of, rows_of

    rows = list(rows_of(papers, scale, seed, folder))
    check(papers, rows)
    progress = Progress(rows)
    out = console()
    live = redrawn(out, lambda: Text(progress.text, no_wrap=True, overflow="ellipsis"))
    if progress.games[0]:
        echo(f"{progress.games[0]:,} of {progress.games[1]:,} games were played before, in {folder}")
    if out.is_terminal:
        live.start()
    try:
        for row in progress.left:
            _make_folder(folder)
            progress.begin(row)
            row.play(concurrency=concurrency, on_games=progress.add, venue=venue)
            if not out.is_terminal:
                echo(progress.text)
    except KeyboardInterrupt:
        live.stop()
        echo(f"stopped after {progress.games[0]:,} of {progress.games[1]:,} games, which are kept; run the same "
                   "command to resume")  # fmt: skip
        raise
    finally:
        live.stop()
    return results_of(rows, command)


def _make_folder(folder: Path) -> None:
    from joute.errors import JouteError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JouteError(f"{folder} cannot be made: {error.strerror}") from error


def _list(papers: Sequence[Paper], scale: str) -> None:
    from joute.reproduce.run import rows_of

    listing = table("paper", "experiment", "games", "core-seconds", "title", numbers=("games", "core-seconds"))
    rows: dict[tuple[str, str], list[Row]] = {}
    for row in rows_of(papers, scale, 1, Path()):
        rows.setdefault((row.paper.name, row.experiment.name), []).append(row)
    for (paper, name), found in rows.items():
        games = sum(row.length() for row in found)
        cost_s = sum(row.length() * row.cost_s for row in found)
        listing.add_row(paper, name, f"{games:,}", f"{cost_s:,.0f}", found[0].experiment.title)
    console().print(listing)


def _summarise(made: Contents) -> None:
    listing = table("paper", "experiment", "verdict", "claim")
    for paper in made.papers:
        for part in paper.experiments:
            experiment = part.table.experiment
            listing.add_row(paper.id, experiment.name, part.table.verdict, experiment.said)
    console().print(listing)
    for sentence in made.summary:
        say(sentence)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=f"Example: joute reproduce {GAME} --only rave --out try")(reproduce)
