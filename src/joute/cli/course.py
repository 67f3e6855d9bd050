"""``joute course``: an agent that a course's referee can call."""

from __future__ import annotations

from typing import Annotated

import typer

from joute.cli.common import GameArgument, SeedOption
from joute.cli.isolation import MemoryOption, SandboxOption, given, isolation_of


def course(
    game: GameArgument,
    *,
    agent: Annotated[
        str, typer.Option(help="The agent: greedy (see 'joute agents'), my_agent.py, ugi:./program.", metavar="SPEC")
    ],
    bind: Annotated[
        str, typer.Option("--bind", "-b", help="The address to listen at; others than this machine may need 0.0.0.0.")
    ] = "localhost",
    port: Annotated[
        int, typer.Option("--port", "-p", help="The port to listen at; 0 for any that is free.", min=0, max=65535)
    ] = 8000,
    seed: SeedOption = 0,
    sandbox: SandboxOption = None,
    memory_mb: MemoryOption = None,
) -> None:
    """Serve an agent to the referee of a game's course, over XML-RPC; docs/course.md describes the interface."""
    from joute.agents.loading import find_source
    from joute.arena.players import make_player
    from joute.games import new
    from joute.match.player import Player
    from joute.protocol.course import find_course
    from joute.protocol.course_agent import CourseAgent
    from joute.protocol.xml_rpc import Server

    start = new(game)
    found = find_course(start.game)
    source = find_source(agent, start.game)
    isolation = isolation_of(given(sandbox=sandbox, memory_mb=memory_mb), "course")

    def player() -> Player:
        return make_player(source, agent, start.spec, isolation)

    served = CourseAgent(found, player, seed=seed, tell=lambda text: typer.echo(text, err=True))
    with Server(bind, port, {"play": served.play, "initialize": served.initialize}) as server:
        served.check()
        host = f"[{bind}]" if ":" in bind else bind
        typer.echo(f"{agent} plays {start.title} at http://{host}:{server.port}; Ctrl-C ends it")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("ended")
        finally:
            served.close()


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(course)
