"""How the result of a match prints, shows in a notebook, and becomes a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joute.errors import JouteError
from joute.frames import frame_of_rows
from joute.match.record import FORFEITS, GameRecord
from joute.numbers import count_of, duration, elo_interval, elo_text, game_number, likelihood, percent
from joute.tables import Table, paragraphs
from joute.text import printable

if TYPE_CHECKING:
    from pandas import DataFrame

    from joute.match.match import MatchResult

#: The columns of `record_row`.
RECORD_COLUMNS = (
    "first", "second", "outcome", "margin", "decided_by", "reason", "detail", "plies", "first_time_s", "second_time_s",
    "first_lost_turns", "second_lost_turns", "seed", "start",
)  # fmt: skip


def match_text(result: MatchResult) -> str:
    """The result as a table, with Elo and verdict below it."""
    return "\n".join([str(_table(result)), "", *map(printable, _sentences(result))])


def match_html(result: MatchResult) -> str:
    """The same for a notebook."""
    return _table(result).html + paragraphs(_sentences(result))


def match_repr(result: MatchResult) -> str:
    """One line."""
    wins, draws, losses = result.tally()
    return printable(f"<match {result.a} – {result.b}: +{wins} ={draws} -{losses}>")


def match_frame(result: MatchResult) -> DataFrame:
    """A data frame of pandas with a row per game, numbered from 1; JouteError if the records were not kept.

    `a_points` are the points of agent A, `outcome` is 1 if the first player won, 0 for a draw and -1 otherwise.
    """
    if len(result.records) < result.games:
        raise JouteError("the records of this match were not kept, so there are no games to list")
    rows = [
        [game_number(game), a_first, (1 + record.result.outcome_for(0 if a_first else 1)) / 2, *record_row(record)]
        for game, (record, a_first) in enumerate(zip(result.records, result.a_first, strict=True))
    ]
    return frame_of_rows(["game", "a_first", "a_points", *RECORD_COLUMNS], rows)


def record_row(record: GameRecord) -> list[object]:
    """The data of a game in a data frame of games; the columns are `RECORD_COLUMNS`."""
    result = record.result
    times_s = [sum(played.time_s for played in record.moves if played.player == player) for player in (0, 1)]
    return [
        *record.players, result.outcome, result.margin, result.decided_by, record.reason.value, record.detail,
        len(record.moves), *times_s, *record.lost_turns, record.seed, record.start,
    ]  # fmt: skip


def _table(result: MatchResult) -> Table:
    low, high = result.interval
    wins, draws, losses = result.tally()
    sides = (
        (result.a, (wins, draws, losses), result.score, (low, high), True),
        (result.b, (losses, draws, wins), 1 - result.score, (1 - high, 1 - low), False),
    )
    return Table(
        {
            "agent": [name for name, *_ in sides],
            **{
                word: [str(tally[index]) for _, tally, *_ in sides]
                for index, word in enumerate(("wins", "draws", "losses"))
            },
            "score": [percent(score) for _, _, score, *_ in sides],
            "95% interval": [f"{percent(bounds[0])} to {percent(bounds[1])}" for _, _, _, bounds, _ in sides],
            "time/move": [duration(result.mean_time_s(of_a=of_a)) for *_, of_a in sides],
        },
        left=("agent",),
    )


def _sentences(result: MatchResult) -> list[str]:
    if not result.games:
        return ["no game is finished yet"]
    elo = f"{elo_text(result.elo)} for {result.a}, 95% interval {elo_interval(*result.elo_interval)}"
    faults = {reason.value for reason in FORFEITS}
    ended = [f"{reason} {count:,}" for reason, count in result.reasons.items() if reason not in faults]
    distinct = f", {result.distinct_games:,} of them distinct" if result.distinct_games < result.games else ""
    return [
        f"Elo {elo}; LOS {likelihood(result.los)}",
        result.verdict,
        f"{count_of(result.games, 'game')}{distinct}, {result.mean_plies:.1f} plies each",
        *([f"ended by {', '.join(ended)}"] if ended else []),
        *forfeit_sentences(result, of_a=True),
        *forfeit_sentences(result, of_a=False),
    ]


def forfeit_sentences(result: MatchResult, *, of_a: bool) -> list[str]:
    """How many games A, or B, forfeited, and why, then the first of them if records are kept; empty without any."""
    if not (lost := result.forfeits(of_a=of_a)):
        return []
    name = result.a if of_a else result.b
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in result.forfeit_reasons(of_a=of_a).items())
    sentences = [f"{name} forfeited {lost:,} of {count_of(result.games, 'game')} ({reasons})"]
    if result.records:
        index, _, record = first_forfeit(result, of_a=of_a)
        sentences.append(f"the first is game {game_number(index)}: {record.detail}")
    return sentences


def first_forfeit(result: MatchResult, *, of_a: bool) -> tuple[int, int, GameRecord]:
    """The first game that A, or B, forfeited: its index among the games, the side of the agent, the record."""
    for index, (record, a_first) in enumerate(zip(result.records, result.a_first, strict=True)):
        side = 0 if of_a == a_first else 1
        if side in record.at_fault:
            return index, side, record
    raise ValueError("no game was forfeited")
