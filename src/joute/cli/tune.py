"""``joute tune``: find better values of an agent's parameters by play, and test them."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import (
    GameArgument,
    JsonOption,
    clock_text,
    command_line,
    console,
    echo,
    interrupted_by_sigterm,
    option_words,
    print_json,
    progress_lines,
    redrawn,
    say,
    table,
)
from joute.cli.completion import complete_agent
from joute.cli.isolation import given, takes_isolation
from joute.cli.plan_options import PlanClockOption, PlanConcurrencyOption, PlanOpeningsOption, PlanSeedOption
from joute.cli.ray_option import RayOption, print_nodes, venue_at
from joute.example import GAME
from joute.numbers import count_of
from joute.spec import Value

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from joute.arena.tournament import Tournament
    from joute.tune.schedule import TuningProgress
    from joute.tune.tuning import TuningResult

# Computing the live table takes at most this share of the driver's time.
_SHARE_OF_TIME = 0.05


@takes_isolation
def tune(
    game: GameArgument,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="A spec (mcts:iterations=200), my_agent.py that declares parameters, or ugi:./program with options.",
            autocompletion=complete_agent,
        ),
    ],
    *,
    over: Annotated[str, typer.Option(help="The parameters to tune, separated by commas.", metavar="NAMES")],
    budget: Annotated[
        str,
        typer.Option(help="The games of the tuning: games=20000 or hours=2; its test comes after.", metavar="BUDGET"),
    ] = "games=2000",
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            help="A range or the choices of a parameter: c=0.1..2, bias=1e-5..1 log, playout=uniform|mast; repeatable. "
            "(default: the parameter's own, or from 0 to twice its value)",
            metavar="NAME=RANGE",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="auto, spsa, tpe or cma-es; the last two need joute[tune].", metavar="METHOD")
    ] = "auto",
    confirm: Annotated[
        str | None,
        typer.Option(
            help="The test of the result: elo0=0,elo1=10,alpha=0.025,beta=0.05,games=4000; or none. "
            "(default: at most as many games as the tuning, with an elo1 that they can show)",
            metavar="TEST",
        ),
    ] = None,
    confirm_at: Annotated[
        list[str] | None,
        typer.Option(help="Test the result at this clock too; repeatable.", metavar="CLOCK"),
    ] = None,
    spsa: Annotated[
        str | None, typer.Option(help="Settings of SPSA: c_end=0.05,r_end=0.002,batch=8.", metavar="SETTINGS")
    ] = None,
    seed: PlanSeedOption = None,
    db: Annotated[
        Path | None,
        typer.Option(help="The database of the games. (default: tune-GAME-…, the same for the same tuning)"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The report. (default: the database's name, .html)")
    ] = None,
    clock: PlanClockOption = None,
    openings: PlanOpeningsOption = None,
    concurrency: PlanConcurrencyOption = None,
    ray: RayOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the report even if it is no report.")] = False,
    isolation: dict[str, Value],
    as_json: JsonOption = False,
) -> None:
    """Find better values of an agent's parameters by play, and test them against the values that it has.

    The games of the tuning are between settings of the agent, in pairs with colours swapped. Then the best setting
    plays the old one on openings of their own, until a sequential test is decided. Finished games are kept: after
    Ctrl-C or SIGTERM, the same command goes on, to the same result.

    Ends with status 1 if an agent forfeited a game or games could not be played.
    """
    from joute.agents import CaveatWarning
    from joute.arena.plan_file import isolation_of
    from joute.errors import JouteError
    from joute.tune.plan import Request, tuning_plan
    from joute.tune.tuning import default_path, open_tuning, result_of, stored_plan

    settings: dict[str, Any] = given(seed=seed, clock=clock, openings=openings, concurrency=concurrency)
    wanted = given(method=None if method == "auto" else method, confirm=confirm, spsa=spsa)
    files = {name: str(file) for name, file in (("db", db), ("output", output)) if file is not None}
    words = ["tune", game, agent, *option_words({"over": over, "budget": budget} | wanted)]
    words += [word for name, texts in (("range", ranges), ("confirm-at", confirm_at)) for text in texts or ()
              for word in (f"--{name}", text)]  # fmt: skip
    in_short = command_line(*words, *option_words({key: settings[key] for key in settings if key != "concurrency"}))
    command = command_line(*words, *option_words(settings | isolation | given(ray=ray) | files))
    request = Request(
        game,
        agent,
        tuple(name.strip() for name in over.split(",")),
        _ranges(ranges or ()),
        budget,
        method,
        _test(confirm),
        tuple(confirm_at or ()),
        _spsa(spsa),
    )
    settings["isolation"] = isolation_of(isolation, "tune")
    path = db or default_path(request, settings)
    page = output or path.with_suffix(".html")
    _check_page(page, force=force)
    if not as_json:
        warnings.simplefilter("ignore", CaveatWarning)  # the notes, which the file keeps, say the same
    plan, why = stored_plan(path, request, settings), ""
    if plan is None:
        plan, why = tuning_plan(request, on_trial=None if as_json else echo, **settings)
    with venue_at(ray) as venue, open_tuning(plan, path, command=command, concurrency=concurrency or 0) as made:
        made.use(venue)
        if not as_json:
            _print_head(made, why)
        before, began_s = made.standings.games, time.monotonic()
        try:
            with interrupted_by_sigterm(), _Live(console(), made, quiet=as_json) as live:
                made.play(lambda _: live.update())
        except (KeyboardInterrupt, JouteError) as error:
            kept = f"stopped after {count_of(made.standings.games, 'game')}, which are kept"
            goes_on = f"{kept}; to go on: {command}"
            if isinstance(error, JouteError):
                raise JouteError(f"{error}; {goes_on}") from error
            _show(result_of(made), made, page, (command, in_short), as_json=as_json)
            echo(goes_on, err=as_json)
            raise
        result = result_of(made)
        _show(result, made, page, (command, in_short), as_json=as_json)
        if not as_json:
            if new := made.standings.games - before:
                echo(f"{count_of(new, 'game')} in {clock_text(time.monotonic() - began_s)}")
            echo(f"joute {', '.join(made.store.versions())}; games in {path}; report in {page}; {command}")
        if made.changed or made.unplayed:
            reason = "the agent's file changed; restore it" if made.changed else made.unplayed[0].why
            echo(f"joute: games were not played: {reason}; then: {command}", err=True)
            raise typer.Exit(1)
        if result.forfeits:
            raise typer.Exit(1)


def _ranges(texts: list[str] | tuple[str, ...]) -> dict[str, str]:
    """The ranges by parameter."""
    from joute.errors import SpecError

    found: dict[str, str] = {}
    for text in texts:
        name, equals, wanted = text.partition("=")
        if not (name.strip() and equals and wanted.strip()):
            raise SpecError(f"--range '{text}' is not of the form NAME=RANGE, as in c=0.1..2")
        if name.strip() in found:
            raise SpecError(f"--range is given twice for {name.strip()}")
        found[name.strip()] = wanted.strip()
    return found


def _test(text: str | None) -> dict[str, Value] | None:
    """The settings of the test that a user gives; SpecError if one is wrong."""
    import dataclasses

    from joute.errors import SpecError
    from joute.match.sprt import Sprt
    from joute.spec import Parameter, parameters_of, parse_spec, read_settings

    if text is None:
        return None
    if text == "none":
        return {"games": 0}
    games = Parameter("games", 2, help="most games", low=2, high=10**8)
    values = read_settings("--confirm", parse_spec(f":{text}")[1], [*parameters_of(Sprt), games])
    if int(values.get("games", 2)) % 2:
        raise SpecError("--confirm: games must be even: they are played in pairs")
    low = {"elo1": float(values.get("elo0", 0)) + 1} if "elo1" not in values else {}
    dataclasses.replace(Sprt(), **{key: value for key, value in (low | values).items() if key != "games"})  # type: ignore[arg-type]
    return values


def _spsa(text: str | None) -> dict[str, Value] | None:
    """The settings of SPSA that a user gives; SpecError if one is wrong."""
    from joute.spec import parameters_of, parse_spec, read_settings
    from joute.tune.schedule import TuningSettings

    known = [each for each in parameters_of(TuningSettings) if each.name in ("c_end", "r_end", "batch")]
    return read_settings("--spsa", parse_spec(f":{text}")[1], known) if text else None


def _check_page(page: Path, *, force: bool) -> None:
    """Refuse a report that could not be written after hours of games."""
    from joute.errors import JouteError
    from joute.report.formats import check_is_report

    if not force:
        check_is_report(page)
    if not page.parent.is_dir():
        raise JouteError(f"{page} cannot be written: there is no folder {page.parent}")


def _print_head(made: Tournament, why: str) -> None:
    from joute.cli.tournament_table import notes
    from joute.tune.schedule import Tuning

    schedule = made.schedule
    assert isinstance(schedule, Tuning)
    known = schedule.settings
    done = f", {made.standings.games} of them played" if made.standings.games else ""
    tests = f"; then a test of {known.elo0:g} against {known.elo1:g} Elo, at most {known.test_games:,} games"
    echo(f"{made.plan.game}: {schedule.games:,} games{done}{tests if known.tests else ''}; kept in {made.store.path}")
    if why:
        echo(f"method: {why}")
    for note in notes(made):
        echo(f"note: {note}")


def _show(result: TuningResult, made: Tournament, page: Path, commands: tuple[str, str], *, as_json: bool) -> None:
    """Print the result and write its report. The commands are the whole one, and what of it determines the games."""
    from joute.report.formats import write_report
    from joute.tune.page import COLUMNS, parameter_rows, tuning_page
    from joute.tune.tuning import patch

    command, in_short = commands
    changes = patch(result, made, in_short) if result.is_tuned else ""
    if as_json:
        told = {"db": str(made.store.path), "page": str(page), "patch": changes, "plan": made.plan.as_data()}
        print_json(result.as_data() | told)
    else:
        listing = table(*COLUMNS, numbers=COLUMNS[2:])
        for row in parameter_rows(result):
            listing.add_row(*row)
        console().print(listing)
        say(result.verdict)
        for sentence in (*result.forfeits, made.standings.conditions):
            say(sentence, alarm=sentence in result.forfeits)
        print_nodes(made.nodes)
        echo(f"setting: {result.tuned_spec}")
        if result.is_confirmed and changes:
            echo()
            echo(changes)
    if result.games:
        facts = [
            ("Method", result.method),
            ("Conditions", made.standings.conditions),
            ("Seed", str(made.plan.seed)),
            ("Games", str(made.store.path)),
        ]
        write_report(page, tuning_page(result, facts, command, changes), force=True)  # checked before the games


class _Live:
    """The values so far, the estimated gain and the time left: a live view, or a line now and then."""

    def __init__(self, out: Console, made: Tournament, *, quiet: bool) -> None:
        from joute.tune.schedule import Tuning, TuningProgress

        assert isinstance(made.schedule, Tuning)
        self._out, self._made = out, made
        self._shows = out.is_terminal and not quiet
        self._is_quiet = quiet
        self._progress: TuningProgress = TuningProgress(made.schedule)
        self._began_s = self._next_s = time.monotonic()
        self._before = made.standings.games
        self._compute()
        self._live = redrawn(out, self.view)
        self._lines = progress_lines(self.line)

    def __enter__(self) -> _Live:
        if self._shows:
            self._live.start()
        elif not self._is_quiet:
            self._lines.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shows:
            self._live.stop()
        elif not self._is_quiet:
            self._lines.__exit__(None, None, None)

    def update(self) -> None:
        """A game has ended."""
        if not self._is_quiet and time.monotonic() >= self._next_s:
            self._compute()

    def _compute(self) -> None:
        from joute.tune.tuning import result_of

        began_s = time.monotonic()
        self._result: TuningResult = result_of(self._made, self._progress)
        now_s = time.monotonic()
        self._next_s = now_s + max(0.25, (now_s - began_s) / _SHARE_OF_TIME)

    def line(self) -> str:
        """The games, the time left, and the best values so far."""
        from joute.numbers import elo_interval, elo_text

        result = self._result
        games, new = self._made.standings.games, self._made.standings.games - self._before
        elapsed_s = time.monotonic() - self._began_s
        text = f"{games:,} of at most {result.games_in_all:,} games, {clock_text(elapsed_s)} so far"
        if new:
            text += f", at most {clock_text((result.games_in_all - games) * elapsed_s / new)} left"
        if result.tests:
            return f"{text}; {result.verdict}"
        elo, low, high = result.estimate
        values = result.space.settings(result.best)
        if result.best == result.space.base:
            return f"{text}; {values}"
        return f"{text}; {values}; estimated gain {elo_text(elo)} Elo ({elo_interval(low, high)})"

    def view(self) -> RenderableType:
        """The current view."""
        from rich.console import Group
        from rich.text import Text

        from joute.tune.page import COLUMNS, parameter_rows

        listing = table(*COLUMNS, "over the games", numbers=COLUMNS[2:])
        listing.show_edge = False
        for index, row in enumerate(parameter_rows(self._result)):
            known = self._result.space.dimensions[index]
            listing.add_row(*row, _sparkline([known.unit(point[index]) for _, point in self._result.history]))
        return Group(Text(self.line()), listing)


def _sparkline(units: list[float], width: int = 24) -> str:
    """Values from 0 to 1 over time, as a line of small bars.

    >>> _sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    bars = "▁▂▃▄▅▆▇█"
    shown = [units[index * len(units) // width] for index in range(width)] if len(units) > width else units
    return "".join(bars[min(len(bars) - 1, int(unit * len(bars)))] for unit in shown)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=f"Example: joute tune {GAME} mcts:iterations=200 --over c --range c=0.1..2 --budget games=2000")(
        tune
    )
