"""``joute analyze``: evaluate a position and each of its moves, or serve analyses to other programs."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import JsonOption, OptionalGameArgument, SeedOption, console, echo, print_json, table
from joute.cli.completion import complete_agent
from joute.numbers import NOTHING, is_decided, percent, value_text

if TYPE_CHECKING:
    from rich.table import Table

    from joute.agents import Analysis
    from joute.games import State

# Most moves of a variation in the table; --json has them all.
_LINE_MOVES = 12
# Units of values that tell nothing of the chance to win: of an agent that only plays, of a network's policy.
_NO_SCALE = ("value", "prior")
# The column of win probabilities.
_WIN = "win"
# Most moves in the table without --lines; a position may have hundreds.
_MOVES = 20


def analyze(
    game: OptionalGameArgument = None,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="In the game's notation. (default: the start position)")
    ] = None,
    *,
    agent: Annotated[
        str | None,
        typer.Option(
            help="The agent that analyzes. (default: the exact solver, else the game's engine, else mcts)",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ] = None,
    lines: Annotated[
        int | None,
        typer.Option(
            help="How many moves to show, each with its value and principal variation. In alpha-beta and in solvers "
            "each line takes time: with more lines, the search is less deep.",
            min=1,
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Search for this long instead of using the agent's own limits.", min=0.001)
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    stdin: Annotated[
        bool,
        typer.Option(
            "--stdin",
            help="Serve other programs: read JSON requests from standard input, one a line, and write answers as they "
            "are ready (docs/analysis.md). GAME, --agent and --seed are for requests that do not name their own.",
        ),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(help="With --stdin: positions analyzed at once. (default: all cores)", min=1)
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the requests and answers of --stdin.")
    ] = False,
) -> None:
    """Evaluate a position and each of its moves for the player to move; a terminal shows the search as it runs."""
    if schema:
        _print_schema()
    elif stdin:
        _refuse(position=position, lines=lines, seconds=seconds, json=as_json or None)
        _serve(game, agent, seed, jobs)
    elif game is None:
        raise typer.BadParameter("which game? 'joute games' lists them", param_hint="GAME")
    else:
        if jobs is not None:
            raise typer.BadParameter("it is for --stdin, which analyzes many positions", param_hint="--jobs")
        _analyze(game, position, agent, lines=lines, seconds=seconds, seed=seed, as_json=as_json)


def _refuse(**given: object) -> None:
    """Raise an error for the first of the arguments that is given: requests of --stdin state it themselves."""
    for name, value in given.items():
        if value is not None:
            option = "POSITION" if name == "position" else f"--{name}"
            raise typer.BadParameter("with --stdin, the requests say this themselves", param_hint=option)


def _print_schema() -> None:
    from importlib.resources import files

    echo((files("joute.protocol") / "analysis_schema.json").read_text(encoding="utf-8"), nl=False)


def _serve(game: str | None, agent: str | None, seed: int, jobs: int | None) -> None:
    from joute.protocol.analysis_service import serve

    serve(game=game, agent=agent, seed=seed, jobs=jobs)


def _analyze(
    game: str,
    position: str | None,
    agent: str | None,
    *,
    lines: int | None,
    seconds: float | None,
    seed: int,
    as_json: bool,
) -> None:
    from rich.live import Live

    from joute.agents import agent as make_agent
    from joute.games import new
    from joute.match.player import MisconductError
    from joute.protocol.analysis_data import analysis_data, analyzed, older_names
    from joute.protocol.analysis_request import check_analyst, default_agent

    state = new(game, position)
    if agent is not None:
        check_analyst(agent, state.spec)
    spec = agent or default_agent(state.game)
    analyst: Any = make_agent(spec, game=state.spec, seed=seed)
    options: dict[str, Any] = {"lines": lines, "seconds": seconds}
    began = time.perf_counter()
    try:
        if as_json or not sys.stdout.isatty():
            analysis = analyzed(analyst, spec, state, **options)
        else:
            echo(str(state))
            with Live(console=console(), refresh_per_second=8, transient=True) as live:
                options["on_update"] = lambda so_far: live.update(_progress(so_far, lines, state, spec))
                analysis = analyzed(analyst, spec, state, **options)
    except MisconductError as misconduct:
        echo(f"joute: {misconduct.reason.value} by {misconduct}", err=True)
        raise typer.Exit(1) from misconduct
    elapsed = time.perf_counter() - began
    if as_json:
        data = analysis_data(analysis, state, agent=spec, lines=lines)
        print_json(data | older_names(data) | {"agent": spec, "seed": seed, "seconds": elapsed})
        return
    if not sys.stdout.isatty():
        echo(str(state))
    if state.is_chance:
        echo(f"no player is to move here: {state.event} is pending")
        return
    value = f"{analysis.unit} {_value(analysis, analysis.value)}{_probability_note(analysis, state, spec)}"
    if analysis.verdict:
        echo(f"{value}: {state.about(state.to_move, analysis.verdict)}")
    else:
        echo(f"{value} for {state.players[state.to_move]}")
    if analysis.moves:
        console().print(_table(analysis, lines, state, spec))
        if not lines and len(analysis.moves) > _MOVES:
            echo(f"and {len(analysis.moves) - _MOVES} more moves; --lines {len(analysis.moves)} shows them all")
        echo(f"best play: {' '.join(map(str, analysis.pv)) or '–'}")
    echo(f"{'exact' if analysis.exact else 'estimated'}, by {spec} in {elapsed:.3f} s{_effort(analysis)}")


def _table(analysis: Analysis, lines: int | None, state: State, spec: str) -> Table:
    """The moves with the agent's own values and the probabilities that the player to move wins."""
    from joute.agents.win_probability import move_probability

    has_visits = any(judged.visits is not None for judged in analysis.moves)
    has_lines = any(len(judged.pv) > 1 for judged in analysis.moves)
    shown = analysis.moves[: lines or _MOVES]
    values = [_value(analysis, judged.value) for judged in shown]
    wins = [_mover_percent(state, move_probability(state, analysis, judged, agent=spec)) for judged in shown]
    has_wins = analysis.unit not in _NO_SCALE and wins != values
    columns = ["move", analysis.unit, *[_WIN] * has_wins, *["visits"] * has_visits, "verdict", *["line"] * has_lines]
    listing = table(*columns, numbers=(analysis.unit, _WIN, "visits"))
    for judged, value, win in zip(shown, values, wins, strict=True):
        row = [str(judged.move), value, *[win] * has_wins]
        row += [f"{judged.visits:,}" if judged.visits is not None else ""] * has_visits
        line = " ".join(map(str, judged.pv[:_LINE_MOVES])) + (" …" if len(judged.pv) > _LINE_MOVES else "")
        listing.add_row(*row, judged.verdict, *[line] * has_lines)
    return listing


def _mover_percent(state: State, for_first: float | None) -> str:
    if for_first is None:
        return NOTHING
    return percent(for_first if state.to_move == 0 else 1 - for_first)


def _probability_note(analysis: Analysis, state: State, spec: str) -> str:
    """The probability that the player to move wins, after the agent's own value; empty if the verdict says it."""
    from joute.agents.win_probability import analysis_probability, proven_outcome

    if state.is_terminal or analysis.unit in _NO_SCALE or proven_outcome(analysis) is not None:
        return ""
    win = _mover_percent(state, analysis_probability(state, analysis, agent=spec))
    return "" if win in (NOTHING, _value(analysis, analysis.value)) else f" ({win} to win)"


def _progress(analysis: Analysis, lines: int | None, state: State, spec: str) -> Table:
    listing = _table(analysis, lines, state, spec)
    listing.title = f"thinking{_effort(analysis)}"
    return listing


def _effort(analysis: Analysis) -> str:
    counted = {"depth": analysis.depth, "nodes": analysis.nodes, "simulations": analysis.iterations}
    return "".join(f", {name} {count:,}" for name, count in counted.items() if count is not None)


def _value(analysis: Analysis, value: float | None) -> str:
    if value is None:
        return "–"
    if analysis.unit == "win share":
        return percent(value)
    if is_decided(value):
        return value_text(value)
    return f"{value:+.4g}" if value else "0"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(analyze)
