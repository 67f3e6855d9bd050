"""``joute match``: which of two agents is better, with an interval."""

from __future__ import annotations

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
    duration,
    percent,
    print_json,
    progress_bar,
    table,
)

if TYPE_CHECKING:
    from joute.match import MatchResult


def match(
    game: GameArgument,
    a: Annotated[
        str, typer.Argument(metavar="A", help="An agent: greedy (see 'joute agents'), my_agent.py, ugi:./program.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent.")],
    *,
    games: Annotated[int, typer.Option(help="How many games; colours alternate.", min=1)] = 100,
    seed: SeedOption = 0,
    clock: ClockOption = "none",
    position: PositionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a match between two agents: wins, draws, losses, the score and its 95% interval."""
    from joute import __version__
    from joute.agents.loading import find_source
    from joute.arena.isolation import Isolation
    from joute.arena.players import make_player
    from joute.games import new
    from joute.match import MatchResult, TimeControl, play_match

    state = new(game, position)
    control = TimeControl.parse(clock)
    players = [make_player(find_source(text, state.game), text, state.spec, Isolation()) for text in (a, b)]
    if state.is_terminal:
        from joute.errors import SpecError

        raise SpecError(f"the game is over in position '{position}', so there is nothing to play")
    settings = [*(("--clock", clock) if clock != "none" else ()), *(("--position", position) if position else ())]
    command = command_line("match", game, a, b, "--games", games, "--seed", seed, *settings)
    result = MatchResult(a, b)

    def tell() -> None:
        if as_json:
            print_json(_as_data(result, state.spec, seed) | {"version": __version__})
        elif result.games:
            _print(result)

    try:
        with progress_bar("playing", games) as advance:

            def watch(so_far: MatchResult) -> None:
                nonlocal result
                result = so_far
                advance(so_far.games, "+{} ={} -{}".format(*so_far.tally()))

            play_match(state, *players, games=games, seed=seed, clock=control, on_game=watch)
    except KeyboardInterrupt:
        tell()
        typer.echo(f"stopped after {result.games} of {games} games; the whole match: {command}", err=as_json)
        raise
    tell()
    if not as_json:
        typer.echo(f"joute {__version__}; {command}")


def _print(result: MatchResult) -> None:
    low, high = result.interval
    listing = table(
        "agent", "wins", "draws", "losses", "score", "95% interval", "as first", "as second", "time/move",
        numbers=("wins", "draws", "losses", "score", "as first", "as second", "time/move"),
    )  # fmt: skip
    wins, draws, losses = result.tally()
    for name, tally, score, interval, of_a in (
        (result.a, (wins, draws, losses), result.score, (low, high), True),
        (result.b, (losses, draws, wins), 1 - result.score, (1 - high, 1 - low), False),
    ):
        by_colour = [result.tally(a_first=as_first == of_a) for as_first in (True, False)]
        listing.add_row(
            name,
            *map(str, tally),
            percent(score),
            f"{percent(interval[0])} to {percent(interval[1])}",
            *("+{} ={} -{}".format(*(t if of_a else reversed(t))) for t in by_colour),
            duration(result.mean_time_s(of_a=of_a)),
        )
    console().print(listing)
    typer.echo(f"{result.verdict}; {result.games} games, {result.mean_plies:.1f} plies each")
    if result.distinct_games < result.games:
        typer.echo(
            f"{result.distinct_games} of the {result.games} games are distinct; "
            "a game played again tells nothing new, so the interval counts it once"
        )
    for reason, count in result.reasons.items():
        typer.echo(f"ended by {reason}: {count}, for example {_example(result, reason)}")


def _example(result: MatchResult, reason: str) -> str:
    return next(record.detail or str(record) for record in result.records if record.reason.value == reason)


def _as_data(result: MatchResult, game: str, seed: int) -> dict[str, Any]:
    low, high = result.interval
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
        "a_first": dict(zip(("wins", "draws", "losses"), result.tally(a_first=True), strict=True)),
        "a_second": dict(zip(("wins", "draws", "losses"), result.tally(a_first=False), strict=True)),
        "mean_time_s": {"a": result.mean_time_s(of_a=True), "b": result.mean_time_s(of_a=False)},
        "mean_plies": result.mean_plies,
        "distinct_games": result.distinct_games,
        "reasons": result.reasons,
        "verdict": result.verdict,
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(match)
