"""``joute engine``: serve an agent over UGI on standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from joute.cli.common import GameArgument, SeedOption
from joute.cli.completion import complete_agent

AgentArgument = Annotated[
    str,
    typer.Argument(
        metavar="AGENT",
        help="A spec (see 'joute agents'), a Python file or a class, module:Class.",
        autocompletion=complete_agent,
    ),
]


def engine(game: GameArgument, agent: AgentArgument, *, seed: SeedOption = 0) -> None:
    """Serve an agent to programs that speak UGI; docs/ugi.md describes the protocol."""
    from joute.protocol.ugi_engine import serve

    raise typer.Exit(serve(game, agent, seed=seed))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(engine)
