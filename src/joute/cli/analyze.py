"""``joute analyze``: what a position is worth, and each of its moves."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from joute.cli.common import GameArgument, JsonOption, console, print_json, table


def analyze(
    game: GameArgument,
    position: Annotated[
        str | None, typer.Argument(metavar="[POSITION]", help="In the game's notation; the start if left out.")
    ] = None,
    *,
    agent: Annotated[
        str | None,
        typer.Option(help="Whom to ask, e.g. perfect:book=no; who knows the truth if left out.", metavar="SPEC"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a position and each of its moves are worth to the player to move."""
    from joute.agents import Analyst, exact_agent
    from joute.agents import agent as make_agent
    from joute.errors import SpecError
    from joute.games import new

    state = new(game, position)
    spec = agent or exact_agent(state.game)
    if spec is None:
        raise SpecError(f"no agent knows the truth about {state.game}; name one that analyzes it with --agent")
    analyst: Any = make_agent(spec, game=state.game)
    if not isinstance(analyst, Analyst):
        raise SpecError(f"agent '{spec}' plays but does not analyze")
    began = time.perf_counter()
    analysis = analyst.analyze(state)
    seconds = time.perf_counter() - began
    if as_json:
        print_json(
            {
                "game": state.spec,
                "position": state.position,
                "to_move": state.to_move,
                "score": analysis.value,
                "verdict": analysis.verdict,
                "moves": {str(judged.move): judged.value for judged in analysis.moves},
                "pv": [str(move) for move in analysis.pv],
                "exact": analysis.exact,
                "seconds": seconds,
            }
        )
        return
    typer.echo(str(state))
    typer.echo(f"score {_signed(analysis.value)}: {state.players[state.to_move]} {analysis.verdict}")
    if analysis.moves:
        listing = table("move", "score", "verdict", numbers=("score",))
        for judged in analysis.moves:
            listing.add_row(str(judged.move), _signed(judged.value), judged.verdict)
        console().print(listing)
        typer.echo(f"best play: {' '.join(map(str, analysis.pv))}")
    typer.echo(f"{'exact' if analysis.exact else 'estimated'}, by {spec} in {seconds:.3f} s")


def _signed(value: float) -> str:
    return f"{value:+g}" if value else "0"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(analyze)
