"""The result of ``joute match`` as a table with sentences, and as JSON."""

from __future__ import annotations

import dataclasses
import statistics
from typing import TYPE_CHECKING, Any

from joute.cli.common import console, echo, say, table_of_agents
from joute.numbers import (
    count_of,
    duration,
    elo_interval,
    elo_text,
    finite,
    game_number,
    likelihood,
    lost_turns_text,
    percent,
)

if TYPE_CHECKING:
    from joute.arena.match import Match
    from joute.match import MatchResult, Sprt

_COLUMNS = ("agent", "wins", "draws", "losses", "score", "95% interval", "as first", "as second", "time/move")

_LEVELS = {
    "worker": "built-in agents in this process",
    "process": "other agents in processes of their own",
    "sandbox": "other agents in sandboxes",
    "remote": "agents that others run",
}


def print_result(match: Match, result: MatchResult, *, way_out: bool) -> None:
    """Print the table and the verdict; `way_out`: whether to advise openings if games repeat."""
    from joute._core import one_line

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
    verdict = result.verdict_by(match.sprt) if match.sprt else result.verdict
    say(verdict)
    say(f"{count_of(result.games, 'game')}, {result.mean_plies:.1f} plies each")
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
    _print_ends(result)
    say(_conditions(match, result))


def _print_ends(result: MatchResult) -> None:
    """Print how games ended that did not end by the rules; an alarm if by an agent's fault."""
    from joute._core import one_line
    from joute.arena.hints import hint
    from joute.match.crash import crash_lines
    from joute.match.match_view import first_forfeit, forfeit_sentences
    from joute.match.record import FORFEITS

    faults = {reason.value for reason in FORFEITS}
    for reason, count in result.reasons.items():
        if reason not in faults:
            record = next(record for record in result.records if record.reason.value == reason)
            # Leave out the moves: there may be thousands.
            echo(f"ended by {reason}: {count}, for example {record.detail or record.headline}")
    for of_a in (True, False):
        if not result.forfeits(of_a=of_a):
            continue
        forfeited, first = forfeit_sentences(result, of_a=of_a)
        say(one_line(forfeited), alarm=True)
        _, _, record = first_forfeit(result, of_a=of_a)
        advice = f" (hint: {advice})" if (advice := hint(record.detail)) else ""
        echo(f"{first}{advice}")
        for line in crash_lines(record):
            echo(line)


def _conditions(match: Match, result: MatchResult) -> str:
    """Clock, margin, isolation and the runner's overhead, in words."""
    from joute._core import one_line
    from joute.arena.standings import conditions

    data = _conditions_data(match, result)
    at_once = match.concurrency > 1
    known = _LEVELS | ({"worker": "built-in agents in worker processes"} if at_once else {})
    levels = [words for level, words in known.items() if level in data["isolation"]]
    has_limit = at_once or data["isolation"] != ["worker"]  # agents in this process have no limit
    stall_s = match.isolation.stall_s if has_limit else None
    first, second = map(str, match.controls)
    clock = first if first == second else f"{first} for {one_line(result.a)}, {second} for {one_line(result.b)}"
    text = conditions(clock, levels, margin_s=data["margin_s"], stall_s=stall_s)
    if at_once:
        text += f"; {match.concurrency} games at once"
    overhead_s = data["overhead_s"]
    return text if overhead_s is None else f"{text}; the runner took {duration(overhead_s)} a ply (median)"


def _conditions_data(match: Match, result: MatchResult) -> dict[str, Any]:
    from joute.match.clock import MARGIN_S

    overheads_s = [record.overhead_a_ply_s for record in result.records if record.overhead_a_ply_s is not None]
    levels = {level for record in result.records for level in record.isolation}
    return {
        "clock": str(match.controls[0]),
        "clocks": {"a": str(match.controls[0]), "b": str(match.controls[1])},
        "margin_s": MARGIN_S if any(control.is_timed for control in match.controls) else None,
        "isolation": sorted(levels),
        "overhead_s": statistics.median(overheads_s) if overheads_s else None,
    }


def as_data(match: Match, result: MatchResult) -> dict[str, Any]:
    """The result and its conditions, for JSON."""
    test = match.sprt
    low, high = result.interval
    elo_low, elo_high = result.elo_interval
    wins, draws, losses = result.tally()
    return {
        "game": match.start.spec,
        "a": result.a,
        "b": result.b,
        "seed": match.seed,
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
        "forfeit_reasons": {
            "a": result.forfeit_reasons(of_a=True),
            "b": result.forfeit_reasons(of_a=False),
        },
        "first_forfeit": {"a": _forfeit_data(result, of_a=True), "b": _forfeit_data(result, of_a=False)},
        "lost_turns": {"a": result.lost_turns(of_a=True), "b": result.lost_turns(of_a=False)},
        "verdict": result.verdict_by(test) if test else result.verdict,
        "sprt": _sprt_data(result, test) if test else None,
    } | _conditions_data(match, result)


def _forfeit_data(result: MatchResult, *, of_a: bool) -> dict[str, Any] | None:
    if not result.forfeits(of_a=of_a):
        return None
    from joute.match.match_view import first_forfeit

    index, side, record = first_forfeit(result, of_a=of_a)
    game, reason = game_number(index), record.reason.value
    return {"game": game, "reason": reason, "detail": record.detail, "output": record.output[side]}


def _sprt_data(result: MatchResult, test: Sprt) -> dict[str, Any]:
    state = result.test(test)
    stands = {"llr": state.llr, "lower": state.lower, "upper": state.upper, "decision": state.decision}
    return dataclasses.asdict(test) | stands
