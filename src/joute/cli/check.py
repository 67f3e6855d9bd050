"""``joute check``: would this agent survive a tournament?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import JsonOption, SeedOption, console, duration, print_json, progress_bar, table

if TYPE_CHECKING:
    from joute.arena.check import Admission

# So many lines of what an agent wrote are quoted, and so much of a line.
_QUOTED_LINES, _QUOTED_LENGTH = 8, 200


def check(
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="my_agent.py, my_agent.py:Class, ugi:./program, or a spec.")
    ],
    *,
    game: Annotated[str, typer.Option(help="The game it is to play.", metavar="GAME")],
    clock: Annotated[str, typer.Option(help="The clock of the games, e.g. 60+0.5 or 2/move.")] = "10",
    low_clock: Annotated[str, typer.Option(help="The clock of the games with little time.")] = "1",
    games: Annotated[int, typer.Option(help="Games a side and a clock.", min=1)] = 2,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="In a jail, as a class tournament may ask.")] = False,
    memory_mb: Annotated[int, typer.Option(help="Most memory of the agent.", min=16)] = 2048,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Play short games against random on both sides, also with little time, and say what would forfeit."""
    from joute.arena.check import check_agent
    from joute.arena.isolation import Isolation
    from joute.match.clock import MARGIN_S, TimeControl

    controls = TimeControl.parse(clock), TimeControl.parse(low_clock)
    isolation = Isolation(sandbox=sandbox, memory_mb=memory_mb)
    total = 4 * games
    with progress_bar("playing", total) as advance:

        def watch(so_far: Admission) -> None:
            advance(sum(len(stage.records) for stage in so_far.stages), f"{so_far.stages[-1].title}")

        found = check_agent(
            agent, game, clock=controls[0], low_clock=controls[1], games=games, seed=seed, isolation=isolation,
            on_stage=watch,
        )  # fmt: skip
    if as_json:
        print_json(_as_data(found))
    else:
        _print(found, MARGIN_S)
    if not found.passed:
        raise typer.Exit(1)


def _print(found: Admission, margin_s: float) -> None:
    listing = table(
        "stage", "plays", "clock", "games", "won", "drawn", "lost", "forfeits", "longest move", "longest game",
        numbers=("games", "won", "drawn", "lost", "forfeits", "longest move", "longest game"),
    )  # fmt: skip
    for stage in found.stages:
        outcomes = [record.result.outcome_for(stage.side) for record in stage.records]
        listing.add_row(
            stage.title,
            ("first", "second")[stage.side],
            str(stage.clock),
            str(len(stage.records)),
            *(str(outcomes.count(outcome)) for outcome in (1, 0, -1)),
            str(len(stage.forfeits)),
            duration(stage.longest_move_s),
            duration(stage.longest_game_s),
        )
    console().print(listing)
    for stage in found.stages:
        for record in stage.forfeits:
            typer.echo(f"forfeit by {record.reason.value} ({stage.title}): {record.detail}")
    _quote(found.output)
    if found.repeats is not None:
        typer.echo(
            "the same seed gave the same game"
            if found.repeats
            else "the same seed gave another game: results with this agent do not repeat exactly"
        )
    words = {"worker": "in this process", "process": "in a process of its own", "sandbox": "in a sandbox"}
    verdict = "is ready to play" if found.passed else "would forfeit games of"
    typer.echo(f"{found.agent} {verdict} {found.game}; played {words[found.isolation]}, margin {margin_s:g} s")


def _quote(output: str) -> None:
    """What the agent wrote: the end, where programs say what went wrong."""
    lines = output.strip().splitlines()
    if not lines:
        return
    typer.echo("it wrote:" if len(lines) <= _QUOTED_LINES else f"the end of the {len(lines)} lines it wrote:")
    for line in lines[-_QUOTED_LINES:]:
        typer.echo(f"  {line[:_QUOTED_LENGTH]}")


def _as_data(found: Admission) -> dict[str, Any]:
    return {
        "agent": found.agent,
        "game": found.game,
        "isolation": found.isolation,
        "passed": found.passed,
        "repeats": found.repeats,
        "output": found.output,
        "stages": [
            {
                "stage": stage.title,
                "side": stage.side,
                "clock": str(stage.clock),
                "games": len(stage.records),
                "forfeits": [{"reason": r.reason.value, "detail": r.detail} for r in stage.forfeits],
                "longest_move_s": stage.longest_move_s,
                "longest_game_s": stage.longest_game_s,
            }
            for stage in found.stages
        ],
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)
