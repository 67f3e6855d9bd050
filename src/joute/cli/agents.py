"""``joute agents``: which agents there are, and every parameter they have."""

from __future__ import annotations

from typing import Annotated

import typer

from joute.cli.common import JsonOption, console, print_json, table


def agents(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Only agents that play this game.")] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the agents with their parameters: default, range, and where the default comes from."""
    from joute.agents import all_agents
    from joute.games import find_game

    found, problems = all_agents()
    if game:
        name = find_game(game).game
        found = [kind for kind in found if kind.plays(name)]
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
    # Names share a column, so that there is room for what they mean.
    listing = table("agent, parameter", "default", "range", "meaning", "source of the default")
    for kind in found:
        listing.add_row(kind.name, "", "", kind.summary, "")
        for p in kind.described_parameters:
            listing.add_row(f"  {p.name}", p.default_text or "(empty)", p.range, p.help, p.source)
    for name, problem in problems.items():
        listing.add_row(name, "", "", problem, "")
    console().print(listing)
    example = next((kind for kind in found if kind.described_parameters), None)
    if example:
        first = example.described_parameters[0]
        typer.echo(f"Set parameters in the spec: {example.name}:{first.name}={first.default_text}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(agents)
