"""``joute match``: measure which of two agents is stronger, with an interval."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import (
    ClockOption,
    GameArgument,
    JsonOption,
    PositionOption,
    SeedOption,
    command_line,
    echo,
    interrupted_by_sigterm,
    option_words,
    print_json,
    progress_bar,
    say,
    tell_failure,
)
from joute.cli.completion import complete_agent
from joute.cli.game_files import new_text_and_output
from joute.cli.isolation import MemoryOption, SandboxOption, given, hang_note, isolation_of
from joute.cli.ray_option import RayOption, print_nodes, venue_at
from joute.numbers import count_of

if TYPE_CHECKING:
    from joute.arena.match import Match
    from joute.match import MatchResult

_GAMES = 100

# Limit with --sprt: 90% of the tests of 10 Elo against 0 end earlier, even if the true difference lies in between.
_MOST_GAMES = 20_000


def _agent_help() -> str:
    from joute.agents.languages import names_in_help

    return f"An agent: greedy (see 'joute agents'), my_agent.py, {names_in_help()}; greedy@30 has a clock of its own."


def match(
    game: GameArgument,
    a: Annotated[
        str,
        typer.Argument(metavar="A", help=_agent_help(), autocompletion=complete_agent),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent.", autocompletion=complete_agent)],
    *,
    games: Annotated[
        int | None,
        typer.Option(help="How many games; colours alternate. With --sprt, the most games.", min=1, show_default="100"),
    ] = None,
    seed: SeedOption = 0,
    clock: ClockOption = "none",
    clock_second: Annotated[
        str | None,
        typer.Option(
            help="The limit of B, if it is not that of A: for handicaps.", metavar="T", show_default="--clock"
        ),
    ] = None,
    openings: Annotated[
        str | None,
        typer.Option(
            help="start, balanced, random, random:plies=6, or a file of positions; each is played twice, colours "
            "swapped.",
            show_default="balanced; in games without such a set start, or random with --sprt",
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            help="Play until a sequential test decides whether A is stronger by elo0 or by elo1: "
            "elo0=0,elo1=10,alpha=0.05,beta=0.05.",
            metavar="TEST",
        ),
    ] = None,
    position: PositionOption = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            help="Games played in parallel, in processes; with node limits the games are the same.",
            min=1,
            show_default="1; with --ray as many as the cores allow",
        ),
    ] = None,
    ray: RayOption = None,
    records: Annotated[
        Path | None,
        typer.Option(
            help="Write each game to this new file, as text, when it ends; what agents print goes to a file beside it.",
            metavar="TEXT",
        ),
    ] = None,
    as_json: JsonOption = False,
    keep_alive: Annotated[
        bool,
        typer.Option(
            "--keep-alive",
            help="Keep agents in Python and UGI programs alive between games: they are made once, and remember.",
            rich_help_panel="Agents that are not built in",
        ),
    ] = False,
    sandbox: SandboxOption = None,
    memory_mb: MemoryOption = None,
) -> None:
    """Play a match between two agents and print wins, draws and losses, score and Elo with 95% intervals.

    Ends with status 1 if an agent forfeited a game or could not be loaded.
    """
    from joute.agents.loading import find_source
    from joute.arena.entries import entry_of
    from joute.arena.match import Match, match_openings, opening_states
    from joute.arena.players.players import check_players
    from joute.errors import SpecError
    from joute.games import new
    from joute.match import Sprt, TimeControl

    state = new(game, position)
    if state.is_terminal:
        raise SpecError(f"the game is over in position '{position}', so no move can be played")
    (agent_a, _, clock_a), (agent_b, _, clock_b) = entry_of(a), entry_of(b)
    clocks = clock_a or clock, clock_b or (clock if clock_second is None else clock_second)
    controls = TimeControl.parse(clocks[0]), TimeControl.parse(clocks[1])
    test = Sprt.parse(sprt) if sprt is not None else None
    games = games or (_MOST_GAMES if test else _GAMES)
    if openings is None:
        openings = "start" if position else match_openings(state, otherwise="random" if test else "start")
    options = given(sandbox=sandbox, memory_mb=memory_mb)
    isolation = isolation_of(options, "match")
    sources = find_source(agent_a, state.spec), find_source(agent_b, state.spec)
    check_players(sources, state.spec, isolation)
    if position is not None and openings != "start":
        raise SpecError("games start from --position or from --openings, not from both")
    starts, note = opening_states(state, openings, games, seed)
    hangs = any(
        not (source.runs_in_worker or control.is_timed) for source, control in zip(sources, controls, strict=True)
    )
    settings: dict[str, Any] = {"games": games, "seed": seed}
    settings |= {"clock": clock} if clock != "none" else {}
    settings |= given(clock_second=clock_second)
    settings |= {"openings": openings} if position is None else {}
    settings |= {"position": position} if position else {}
    settings |= {"concurrency": concurrency} if concurrency and (concurrency > 1 or ray) else {}
    settings |= given(ray=ray)
    settings |= {"keep_alive": True} if keep_alive else {}
    settings |= options | ({"sprt": str(test)} if test else {})
    command = command_line("match", game, a, b, *option_words(settings))
    with venue_at(ray) as venue:
        wanted = concurrency or (0 if ray else 1)
        workers, about_workers = venue.workers(sources, wanted, games)
        for said in filter(None, (hang_note(isolation.stall_s) if hangs else "", note, about_workers)):
            echo(f"note: {said}", err=as_json)
        made = Match(
            state, sources, (a, b if a != b else f"{b} #2"), games, isolation, seed=seed, controls=controls,
            openings=starts, sprt=test, concurrency=wanted if ray else workers, keep_alive=keep_alive,
            venue=venue if ray else None,
        )  # fmt: skip
        _run(made, openings, command, records, as_json=as_json)


def _run(made: Match, openings: str, command: str, records: Path | None, *, as_json: bool) -> None:
    from joute.arena.match import NotLoadedError
    from joute.arena.node_rows import nodes_data
    from joute.cli.match_table import as_data, print_result
    from joute.games import new
    from joute.match import MatchResult
    from joute.version import __version__

    result = MatchResult(*made.names)

    def tell() -> None:
        if as_json:
            print_json(as_data(made, result) | {"openings": openings, "version": __version__} | nodes_data(made.nodes))
        elif result.games:
            is_own_start = made.start.position == new(made.start.spec).position
            print_result(made, result, way_out=openings == "start" and is_own_start)

    try:
        with (
            interrupted_by_sigterm(),
            progress_bar("playing", made.games) as advance,
            new_text_and_output(records) if records else nullcontext() as keep,
        ):

            def watch(so_far: MatchResult) -> None:
                nonlocal result
                result = so_far
                if keep:
                    keep(so_far.records[-1])
                advance(so_far.games, "+{} ={} -{}".format(*so_far.tally()) + _progress(so_far, made))

            made.play(watch)
    except NotLoadedError as error:
        tell_failure(str(error), error.output, "no game was played")
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        tell()
        if not as_json and not made.sprt:
            say("stopping a match when its score looks good biases the result; --sprt stops without this bias")
        echo(f"stopped after {result.games} of {count_of(made.games, 'game')}; the whole match: {command}", err=as_json)
        raise
    tell()
    if made.sprt and result.games < made.games and not made.unplayed and not result.test(made.sprt).decision:
        echo("stopped: these agents only repeat earlier games, so more games add no information", err=as_json)
    if not as_json:
        print_nodes(made.nodes)
        echo(f"joute {__version__}; {command}")
    if made.unplayed:
        count = len(made.unplayed)
        echo(f"joute: {count_of(count, 'game')} could not be played: {made.unplayed[0].why}", err=True)
    if made.unplayed or any(result.forfeits(of_a=of_a) for of_a in (True, False)):
        raise typer.Exit(1)


def _progress(result: MatchResult, made: Match) -> str:
    """The state of a sequential test, for the progress bar."""
    if not made.sprt:
        return ""
    state = result.test(made.sprt)
    return f", LLR {state.llr:.2f} ({state.lower:.2f} to {state.upper:.2f})"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(match)
