"""``joute match``: measure which of two agents is stronger, with an interval."""

from __future__ import annotations

import dataclasses
import statistics
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
    console,
    echo,
    option_words,
    print_json,
    progress_bar,
    say,
    table_of_agents,
)
from joute.cli.completion import complete_agent
from joute.cli.game_files import new_text
from joute.cli.isolation import MemoryOption, SandboxOption, given, hang_note, isolation_of
from joute.numbers import duration, elo_interval, elo_text, finite, likelihood, lost_turns_text, noun, percent

if TYPE_CHECKING:
    from joute.arena.players.isolation import Isolation
    from joute.games import State
    from joute.match import MatchResult, Sprt, TimeControl

_COLUMNS = ("agent", "wins", "draws", "losses", "score", "95% interval", "as first", "as second", "time/move")

_GAMES = 100

# Limit with --sprt: 90% of the tests of 10 Elo against 0 end earlier, even if the true difference lies in between.
_MOST_GAMES = 20_000

_LEVELS = {
    "worker": "built-in agents in this process",
    "process": "other agents in processes of their own",
    "sandbox": "other agents in sandboxes",
    "remote": "agents that others run",
}


def _agent_help() -> str:
    from joute.agents.languages import names_in_help

    return f"An agent: greedy (see 'joute agents'), my_agent.py, {names_in_help()}."


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
    openings: Annotated[
        str | None,
        typer.Option(
            help="start, random, random:plies=6, or a file of positions; each is played twice, colours swapped.",
            show_default="start; random with --sprt",
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
    records: Annotated[
        Path | None, typer.Option(help="Write each game to this new file, as text, when it ends.", metavar="TEXT")
    ] = None,
    as_json: JsonOption = False,
    sandbox: SandboxOption = None,
    memory_mb: MemoryOption = None,
) -> None:
    """Play a match between two agents and print wins, draws and losses, score and Elo with 95% intervals."""
    from joute.agents.loading import find_source
    from joute.arena.players.players import make_player
    from joute.errors import SpecError
    from joute.games import new
    from joute.match import MatchResult, Sprt, TimeControl, play_match
    from joute.version import __version__

    state = new(game, position)
    if state.is_terminal:
        raise SpecError(f"the game is over in position '{position}', so no move can be played")
    control = TimeControl.parse(clock)
    test = Sprt.parse(sprt) if sprt is not None else None
    games = games or (_MOST_GAMES if test else _GAMES)
    openings = openings or ("random" if test and position is None else "start")
    options = given(sandbox=sandbox, memory_mb=memory_mb)
    isolation = isolation_of(options, "match")
    names = (a, b if a != b else f"{b} #2")
    sources = [find_source(text, state.spec) for text in (a, b)]
    files = [file for source in sources for file in source.files]
    players = [
        make_player(source, name, state.spec, isolation, hidden_paths=files)
        for source, name in zip(sources, names, strict=True)
    ]
    starts, note = _openings(state, openings, position, games, seed)
    hangs = any(not source.runs_in_worker for source in sources) and not control.is_timed
    for said in filter(None, (hang_note(isolation.stall_s) if hangs else "", note)):
        echo(f"note: {said}", err=as_json)
    if test:
        options["sprt"] = str(test)
    command = _command(game, a, b, games, seed, clock, openings, position, options)
    result = MatchResult(*names)

    def tell() -> None:
        if as_json:
            told = _as_data(result, state.spec, seed, test) | _conditions_data(result, control)
            print_json(told | {"openings": openings, "version": __version__})
        elif result.games:
            _print(result, test, way_out=openings == "start" and position is None)
            say(_conditions(result, control, isolation))

    try:
        with progress_bar("playing", games) as advance, new_text(records) if records else nullcontext() as keep:

            def watch(so_far: MatchResult) -> None:
                nonlocal result
                result = so_far
                if keep:
                    keep(so_far.records[-1])
                advance(so_far.games, "+{} ={} -{}".format(*so_far.tally()) + _progress(so_far, test))

            play_match(
                state, *players, games=games, seed=seed, clock=control, openings=starts, sprt=test, on_game=watch
            )
    except KeyboardInterrupt:
        tell()
        if not as_json and not test:
            say("stopping a match when its score looks good biases the result; --sprt stops without this bias")
        echo(f"stopped after {result.games} of {games} games; the whole match: {command}", err=as_json)
        raise
    tell()
    if test and result.games < games and not result.test(test).decision:
        echo("stopped: these agents only repeat earlier games, so more games add no information", err=as_json)
    if not as_json:
        echo(f"joute {__version__}; {command}")


def _command(
    game: str, a: str, b: str, games: int, seed: int, clock: str, openings: str, position: str | None, options: Any
) -> str:
    """The command that plays this match again."""
    settings: dict[str, Any] = {"games": games, "seed": seed}
    settings |= {"clock": clock} if clock != "none" else {}
    settings |= {"openings": openings} if openings != "start" or "sprt" in options else {}
    settings |= {"position": position} if position else {}
    return command_line("match", game, a, b, *option_words(settings | options))


def _openings(state: State, text: str, position: str | None, games: int, seed: int) -> tuple[list[State], str]:
    """The positions that games start from (empty for the start position), and a note about them."""
    from joute.arena.openings import make_openings
    from joute.errors import SpecError
    from joute.games import new
    from joute.match.game import derive_seed

    if text == "start":
        return [], ""
    if position is not None:
        raise SpecError("games start from --position or from --openings, not from both")
    # The seed of a tournament's openings: games use 0, 1, 2, ...
    made = make_openings(state.spec, text, (games + 1) // 2, derive_seed(seed, -1))
    return [new(state.spec, opening) for opening in made.positions], made.note


def _print(result: MatchResult, test: Sprt | None, *, way_out: bool) -> None:
    """Print the table and the verdict; `way_out`: whether to advise openings if games repeat."""
    from joute._core import one_line
    from joute.arena.hints import hint

    low, high = result.interval
    wins, draws, losses = result.tally()
    rows = []
    for name, tally, score, interval, of_a in (
        (result.a, (wins, draws, losses), result.score, (low, high), True),
        (result.b, (losses, draws, wins), 1 - result.score, (1 - high, 1 - low), False),
    ):
        by_colour = [result.tally(a_first=as_first == of_a) for as_first in (True, False)]
        rows.append(
            [
                name,
                *map(str, tally),
                percent(score),
                f"{percent(interval[0])} to {percent(interval[1])}",
                *("+{} ={} -{}".format(*(t if of_a else reversed(t))) for t in by_colour),
                duration(result.mean_time_s(of_a=of_a)),
            ]
        )
    columns = {header: list(cells) for header, cells in zip(_COLUMNS, zip(*rows, strict=True), strict=True)}
    out = console()
    out.print(table_of_agents(out, columns, dispensable=("time/move", "as second", "as first")))
    elo = f"{elo_text(result.elo)} for {result.a}, 95% interval {elo_interval(*result.elo_interval)}"
    say(f"Elo {elo}; LOS {likelihood(result.los)}")
    if result.pentanomial.pairs:
        echo(f"pairs of games in which it scored 0, ½, 1, 1½, 2 points: {result.pentanomial}")
    verdict = result.verdict_by(test) if test else result.verdict
    say(verdict)
    say(f"{result.games} {noun(result.games, 'game')}, {result.mean_plies:.1f} plies each")
    if len(result.decided_by) > 1:
        say("decided by " + ", ".join(f"{one_line(what)} {count:,}" for what, count in result.decided_by.items()))
    if result.distinct_games < result.games:
        echo(
            f"{result.distinct_games} of the {result.games} games are distinct; "
            "a repeated game adds no information, so the interval counts it once"
            + ("; --openings random makes games differ" if way_out and not result.reasons else "")
        )
    for name, of_a in ((result.a, True), (result.b, False)):
        if sentence := lost_turns_text(one_line(name), result.lost_turns(of_a=of_a), result.moves(of_a=of_a)):
            say(sentence)
    for reason, count in result.reasons.items():
        example = _example(result, reason)
        advice = f" (hint: {advice})" if (advice := hint(example)) else ""
        echo(f"ended by {reason}: {count}, for example {example}{advice}")


def _progress(result: MatchResult, test: Sprt | None) -> str:
    """The state of a sequential test, for the progress bar."""
    if not test:
        return ""
    state = result.test(test)
    return f", LLR {state.llr:.2f} ({state.lower:.2f} to {state.upper:.2f})"


def _conditions(result: MatchResult, control: TimeControl, isolation: Isolation) -> str:
    """Clock, margin, isolation and the runner's overhead, in words."""
    from joute.arena.standings import conditions

    data = _conditions_data(result, control)
    levels = [words for level, words in _LEVELS.items() if level in data["isolation"]]
    stall_s = isolation.stall_s if data["isolation"] != ["worker"] else None  # no limit for agents in this process
    text = conditions(data["clock"], levels, margin_s=data["margin_s"], stall_s=stall_s)
    overhead_s = data["overhead_s"]
    return text if overhead_s is None else f"{text}; the runner took {duration(overhead_s)} a ply (median)"


def _conditions_data(result: MatchResult, control: TimeControl) -> dict[str, Any]:
    from joute.match.clock import MARGIN_S

    overheads_s = [record.overhead_a_ply_s for record in result.records if record.overhead_a_ply_s is not None]
    levels = {level for record in result.records for level in record.isolation}
    return {
        "clock": str(control),
        "margin_s": MARGIN_S if control.is_timed else None,
        "isolation": sorted(levels),
        "overhead_s": statistics.median(overheads_s) if overheads_s else None,
    }


def _example(result: MatchResult, reason: str) -> str:
    # Leave out the moves: there may be thousands.
    return next(
        record.detail or str(record).rpartition(": ")[0] for record in result.records if record.reason.value == reason
    )


def _as_data(result: MatchResult, game: str, seed: int, test: Sprt | None) -> dict[str, Any]:
    low, high = result.interval
    elo_low, elo_high = result.elo_interval
    wins, draws, losses = result.tally()
    return {
        "game": game,
        "a": result.a,
        "b": result.b,
        "seed": seed,
        "games": result.games,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "score": result.score,
        "low": low,
        "high": high,
        "elo": finite(result.elo),
        "elo_low": finite(elo_low),
        "elo_high": finite(elo_high),
        "los": result.los,
        "pentanomial": list(result.pentanomial.counts),
        "dispersion": result.dispersion,
        "a_first": dict(zip(("wins", "draws", "losses"), result.tally(a_first=True), strict=True)),
        "a_second": dict(zip(("wins", "draws", "losses"), result.tally(a_first=False), strict=True)),
        "mean_time_s": {"a": result.mean_time_s(of_a=True), "b": result.mean_time_s(of_a=False)},
        "mean_plies": result.mean_plies,
        "distinct_games": result.distinct_games,
        "reasons": result.reasons,
        "decided_by": result.decided_by,
        "forfeits": {"a": result.forfeits(of_a=True), "b": result.forfeits(of_a=False)},
        "lost_turns": {"a": result.lost_turns(of_a=True), "b": result.lost_turns(of_a=False)},
        "verdict": result.verdict_by(test) if test else result.verdict,
        "sprt": _sprt_data(result, test) if test else None,
    }


def _sprt_data(result: MatchResult, test: Sprt) -> dict[str, Any]:
    state = result.test(test)
    stands = {"llr": state.llr, "lower": state.lower, "upper": state.upper, "decision": state.decision}
    return dataclasses.asdict(test) | stands


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(match)
