"""``joute connect``: let an agent play Vampires vs Werewolves at a server over TCP."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import SeedOption, say
from joute.cli.completion import complete_agent
from joute.cli.isolation import given
from joute.games.vampires.tcp.timing import Timing
from joute.spec import Value, parameters_of, value_text

if TYPE_CHECKING:
    from joute.agents import Agent

_KNOWN = {parameter.name: parameter for parameter in parameters_of(Timing)}
_FLAGS = {"limit_s": "--time", "margin_s": "--margin", "stop_s": "--stop", "pause_s": "--pause"}


def _option(name: str) -> Any:
    """Return the option of the parameter of that name."""
    known = _KNOWN[name]
    text = f"{known.help[0].upper()}{known.help[1:]} (default: {known.default_text})."
    return typer.Option(_FLAGS[name], help=text, show_default=False, metavar="S")


def connect(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The server's address, e.g. 127.0.0.1.")],
    port: Annotated[int, typer.Argument(metavar="PORT", help="The server's port, e.g. 5555.", min=1, max=65535)],
    *,
    agent: Annotated[
        str,
        typer.Option(
            help="The agent: greedy (see 'joute agents'), my_agent.py.", metavar="SPEC", autocompletion=complete_agent
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="The player's name at the server (default: the agent).", metavar="N")
    ] = None,
    time: Annotated[float | None, _option("limit_s")] = None,
    margin: Annotated[float | None, _option("margin_s")] = None,
    stop: Annotated[float | None, _option("stop_s")] = None,
    pause: Annotated[float | None, _option("pause_s")] = None,
    game: Annotated[
        str,
        typer.Option(
            help="The server's rules, e.g. vampires:rules=twilight-langorou,plies=102; the server does not send them.",
            metavar="GAME",
        ),
    ] = "vampires",
    seed: SeedOption = 0,
) -> None:
    """Play Vampires vs Werewolves at a server of the course's protocol; docs/vampires_protocol.md describes it."""
    from joute.agents.loading import find_source, load_agent
    from joute.errors import SpecError
    from joute.games import new
    from joute.games.vampires.state import Vampires
    from joute.games.vampires.tcp.client import Client
    from joute.games.vampires.tcp.wire import printable

    options = given(limit_s=time, margin_s=margin, stop_s=stop, pause_s=pause)
    timing = Timing(**{name: _read(name, value) for name, value in options.items()})
    start = new(game)
    if not isinstance(start, Vampires):
        raise SpecError(f"servers of this protocol play {Vampires.game}, not {start.game}")
    source = find_source(agent, start.spec)
    if not source.is_loadable:
        raise SpecError(f"{agent} cannot run in this process: name a spec, a Python file or a class")

    def make_agent(number: int) -> Agent:
        return load_agent(source.text, start.spec, (seed + number) % 2**64)

    def warn(text: str) -> None:
        say(f"joute: {text}", err=True)

    called = printable(agent.encode()) if name is None else name
    Client(make_agent, name=called, game=start.spec, timing=timing, tell=say, warn=warn).play(host, port)


def _read(name: str, value: Value) -> Any:
    """Check a given setting; SpecError with the option's name if it is invalid."""
    return dataclasses.replace(_KNOWN[name], name=_FLAGS[name]).read(value_text(value), "connect")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(connect)
