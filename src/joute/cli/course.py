"""``joute course``: make an agent callable by a course's program, as a server or as a file to hand in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, SeedOption, echo
from joute.cli.completion import complete_agent
from joute.cli.isolation import MemoryOption, SandboxOption, given, isolation_of
from joute.spec import Value

if TYPE_CHECKING:
    from joute.games import State
    from joute.protocol.course import FileCourse, ServerCourse

_HOST, _PORT = "localhost", 8000


def course(
    game: GameArgument,
    *,
    agent: Annotated[
        str,
        typer.Option(
            help="The agent: greedy (see 'joute agents'), my_agent.py, ugi:./program.",
            metavar="SPEC",
            autocompletion=complete_agent,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write, for courses whose agents are files.", metavar="my_player.py"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that Joute did not write.")] = False,
    bind: Annotated[
        str | None,
        typer.Option(
            "--bind",
            "-b",
            help="The address to listen at; 0.0.0.0 accepts connections from other machines.",
            show_default=_HOST,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            "-p",
            help="The port to listen at; 0 takes any free port.",
            min=0,
            max=65535,
            show_default=str(_PORT),
        ),
    ] = None,
    seed: SeedOption = 0,
    sandbox: SandboxOption = None,
    memory_mb: MemoryOption = None,
) -> None:
    """Let an agent play in a game's course, as an XML-RPC server or as a file that the course's program loads.

    docs/course.md describes both.
    """
    from joute.errors import SpecError
    from joute.games import new
    from joute.protocol.course import FileCourse, ServerCourse, find_course
    from joute.spec import parse_spec

    start = new(game)
    found = find_course(start.game)
    limits = given(sandbox=sandbox, memory_mb=memory_mb)
    if isinstance(found, FileCourse):
        if start.rules:
            raise SpecError(f"the {start.game} course has its own rules: leave out {start.rules}")
        of_servers = given(bind=bind, port=port) | limits
        _write(found, agent, output, seed=seed, force=force, of_servers=list(of_servers))
    elif output is not None:
        raise SpecError(f"the agents of the {start.game} course are servers: leave out --output")
    else:
        assert isinstance(found, ServerCourse)
        played = start if parse_spec(game)[1] else new(found.spec)
        _serve(found, agent, played, bind or _HOST, _PORT if port is None else port, seed=seed, limits=limits)


def _write(
    course: FileCourse, agent: str, output: Path | None, *, seed: int, force: bool, of_servers: list[str]
) -> None:
    from joute.errors import SpecError
    from joute.files import check_may_be_replaced, whole_file

    if output is None:
        raise SpecError(f"the agents of the {course.game} course are files: --output {course.file_name} writes one")
    if of_servers:
        option = of_servers[0].replace("_", "-")
        raise SpecError(f"the agents of the {course.game} course are files: --{option} is for servers")
    if output.suffix != ".py":
        raise SpecError(f"the course's program loads Python files: name {output.name} with .py at its end")
    if not output.absolute().parent.is_dir():
        raise SpecError(f"{output} cannot be written: there is no folder {output.parent}")
    course.check_agent(agent, output.absolute().parent)
    if not force:
        check_may_be_replaced(output, ('"""Joute: ',), "a file that Joute wrote")
    with whole_file(output) as text:
        text.write(course.player_file(agent, seed=seed))
    echo(f"{output} is {agent} for the {course.game} course; Joute must be installed where it plays")


def _serve(
    course: ServerCourse, agent: str, start: State, bind: str, port: int, *, seed: int, limits: dict[str, Value]
) -> None:
    from joute.agents.loading import find_source
    from joute.arena.players.players import make_player
    from joute.match.player import Player
    from joute.protocol.course_agent import CourseAgent
    from joute.protocol.xml_rpc import Server

    source = find_source(agent, start.spec)
    isolation = isolation_of(limits, "course")

    def player() -> Player:
        return make_player(source, agent, start.spec, isolation)

    served = CourseAgent(course, player, seed=seed, tell=lambda text: echo(text, err=True), rules=start.rules)
    with Server(bind, port, {"play": served.play, "initialize": served.initialize}) as server:
        served.check()
        host = f"[{bind}]" if ":" in bind else bind
        title = f"{start.title} ({start.rules})" if start.rules else start.title
        echo(f"{agent} plays {title} at http://{host}:{server.port}; Ctrl-C ends it")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            echo("ended")
        finally:
            served.close()


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(course)
