"""``joute mistakes``: measure how often an agent errs, judged by an exact solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import (
    GameArgument,
    JsonOption,
    SeedOption,
    command_line,
    console,
    echo,
    print_json,
    progress_bar,
    table,
)
from joute.cli.completion import complete_agent
from joute.numbers import count_of, duration, percent

if TYPE_CHECKING:
    from joute.match.mistakes import MistakeRate, Tally


def mistakes(
    game: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC...", help="The agent to judge, or several to compare.", autocompletion=complete_agent
        ),
    ],
    *,
    positions: Annotated[int, typer.Option(help="How many positions the agent plays a move in.", min=1)] = 1000,
    seed: SeedOption = 0,
    by_ply: Annotated[bool, typer.Option("--by-ply", help="Add a row for every ply.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the share of moves that throw away a win or a draw, and the share of moves that lose score.

    Positions come from random play, with plies 4 to 35 equally likely. No position has a win in one move, and in each
    the moves differ in outcome. Several agents play in the same positions.
    """
    from joute.agents import find_agent
    from joute.games import new
    from joute.match.mistakes import measure_mistakes
    from joute.match.player import MisconductError
    from joute.version import __version__

    for agent in agents:
        find_agent(agent, new(game).spec)
    command = command_line("mistakes", game, *agents, "--positions", positions, "--seed", seed)
    rates: list[MistakeRate] = []

    def tell() -> None:
        if as_json:
            data = [_as_data(rate, seed) | {"version": __version__} for rate in rates]
            print_json(data if len(agents) > 1 else data[0])
        elif len(agents) > 1:
            _print_comparison(rates)
        else:
            _print(rates[0], by_ply=by_ply)

    try:
        with progress_bar("judging", positions) as advance:

            def watch(so_far: list[MistakeRate]) -> None:
                nonlocal rates
                rates = so_far
                advance(rates[0].total.moves, f"{percent(rates[0].total.mistake_share)} mistakes")

            measure_mistakes(game, agents, positions=positions, seed=seed, on_position=watch)
    except MisconductError as misconduct:
        echo(f"joute: {misconduct.reason.value} by {misconduct}", err=True)
        raise typer.Exit(1) from misconduct
    except KeyboardInterrupt:
        if rates:
            tell()
        judged = rates[0].total.moves if rates else 0
        done = f"{judged} of {count_of(positions, 'position')}"
        echo(f"stopped after {done}; the whole measurement: {command}", err=True)
        raise
    tell()
    if not as_json:
        echo(f"joute {__version__}; {command}")


def _print(rate: MistakeRate, *, by_ply: bool) -> None:
    listing = table(
        "plies", "moves", "mistakes", "95% interval", "lose score", "95% interval ",
        numbers=("moves", "mistakes", "lose score"),
    )  # fmt: skip
    rows: list[tuple[str, Tally]] = [("all", rate.total), *rate.by_phase.items()]
    if by_ply:
        rows += [(f"ply {ply}", tally) for ply, tally in sorted(rate.by_ply.items())]
    for name, tally in rows:
        if tally.moves:
            listing.add_row(
                name,
                str(tally.moves),
                percent(tally.mistake_share),
                _range(tally.mistake_interval),
                percent(tally.score_loss_share),
                _range(tally.score_loss_interval),
            )
    console().print(listing)


def _print_comparison(rates: list[MistakeRate]) -> None:
    phases = list(rates[0].by_phase)
    listing = table(
        "agent", "mistakes", "95% interval", *phases, "lose score", "time/move",
        numbers=("mistakes", *phases, "lose score", "time/move"),
    )  # fmt: skip
    for rate in rates:
        listing.add_row(
            rate.agent,
            percent(rate.total.mistake_share),
            _range(rate.total.mistake_interval),
            *(percent(tally.mistake_share) for tally in rate.by_phase.values()),
            percent(rate.total.score_loss_share),
            duration(rate.time_s / rate.total.moves),
        )
    console().print(listing)
    echo(f"{count_of(rates[0].total.moves, 'position')}, the same for all")


def _range(interval: tuple[float, float]) -> str:
    return f"{percent(interval[0])} to {percent(interval[1])}"


def _as_data(rate: MistakeRate, seed: int) -> dict[str, Any]:
    def data(tally: Tally) -> dict[str, Any]:
        return {
            "moves": tally.moves,
            "mistakes": tally.mistakes,
            "mistake_share": tally.mistake_share,
            "mistake_interval": tally.mistake_interval,
            "score_losses": tally.score_losses,
            "score_loss_share": tally.score_loss_share,
            "score_loss_interval": tally.score_loss_interval,
        }

    return {
        "game": rate.game,
        "agent": rate.agent,
        "seed": seed,
        "time_s": rate.time_s,
        "total": data(rate.total),
        "by_phase": {phase: data(tally) for phase, tally in rate.by_phase.items()},
        "by_ply": {str(ply): data(tally) for ply, tally in sorted(rate.by_ply.items())},
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(mistakes)
