"""``joute check``: test whether an agent would forfeit games of a tournament."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joute.cli.common import JsonOption, SeedOption, console, echo, print_json, progress_bar, table
from joute.cli.completion import complete_agent, complete_game
from joute.cli.isolation import isolation_of, takes_isolation
from joute.numbers import count_of, duration
from joute.spec import Value

if TYPE_CHECKING:
    from joute.arena.check import Admission, Stage
    from joute.arena.compliance import Finding
    from joute.arena.players.isolation import Isolation
    from joute.match.record import GameRecord

# Numbers in messages (plies, times, moves). Messages that differ only there are grouped.
_NUMBERS = re.compile(r"\d[\d\W]*")

# Most lines quoted from the agent's output, and most characters of each.
_QUOTED_LINES, _QUOTED_LENGTH = 20, 200


def _agent_help() -> str:
    from joute.agents.languages import names_in_help

    return f"my_agent.py, my_agent.py:Class, {names_in_help()}, or a spec (see 'joute agents')."


@takes_isolation
def check(
    agent: Annotated[
        str,
        typer.Argument(metavar="AGENT", help=_agent_help(), autocompletion=complete_agent),
    ],
    *,
    game: Annotated[
        str, typer.Option(help="The game that the agent plays.", metavar="GAME", autocompletion=complete_game)
    ],
    clock: Annotated[
        str, typer.Option(help="The clock of the tournament, for which the verdict holds, e.g. 60+0.5 or 2/move.")
    ] = "10",
    low_clock: Annotated[
        str, typer.Option(help="The clock of the games with little time; losses on time in these are only reported.")
    ] = "1",
    games: Annotated[int, typer.Option(help="Games per side and clock.", min=1)] = 2,
    ugi: Annotated[
        bool,
        typer.Option("--ugi", help="Play no games: check the program's UGI, command by command (docs/ugi.md)."),
    ] = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    isolation: dict[str, Value],
) -> None:
    """Play short games against random on both sides, also with little time, and report each reason for a forfeit.

    The exit status is 1 if the agent forfeits a game, except on time in the games with little time; with --ugi, if the
    program fails a check.
    """
    if ugi:
        _check_ugi(agent, game, isolation_of(isolation, "check"), as_json=as_json)
        return
    from joute.arena.check import check_agent
    from joute.match.clock import MARGIN_S, TimeControl

    controls = TimeControl.parse(clock), TimeControl.parse(low_clock)
    limits = isolation_of(isolation, "check")
    with progress_bar("playing", 4 * games) as advance:

        def watch(so_far: Admission, step: str) -> None:
            advance(sum(len(stage.records) for stage in so_far.stages), step)

        found = check_agent(
            agent, game, clock=controls[0], low_clock=controls[1], games=games, seed=seed, isolation=limits,
            on_step=watch,
        )  # fmt: skip
    if as_json:
        print_json(_as_data(found))
    else:
        print_admission(found, MARGIN_S)
    if not found.passed:
        raise typer.Exit(1)


def _check_ugi(agent: str, game: str, isolation: Isolation, *, as_json: bool) -> None:
    """Check a program's UGI, and print a line for each check as its result is known."""
    from joute.agents.loading import find_source
    from joute.agents.source import language_prefix
    from joute.arena.compliance import check_ugi

    # A command line with arguments needs no prefix here, where every program speaks UGI.
    source = find_source(f"ugi:{agent}" if " " in agent and not language_prefix(agent) else agent, game)

    def tell(finding: Finding) -> None:
        if not as_json:
            echo(_finding_line(finding))

    found = check_ugi(source, game, isolation=isolation, on_finding=tell)
    if as_json:
        print_json({**asdict(found), "passed": found.passed})
    elif found.passed:
        echo(f"{agent} speaks UGI: it passed all {len(found.findings)} checks with {found.game}")
    else:
        echo(f"{agent} fails {len(found.failures)} of {len(found.findings)} checks with {found.game}")
    if not found.passed:
        raise typer.Exit(1)


def _finding_line(finding: Finding) -> str:
    told = f": {finding.detail}" if finding.detail else ""
    return f"{'ok  ' if finding.passed else 'FAIL'}  {finding.check}{told}"


def print_admission(found: Admission, margin_s: float) -> None:
    """Print the stages, the reasons of forfeits, and the verdict with the clock for which it holds."""
    from joute.arena.hints import hint
    from joute.arena.players.isolation import limits_in_words

    listing = table(
        "stage", "plays", "clock", "games", "+ = -", "forfeits", "max move", "max game",
        numbers=("games", "+ = -", "forfeits", "max move", "max game"),
    )  # fmt: skip
    for column in listing.columns:
        column.no_wrap = True
    for stage in found.stages:
        outcomes = [record.result.outcome_for(stage.side) for record in stage.records]
        listing.add_row(
            stage.title,
            ("first", "second")[stage.side],
            str(stage.clock),
            str(len(stage.records)),
            " ".join(str(outcomes.count(outcome)) for outcome in (1, 0, -1)),
            str(len(stage.forfeits)),
            duration(stage.longest_move_s),
            duration(stage.longest_game_s),
        )
    console().print(listing)
    for alike in _alike(found):
        titles = ", ".join(dict.fromkeys(stage.title for stage, _ in alike))
        record = alike[0][1]
        often = f", {len(alike)} times, for example" if len(alike) > 1 else ""
        echo(f"forfeit by {record.reason.value} ({titles}){often}: {record.detail}")
        if advice := hint(record.detail):
            echo(f"  hint: {advice}")
    lost: Counter[str] = Counter()
    for stage in found.stages:
        lost[stage.title] += stage.lost_turns
    for title, count in (+lost).items():
        echo(f"turns lost by late answers ({title}): {count}")
    _quote(found)
    if found.repeats is not None:
        echo(
            f"the same seeds gave the same games: {found.repeated_games} of {found.repeated_games} played again"
            if found.repeats
            else "the same seed gave another game: results with this agent do not repeat exactly"
        )
    words = {
        "worker": "in this process",
        "process": "in a process of its own",
        "sandbox": "in a sandbox",
        "remote": "on its server",
    }
    verdict = "is ready to play" if found.passed else "would forfeit games of"
    where = f"played {words[found.isolation]}, margin {margin_s:g} s"
    echo(f"{found.agent} {verdict} {found.game} with --clock {found.stages[0].clock}; {where}")
    if not found.passed and all(len(stage.late) == len(stage.forfeits) for stage in found.stages):
        echo("it lost on time alone: if the clock of your tournament is longer, name it with --clock")
    if found.passed and (late := sum(len(stage.late) for stage in found.low_stages)):
        played = sum(len(stage.records) for stage in found.low_stages)
        echo(f"with --clock {found.low_stages[0].clock} it would lose on time: {late} of {count_of(played, 'game')}")
    if found.limits:
        echo(limits_in_words(found.limits))


def _alike(found: Admission) -> list[list[tuple[Stage, GameRecord]]]:
    """The forfeits with their stages, grouped by message; messages that differ only in numbers share a group."""
    told: dict[str, list[tuple[Stage, GameRecord]]] = {}
    for stage in found.stages:
        for record in stage.forfeits:
            words = _NUMBERS.sub("#", f"{record.reason.value}: {record.detail}")
            told.setdefault(words, []).append((stage, record))
    return list(told.values())


def _quote(found: Admission) -> None:
    """Print the last lines of the agent's output, where errors usually stand, unless a forfeit quotes them already."""
    from joute._core import one_line

    lines = found.output.strip("\n").splitlines()
    forfeits = [record.detail for stage in found.stages for record in stage.forfeits]
    if not lines or (len(lines) == 1 and any(detail.endswith(one_line(lines[0].strip())) for detail in forfeits)):
        return
    echo("it wrote:" if len(lines) <= _QUOTED_LINES else "the end of what it wrote:")
    for line in lines[-_QUOTED_LINES:]:
        echo(f"  {one_line(line.expandtabs())[:_QUOTED_LENGTH]}")


def _as_data(found: Admission) -> dict[str, Any]:
    from joute.arena.hints import hint

    return {
        "agent": found.agent,
        "game": found.game,
        "isolation": found.isolation,
        "limits": found.limits or None,
        "passed": found.passed,
        "passed_with_little_time": bool(found.low_stages) and not any(stage.forfeits for stage in found.low_stages),
        "repeats": found.repeats,
        "repeated_games": found.repeated_games,
        "output": found.output,
        "stages": [
            {
                "stage": stage.title,
                "side": stage.side,
                "clock": str(stage.clock),
                "games": len(stage.records),
                "forfeits": [
                    {"reason": record.reason.value, "detail": record.detail, "hint": hint(record.detail)}
                    for record in stage.forfeits
                ],
                "lost_turns": stage.lost_turns,
                "longest_move_s": stage.longest_move_s,
                "longest_game_s": stage.longest_game_s,
            }
            for stage in found.stages
        ],
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)
