"""``joute agents``: list the agents and all their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import JsonOption, breakable, console, echo, print_json, say, table
from joute.cli.completion import complete_game

if TYPE_CHECKING:
    from joute.games import State


def agents(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="Only agents that play this game.", autocompletion=complete_game),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the agents with their parameters: default, range, and where the default comes from."""
    from joute.agents import all_agents
    from joute.games import find_game

    found, problems = all_agents()
    played = find_game(game) if game else None
    if played:
        found = [kind for kind in found if kind.plays(played.game)]
    if as_json:
        print_json(
            [
                {
                    "name": kind.name,
                    "summary": kind.summary,
                    "games": list(kind.games) or "all",
                    "parameters": [
                        {
                            "name": p.name,
                            "default": p.default,
                            "range": p.range,
                            "help": p.help,
                            "source": p.source,
                        }
                        for p in kind.described_parameters
                    ],
                }
                for kind in found
            ]
            + [{"name": name, "problem": problem} for name, problem in problems.items()]
        )
        return
    # Agents and parameters share a column, which leaves room for the descriptions.
    listing = table("agent, parameter", "default", "range", "meaning", "source of the default")
    for kind in found:
        listing.add_row(kind.name, "", "", kind.summary, "")
        for p in kind.described_parameters:
            listing.add_row(f"  {p.name}", p.default_text or "(empty)", breakable(p.range), p.help, p.source)
    for name, problem in problems.items():
        listing.add_row(name, "", "", problem, "")
    console().print(listing)
    if played:
        _print_names(played)
    example = next((kind for kind in found if kind.described_parameters), None)
    if example:
        first = example.described_parameters[0]
        echo(f"Set parameters in the spec: {example.name}:{first.name}={first.default_text}")


def _print_names(game: type[State]) -> None:
    """Print the values that `eval` and `generator` accept in a game; the agents' tables are the same for all games."""
    from joute.agents.search import generators_of

    if game.evaluations:
        listing = table(f"eval of {game.game}", "meaning")
        for name, meaning in game.evaluations:
            listing.add_row(name, meaning)
        console().print(listing)
    say(f"generator of {game.game}: {', '.join(generators_of(game))}; the first is the default")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(agents)
