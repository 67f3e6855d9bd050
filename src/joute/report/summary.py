"""The result of a tournament in sentences: the leader, whether the lead is established, and caveats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from joute.arena.measures import Measures
from joute.arena.standings import RatedStanding, Standings
from joute.arena.verdict import named, verdict
from joute.match.ratings import Rating, Ratings
from joute.numbers import count_of, elo_interval, elo_text, lost_turns_text, percent


def summary(
    agents: Sequence[RatedStanding],
    standings: Standings,
    ratings: Ratings,
    measures: Measures,
    *,
    length: int | None,
    from_openings: bool,
    headline: str = "",
) -> tuple[str, ...]:
    """The result in sentences; one sentence if no game is finished.

    `length` is the total number of games, None if undecided. `from_openings`: some games did not begin at the game's
    start position. `headline` names the winner by the rules of the schedule.
    """
    if not standings.games:
        return ("No game is finished yet, so there is nothing to say about the agents.",)
    first_move = _first_move(measures, ratings.first_move, from_openings=from_openings)
    said = [f"{headline}."] if headline else []
    said += _sentences(agents, standings, ratings, first_move)
    if length is None or length > standings.games:
        played = count_of(standings.games, "game")
        games = f"{standings.games:,} of {count_of(length, 'game')}" if length is not None else f"the first {played}"
        is_one = length is None and standings.games == 1
        said.append(f"The tournament is not finished: {'this is' if is_one else 'these are'} {games}.")
    return tuple(said)


def _sentences(
    agents: Sequence[RatedStanding], standings: Standings, ratings: Ratings, first_move: str
) -> Iterator[str]:
    yield f"{verdict(agents, standings, ratings)}."
    yield from _never_met(agents)
    if first_move:
        yield first_move
    if standings.distinct_games < standings.games:
        yield (
            f"{standings.distinct_games:,} of the {count_of(standings.games, 'game')} are distinct; a repeated game "
            "adds no information, so the intervals count it once."
        )
    if forfeits := "; ".join(_forfeits(row) for row in agents if row.standing.forfeits):
        yield f"{forfeits}."
    for row in agents:
        if sentence := lost_turns_text(row.name, row.standing.lost_turns, row.standing.moves):
            yield f"{sentence}."
    if sentence := standings.presumed_text:
        yield f"{sentence}."
    if sentence := standings.retired_text:
        yield f"{sentence}."


def _forfeits(row: RatedStanding) -> str:
    started = ": it never started" if row.standing.never_started else ""
    count = f"{row.standing.forfeits.total():,} of its {count_of(row.standing.games, 'game')}"
    return f"{row.name} forfeited {count}{started}"


def _never_met(agents: Sequence[RatedStanding]) -> Iterator[str]:
    idle = [row for row in agents if not row.standing.games]
    if idle:
        yield f"{named(idle)} played no game yet."


def _first_move(measures: Measures, worth: Rating, *, from_openings: bool) -> str:
    """The value of the first move in a sentence; empty if unknown.

    It comes from the rating model, which corrects for the agents' strengths; the score alone does not. The sentence
    names openings if there are any: the start position may favour the first player where balanced openings do not.
    """
    if math.isnan(worth.elo):
        return ""
    says = (
        "moving first is an advantage (95%)"
        if worth.low > 0
        else "moving first is a disadvantage (95%)"
        if worth.high < 0
        else "these games do not show that moving first matters"
    )
    who = "From these openings, the first player" if from_openings else "The first player"
    elo = f"{elo_text(worth.elo)} Elo (95% interval {elo_interval(worth.low, worth.high)})"
    return f"{who} scored {percent(measures.first.score)}; the first move is worth {elo}: {says}."
