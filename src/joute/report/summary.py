"""The result of a tournament in sentences: who leads, whether that is established, and what else to know."""

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
    """What the games say; one sentence if there are none.

    `length` is how many games there will be, None if that is undecided. `from_openings` says that games did not all
    begin from the game's own start. `headline` is who won by the rules of this kind of tournament.
    """
    if not standings.games:
        return ("No game is finished yet, so there is nothing to say about the agents.",)
    first_move = _first_move(measures, ratings.first_move, from_openings=from_openings)
    said = [f"{headline}."] if headline else []
    said += _sentences(agents, standings, ratings, first_move)
    if length is None or length > standings.games:
        games = f"{standings.games:,} of {length:,}" if length is not None else f"the first {standings.games:,}"
        said.append(f"The tournament is not finished: these are {games} games.")
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
            f"{standings.distinct_games:,} of the {count_of(standings.games, 'game')} are distinct; a game played "
            "again tells nothing new, so the intervals count it once."
        )
    for row in agents:
        if row.standing.forfeits:
            started = ": it never started" if row.standing.never_started else ""
            forfeits = f"{row.standing.forfeits.total():,} of its {count_of(row.standing.games, 'game')}"
            yield f"{row.name} forfeited {forfeits}{started}."
        if sentence := lost_turns_text(row.name, row.standing.lost_turns, row.standing.moves):
            yield f"{sentence}."


def _never_met(agents: Sequence[RatedStanding]) -> Iterator[str]:
    idle = [row for row in agents if not row.standing.games]
    if idle:
        yield f"{named(idle)} played no game yet."


def _first_move(measures: Measures, worth: Rating, *, from_openings: bool) -> str:
    """By the rating: the score alone does not know who was how strong.

    A game's own start may favour the first player where balanced openings do not, so these are named. Nothing is said
    where the games tell nothing of it.
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
    whoever = "From these openings, whoever" if from_openings else "Whoever"
    elo = f"{elo_text(worth.elo)} Elo (95% interval {elo_interval(worth.low, worth.high)})"
    return (
        f"{whoever} moved first scored {percent(measures.first.score)}, which makes the first move worth {elo}: {says}."
    )
