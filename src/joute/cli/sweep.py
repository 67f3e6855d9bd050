"""``joute sweep``: compare many settings of an agent, each against the same opponent."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import (
    GameArgument,
    JsonOption,
    command_line,
    console,
    echo,
    interrupted_by_sigterm,
    option_words,
    print_json,
    say,
)
from joute.cli.completion import complete_agent
from joute.cli.isolation import given, takes_isolation
from joute.cli.plan_options import PlanClockOption, PlanConcurrencyOption, PlanOpeningsOption, PlanSeedOption
from joute.cli.ray_option import RayOption, print_nodes, venue_at
from joute.example import GAME
from joute.numbers import count_of
from joute.spec import Value

if TYPE_CHECKING:
    from joute.arena.tournament import Tournament
    from joute.sweeps.sweep import SweepResult


@takes_isolation
def sweep(
    game: GameArgument,
    agent: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT",
            help="An agent with values in braces, in quotes: 'mcts:c={0.3..2.0/8},iterations={200,1000}'.",
            autocompletion=complete_agent,
        ),
    ],
    *,
    against: Annotated[
        str, typer.Option(help="The opponent of every setting.", metavar="AGENT", autocompletion=complete_agent)
    ],
    games: Annotated[
        int | None, typer.Option(help="Games of each setting; two share an opening. (default: 100)", min=2)
    ] = None,
    seed: PlanSeedOption = None,
    db: Annotated[
        Path | None,
        typer.Option(help="The database of the games. (default: sweep-GAME-…, the same for the same sweep)"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page with the plot. (default: the database's name, .html)"),
    ] = None,
    clock: PlanClockOption = None,
    openings: PlanOpeningsOption = None,
    concurrency: PlanConcurrencyOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the page even if it is not a report.")] = False,
    ray: RayOption = None,
    isolation: dict[str, Value],
    as_json: JsonOption = False,
) -> None:
    """Compare many settings of an agent, each against the same opponent from the same openings.

    Prints a table with intervals that hold for all settings together, and writes a page with a plot. Finished games are
    kept: after Ctrl-C or SIGTERM, the same command goes on.

    Ends with status 1 if an agent forfeited a game or games could not be played.
    """
    from joute.agents import CaveatWarning
    from joute.arena.plan_file import isolation_of
    from joute.cli.tournament_live import Progress, of_all
    from joute.errors import JouteError, SpecError
    from joute.sweeps.grid import Grid
    from joute.sweeps.sweep import GAMES, default_path, open_sweep, result_of, sweep_plan

    if len(agent) > 1:
        raise SpecError("the shell has expanded the braces; put the agent in single quotes, as in 'mcts:c={0.5,1,2}'")
    grid = Grid.parse(agent[0])
    settings: dict[str, Any] = given(
        games=games or GAMES, seed=seed, clock=clock, openings=openings, concurrency=concurrency
    )
    files = {name: str(file) for name, file in (("db", db), ("output", output)) if file is not None}
    words = option_words({"against": against} | settings | isolation | files | given(ray=ray))
    command = command_line("sweep", game, agent[0], *words)
    plan = sweep_plan(game, grid, against, **settings, isolation=isolation_of(isolation, "sweep"))
    path = db or default_path(plan)
    page = output or path.with_suffix(".html")
    _check_page(page, force=force)
    if not as_json:
        warnings.simplefilter("ignore", CaveatWarning)  # the notes, which the file keeps, say the same
    with venue_at(ray) as venue, open_sweep(plan, path, command=command) as made:
        made.use(venue)
        if not as_json:
            _print_head(made)
        before, began_s = made.standings.games, time.monotonic()
        try:
            with interrupted_by_sigterm(), Progress(console(), made, quiet=as_json) as progress:
                made.play(lambda _: progress.update())
        except (KeyboardInterrupt, JouteError) as error:
            kept = f"stopped after {made.standings.games}{of_all(made)}, which are kept"
            goes_on = f"{kept}; to go on: {command}"
            if isinstance(error, JouteError):
                raise JouteError(f"{error}; {goes_on}") from error
            _show(result_of(made, grid), made, page, command, as_json=as_json)
            echo(goes_on, err=as_json)
            raise
        result = result_of(made, grid)
        _show(result, made, page, command, as_json=as_json)
        if not as_json:
            print_nodes(made.nodes)
            if new := made.standings.games - before:
                echo(f"{count_of(new, 'game')} in {time.monotonic() - began_s:.1f} s")
            echo(f"joute {', '.join(made.store.versions())}; games in {path}; plot in {page}; {command}")
        _end_if_incomplete(made, command)
        if result.forfeits:
            raise typer.Exit(1)


def _check_page(page: Path, *, force: bool) -> None:
    """Refuse a page that could not be written after hours of games."""
    from joute.errors import JouteError
    from joute.report.formats import check_is_report

    if not force:
        check_is_report(page)
    if not page.parent.is_dir():
        raise JouteError(f"{page} cannot be written: there is no folder {page.parent}")


def _print_head(made: Tournament) -> None:
    from joute.cli.tournament_table import notes

    plan = made.plan
    done = f", {made.standings.games} of them played" if made.standings.games else ""
    count = len(plan.entrants) - 1
    echo(
        f"{plan.game}: {count_of(count, 'setting')}, {count_of(plan.games, 'game')} each, "
        f"{made.schedule.most_games:,} in all{done}; kept in {made.store.path}"
    )
    for note in notes(made):
        echo(f"note: {note}")


def _show(result: SweepResult, made: Tournament, page: Path, command: str, *, as_json: bool) -> None:
    """Print the result and write its page."""
    from joute.arena.node_rows import nodes_data
    from joute.report.formats import write_report
    from joute.sweeps.page import sweep_page

    if as_json:
        about = {"db": str(made.store.path), "page": str(page), "plan": made.plan.as_data()}
        print_json(result.as_data() | about | nodes_data(made.nodes))
    else:
        echo(str(result.table))
        echo()
        for sentence in (result.verdict, *result.notes, made.standings.conditions):
            say(sentence, alarm=sentence in result.forfeits)
    if result.games:
        facts = [
            ("Conditions", made.standings.conditions),
            ("Seed", str(made.plan.seed)),
            ("Games", str(made.store.path)),
        ]
        write_report(page, sweep_page(result, facts, command), force=True)  # checked before the games


def _end_if_incomplete(made: Tournament, command: str) -> None:
    """Exit with status 1 if games were not played: an agent's file changed, or they were given up."""
    if not made.changed and not made.unplayed:
        return
    left = count_of(made.schedule.most_games - made.standings.games, "game")
    why = "an agent's file changed; restore it" if made.changed else made.unplayed[0].why
    echo(f"joute: {left} not played: {why}; then: {command}", err=True)
    raise typer.Exit(1)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog=f"Example: joute sweep {GAME} 'mcts:c={{0.3..2.0/8}},iterations={{200,1000}}' --against mcts --games 200"
    )(sweep)
