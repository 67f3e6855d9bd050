"""``joute qtp``: an agent that speaks the Quoridor Text Protocol on standard input and output."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from joute.cli.common import ClockOption, SeedOption
from joute.cli.completion import complete_agent
from joute.cli.isolation import MemoryOption, SandboxOption, given, isolation_of


def qtp(
    *,
    agent: Annotated[
        str,
        typer.Option(
            help="The agent: greedy (see 'joute agents'), my_agent.py, ugi:./program.",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ],
    notation: Annotated[
        str,
        typer.Option(
            help="The notation of moves: athens (the protocol's: Black begins on e9, 'E8 horizontal'), kata (Black "
            "begins on e9, e7h) or modern (White begins on e1, e2h).",
            metavar="athens|kata|modern",
        ),
    ] = "athens",
    clock: ClockOption = "none",
    seed: SeedOption = 0,
    sandbox: SandboxOption = None,
    memory_mb: MemoryOption = None,
) -> None:
    """Serve an agent over QTP, for programs that play Quoridor; docs/qtp.md describes the protocol."""
    from joute.agents.loading import find_source
    from joute.arena.players.players import check_players, make_player
    from joute.games.quoridor.notation import find_notation
    from joute.games.quoridor.qtp.engine import QtpEngine
    from joute.games.quoridor.state import Quoridor
    from joute.match.clock import TimeControl
    from joute.match.player import Player

    spoken, control = find_notation(notation), TimeControl.parse(clock)
    source = find_source(agent, Quoridor.game)
    isolation = isolation_of(given(sandbox=sandbox, memory_mb=memory_mb), "qtp")
    check_players([source], Quoridor.game, isolation)

    def player() -> Player:
        return make_player(source, agent, Quoridor.game, isolation)

    def write(reply: str) -> None:
        sys.stdout.write(reply)
        sys.stdout.flush()

    QtpEngine(f"{agent} (Joute)", player, spoken, seed=seed, clock=control).serve(sys.stdin.buffer, write)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(qtp)
