"""``joute analyze``: evaluate a position and each of its moves."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import GameArgument, JsonOption, SeedOption, console, echo, print_json, table
from joute.cli.completion import complete_agent
from joute.numbers import is_decided, percent, value_text

if TYPE_CHECKING:
    from rich.table import Table

    from joute.agents import Analysis
    from joute.games import State

# Most moves of a variation in the table; --json has them all.
_LINE_MOVES = 12
# Most moves in the table without --lines; a position may have hundreds.
_MOVES = 20


def analyze(
    game: GameArgument,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="In the game's notation. (default: the start position)")
    ] = None,
    *,
    agent: Annotated[
        str | None,
        typer.Option(
            help="The agent that analyzes. (default: the exact solver, else the strongest agent, else mcts)",
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
) -> None:
    """Evaluate a position and each of its moves for the player to move; a terminal shows the search as it runs."""
    from rich.live import Live

    from joute.agents import adviser
    from joute.agents import agent as make_agent
    from joute.agents.loading import find_source
    from joute.errors import SpecError
    from joute.games import new

    state = new(game, position)
    if agent is not None and find_source(agent, state.spec).kind != "built-in":
        raise SpecError(
            f"joute analyze takes only built-in agents and plug-ins ('joute agents' lists them), not {agent}; "
            "joute play --hints takes it"
        )
    spec = agent or adviser(state.game) or "mcts"
    analyst: Any = make_agent(spec, game=state.spec, seed=seed)
    options: dict[str, Any] = {"lines": lines, "seconds": seconds}
    began = time.perf_counter()
    if as_json or not sys.stdout.isatty():
        analysis = _ask(analyst, spec, state, options)
    else:
        echo(str(state))
        with Live(console=console(), refresh_per_second=8, transient=True) as live:
            options["on_update"] = lambda so_far: live.update(_progress(so_far, lines))
            analysis = _ask(analyst, spec, state, options)
    elapsed = time.perf_counter() - began
    if as_json:
        print_json(_as_data(analysis, state, lines) | {"agent": spec, "seconds": elapsed})
        return
    if not sys.stdout.isatty():
        echo(str(state))
    if state.is_chance:
        echo(f"no player is to move here: {state.event} is pending")
        return
    value = f"{analysis.unit} {_value(analysis, analysis.value)}"
    if analysis.verdict:
        echo(f"{value}: {state.about(state.to_move, analysis.verdict)}")
    else:
        echo(f"{value} for {state.players[state.to_move]}")
    if analysis.moves:
        console().print(_table(analysis, lines))
        if not lines and len(analysis.moves) > _MOVES:
            echo(f"and {len(analysis.moves) - _MOVES} more moves; --lines {len(analysis.moves)} shows them all")
        echo(f"best play: {' '.join(map(str, analysis.pv)) or '–'}")
    echo(f"{'exact' if analysis.exact else 'estimated'}, by {spec} in {elapsed:.3f} s{_effort(analysis)}")


def _ask(analyst: Any, spec: str, state: State, options: dict[str, Any]) -> Analysis:
    """The agent's analysis; for an agent without `analyze`, an analysis made of its chosen move and its search info."""
    from joute.agents import Analysis, Analyst, Clock, MoveValue, SearchInfo
    from joute.agents.search import verdict_without_moves
    from joute.match.player import MisconductError, ask

    if isinstance(analyst, Analyst):
        return analyst.analyze(state, **options)
    if state.is_terminal or state.is_chance:
        return Analysis(None, verdict_without_moves(state), (), (), exact=state.is_terminal)
    clock = Clock(move_limit_s=options["seconds"]) if options["seconds"] else Clock()
    try:
        move, _ = ask(analyst, spec, state, clock)
    except MisconductError as misconduct:
        echo(f"joute: {misconduct.reason.value} by {misconduct}", err=True)
        raise typer.Exit(1) from misconduct
    told = getattr(analyst, "info", None)
    info = told if isinstance(told, SearchInfo) else SearchInfo()
    value = info.value_for_mover if info.value_for_mover not in (float("inf"), float("-inf")) else None
    chosen = MoveValue(move, value, "is its choice", pv=info.pv or (move,))
    return Analysis(
        value, f"plays {move}", (chosen,), chosen.pv, exact=False, unit="value", depth=info.depth, nodes=info.nodes
    )


def _table(analysis: Analysis, lines: int | None) -> Table:
    has_visits = any(judged.visits is not None for judged in analysis.moves)
    has_lines = any(len(judged.pv) > 1 for judged in analysis.moves)
    columns = ["move", analysis.unit, *["visits"] * has_visits, "verdict", *["line"] * has_lines]
    listing = table(*columns, numbers=(analysis.unit, "visits"))
    for judged in analysis.moves[: lines or _MOVES]:
        row = [str(judged.move), _value(analysis, judged.value)]
        row += [f"{judged.visits:,}" if judged.visits is not None else ""] * has_visits
        line = " ".join(map(str, judged.pv[:_LINE_MOVES])) + (" …" if len(judged.pv) > _LINE_MOVES else "")
        listing.add_row(*row, judged.verdict, *[line] * has_lines)
    return listing


def _progress(analysis: Analysis, lines: int | None) -> Table:
    listing = _table(analysis, lines)
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


def _as_data(analysis: Analysis, state: State, lines: int | None) -> dict[str, Any]:
    return {
        "game": state.spec,
        "position": state.position,
        "to_move": state.to_move,
        "unit": analysis.unit,
        "value": analysis.value,
        "verdict": analysis.verdict,
        "moves": [
            {
                "move": str(judged.move),
                "value": judged.value,
                "verdict": judged.verdict,
                "visits": judged.visits,
                "line": [str(move) for move in judged.pv],
            }
            for judged in analysis.moves[:lines]
        ],
        "pv": [str(move) for move in analysis.pv],
        "exact": analysis.exact,
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "iterations": analysis.iterations,
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(analyze)
