"""``joute host``: a server on which any programs can play over TCP."""

from __future__ import annotations

import ipaddress
import signal
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import SeedOption, broken_command, command_line, console, echo, option_words, say
from joute.cli.isolation import given
from joute.games.vampires.tcp.host_settings import HostSettings
from joute.numbers import count_of
from joute.spec import parameters_of, value_text

if TYPE_CHECKING:
    from joute.arena.store.hosted import HostedGames
    from joute.games.vampires.state import Vampires
    from joute.games.vampires.tcp.server import Hosting, Server

# The official server's default address and port.
_ADDRESS, _PORT = "127.0.0.1", 5555

# The signals that end a server, and their names in messages.
_ENDINGS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP"}

_KNOWN = {parameter.name: parameter for parameter in parameters_of(HostSettings)}


def _option(name: str, flag: str | None = None) -> Any:
    """Return the option of the parameter of that name."""
    known = _KNOWN[name]
    flags = [flag] if flag else []
    text = f"{known.help[0].upper()}{known.help[1:]}. (default: {known.default_text})"
    return typer.Option(*flags, help=text, min=known.low, show_default=False, metavar="S")


def host(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="vampires, with its rules: vampires:rules=twilight-langorou.")
    ],
    *,
    port: Annotated[
        int, typer.Option("--port", "-p", help="The port to listen on; 0 for any free port.", min=0, max=65535)
    ] = _PORT,
    address: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 to accept players from other machines.")
    ] = _ADDRESS,
    map_: Annotated[
        str | None,
        typer.Option("--map", help="The map of the games: a name, a text, or an XML file.", metavar="MAP"),
    ] = None,
    games: Annotated[
        int, typer.Option(help="End after this number of games, which may run in parallel; 0 for no end.", min=0)
    ] = 1,
    time_s: Annotated[float | None, _option("time_s", "--time")] = None,
    game_s: Annotated[float | None, _option("game_s")] = None,
    welcome_s: Annotated[float | None, _option("welcome_s")] = None,
    farewell_s: Annotated[float | None, _option("farewell_s")] = None,
    first_turn_s: Annotated[float | None, _option("first_turn_s")] = None,
    name_s: Annotated[float | None, _option("name_s")] = None,
    wait_s: Annotated[float | None, _option("wait_s")] = None,
    seed: SeedOption = 0,
    db: Annotated[
        Path | None,
        typer.Option(
            help="The file of the games; games are added to an existing one. (default: vampires-DATE-TIME.db)",
            metavar="FILE.db",
        ),
    ] = None,
) -> None:
    """Host games between programs that connect over TCP, as the course's server does.

    The first connection plays first, against the second; the third plays the fourth at the same time. Under the
    twilight rules the server behaves like the twilight servers. docs/vampires_protocol.md describes both.

    Ctrl-C ends it; the exit status is then 130 if a game was cut off or is missing, and 0 otherwise.
    """
    from joute.arena.store.hosted import HostedGames
    from joute.games.vampires.tcp.server import Hosting
    from joute.match import TimeControl

    times = given(
        time_s=time_s, game_s=game_s, welcome_s=welcome_s, farewell_s=farewell_s, first_turn_s=first_turn_s,
        name_s=name_s, wait_s=wait_s,
    )  # fmt: skip
    settings = HostSettings(**times)  # type: ignore[arg-type]
    start, houses, shown = _start(game, map_)
    path = db or Path(f"{start.game}-{datetime.now():%Y%m%d-%H%M%S}.db")
    words: dict[str, Any] = {"map": map_} if map_ is not None else {}
    words |= {"games": games, "seed": seed} | {
        "time" if name == "time_s" else name: value_text(value) for name, value in times.items()
    }
    typed = ("host", game, *option_words(words))
    command = command_line(*typed)
    clock = str(TimeControl(move_s=settings.time_s))
    from joute.version import __version__

    with HostedGames(path, start, clock=clock, seed=seed, command=command) as kept:
        before = kept.count
        hosting = Hosting(start, games, seed, before, settings, houses)
        status = None
        try:
            status = _serve(hosting, kept, address, port, shown)
        finally:
            if status is not None or kept.count > before:
                _tell_end(kept, kept.count - before)
    if kept.count > 1:
        _print_table(path)
    echo(broken_command(f"joute {__version__}; ", typed))
    if status:
        raise typer.Exit(status)


def _start(game: str, map_: str | None) -> tuple[Vampires, tuple[tuple[int, int], ...], str]:
    """Return the start position, the places of the houses in the order of the map, and the spec with the map's name."""
    from joute.errors import SpecError
    from joute.games import new
    from joute.games.vampires.state import Vampires, find_map
    from joute.spec import parse_spec

    name, pairs = parse_spec(game)
    if name != Vampires.game:
        raise SpecError(f"{name} is not hosted: only {Vampires.game} is played over TCP")
    if map_ is not None:
        if "map" in dict(pairs):
            raise SpecError(f"games begin on the map of --map or of {game}: leave one of them out")
        game = f"{game}{',' if pairs else ':'}map={map_}"
    start = new(game)
    assert isinstance(start, Vampires)
    chosen = dict(parse_spec(game)[1]).get("map") or next(
        str(option.default) for option in start.rule_parameters() if option.name == "map"
    )
    return start, tuple((x, y) for x, y, _ in find_map(chosen).houses), game


def _serve(hosting: Hosting, kept: HostedGames, address: str, port: int, shown: str) -> int:
    """Host the games; return the exit status. `shown` names the game in messages: a map's file, not its text."""
    import asyncio

    from joute.games.vampires.commands.host_live import HostView
    from joute.games.vampires.tcp.server import Server

    games = f"{hosting.games} game{'s' * (hosting.games != 1)}" if hosting.games else "games without end"
    title = f"{shown}: {games}, {hosting.settings.time_s:g} s a turn"
    view = HostView(console(), title)
    server = Server(hosting, store=kept.add, watcher=view)

    def ready(found: int) -> None:
        listening = _parsed(address)
        where, reached = (f"[{address}]" if ":" in address else address), address
        if listening and listening.is_unspecified:
            where, reached = "any address of this machine", "this machine"
        say(f"{title}; players connect to {where}, port {found}; kept in {kept.path}; Ctrl-C ends it")
        if not (listening and listening.is_loopback):
            say(f"note: anybody who can reach {reached} may play; the protocol has no passwords", err=True)

    caught: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        caught.append(number)
        server.stop()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        for each in _ENDINGS:
            if signal.getsignal(each) is not signal.SIG_IGN:  # as under nohup
                loop.add_signal_handler(each, end, each)
        await server.run(address, port, ready)

    with view.watch(server):
        asyncio.run(run())
    return _interrupted(server, caught[0]) if caught else 0


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an address; None if it is a name."""
    try:
        return ipaddress.ip_address("127.0.0.1" if address == "localhost" else address)
    except ValueError:
        return None


def _interrupted(server: Server, by: signal.Signals) -> int:
    """Print what a signal cut off; return the exit status: 128 plus the signal, or 0 if no game is missing."""
    asked, cut_off = server.hosting.games, server.cut_off
    done = f" after {server.finished} of {count_of(asked, 'game')}" if asked else ""
    lost = f"; {count_of(cut_off, 'game')} {'was' if cut_off == 1 else 'were'} cut off and not kept" if cut_off else ""
    say(f"ended by {_ENDINGS[by]}{done}{lost}")
    return 128 + by if cut_off or server.finished < asked else 0


def _tell_end(kept: HostedGames, new: int) -> None:
    if not new:
        echo("no game was finished")
        return
    look = command_line("replay", kept.path)
    echo(f"{count_of(new, 'game')} in {kept.path}; to see {'them' if new > 1 else 'it'}: {look}")


def _print_table(path: Path) -> None:
    from joute.arena.tournament import Tournament
    from joute.cli.tournament_table import print_table

    with Tournament.resume(path) as made:
        print_table(console(), made)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: joute host vampires --map thetrap.xml --time 2, then twice: ./bot 127.0.0.1 5555")(
        host
    )
