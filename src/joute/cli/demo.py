"""``joute demo``: a short tournament of the Connect Four agents, with its table and its report."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from joute.cli.common import SeedOption, console
from joute.example import GAME
from joute.numbers import count_of

_AGENTS = ("perfect:style=random", "alphabeta", "mcts:iterations=1000", "greedy", "random")


def demo(
    *,
    games: Annotated[int, typer.Option(help="Games per pairing.", min=2)] = 50,
    seed: SeedOption = 1,
    report: Annotated[Path, typer.Option("-o", "--output", help="The report to write.", metavar="FILE.html")] = Path(
        "joute-demo.html"
    ),
) -> None:
    """Watch agents play: a tournament of Connect Four, ending in a table and a report for the browser."""
    from joute.arena.plan import make_plan
    from joute.arena.tournament import Tournament
    from joute.cli.tournament_live import Progress
    from joute.cli.tournament_table import print_table
    from joute.games import find_game
    from joute.match import play_match
    from joute.report.data import make_report
    from joute.report.formats import render, write_report
    from joute.system import isolation_problem

    out = console()
    if problem := isolation_problem():
        out.print(f"{problem}; a match instead:\n")
        result = play_match(GAME, _AGENTS[2], _AGENTS[3], games=games, seed=seed)
        out.print(f"{_AGENTS[2]} scores {result.score:.1%} against {_AGENTS[3]}: {result.verdict}")
        return
    plan = make_plan(GAME, _AGENTS, games=games, seed=seed)
    out.print(f"{find_game(GAME).title}, {len(_AGENTS)} agents, {count_of(games, 'game')} a pairing, seed {seed}\n")
    with tempfile.TemporaryDirectory() as folder, Tournament.create(plan, Path(folder) / "demo.db") as made:
        with Progress(out, made, quiet=False) as progress:
            made.play(lambda _: progress.update())
        record = next(made.store.records())
        *_, last = record.states()
        out.print(f"The first game, {record.players[0]} against {record.players[1]}:\n\n{last}\n")
        print_table(out, made)
        write_report(report, render(make_report(made.store), made.store, "html"))
    out.print(f"\nThe whole report, with every game to be replayed: {report}")
    out.print(f"Next: joute play {GAME} --against perfect")
    out.print("Play in the browser: joute serve --open")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)
