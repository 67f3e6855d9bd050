"""The result of a tournament in sentences: who leads, whether that is established, and what else to know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from joute.arena.measures import Measures
from joute.arena.report.numbers import count_of, elo_interval, elo_text, percent, percent_interval
from joute.arena.standings import Standings
from joute.match.ratings import Ratings
from joute.match.statistics import ELO_A_NAT, score_of, trials_to_show

if TYPE_CHECKING:
    from joute.arena.report.data import AgentRow

# Both sides of a 95% interval leave this much out.
_ESTABLISHED = 0.975

# A sentence with more names than this is not read.
_NAMES = 4


def summary(
    agents: Sequence[AgentRow], standings: Standings, ratings: Ratings, measures: Measures, *, length: int | None
) -> tuple[str, ...]:
    """What the games say; one sentence if there are none. `length` is how many there will be, None if undecided."""
    if not standings.games:
        return ("No game is finished yet, so there is nothing to say about the agents.",)
    said = list(_sentences(agents, standings, ratings, measures))
    if length is None or length > standings.games:
        games = f"{standings.games:,} of {length:,}" if length is not None else f"the first {standings.games:,}"
        said.append(f"The tournament is not finished: these are {games} games.")
    return tuple(said)


def _sentences(agents: Sequence[AgentRow], standings: Standings, ratings: Ratings, measures: Measures) -> Iterator[str]:
    yield _two(agents, standings) if len(agents) == 2 else _many(agents, ratings)
    yield from _never_met(agents)
    yield _first_move(measures)
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


def _two(agents: Sequence[AgentRow], standings: Standings) -> str:
    row = agents[0].standing
    (match,) = standings.pairings.values()
    return (
        f"{row.name} scored {row.points:g} of {count_of(row.games, 'point')} against {agents[1].name} "
        f"({percent(row.score)}, 95% interval {percent_interval(row.interval)}): {match.verdict}."
    )


def _many(agents: Sequence[AgentRow], ratings: Ratings) -> str:
    best, *others = (row for row in agents if row.standing.games)
    rating = best.rating
    leads = (
        f"{best.name} leads with {elo_text(rating.elo)} Elo (95% interval {elo_interval(rating)})"
        if math.isfinite(rating.elo)
        else f"{best.name} leads, {elo_interval(rating)} Elo at 95%"
    )
    close = [row for row in others if not ratings.los[best.index, row.index] >= _ESTABLISHED]
    if not close:
        return f"{leads}; that it is stronger than each of the other {len(others)} agents is established at 95%."
    more = _more_games(best, close[0], ratings)
    asked = f"; about {count_of(more, 'more game')} of each would tell, if they differ as it seems" if more else ""
    return f"{leads}, but it is not distinguishable at 95% from {_named(close)}{asked}."


def _named(rows: Sequence[AgentRow]) -> str:
    shown = rows if len(rows) <= _NAMES else rows[: _NAMES - 1]
    names = [row.name for row in shown]
    if len(shown) < len(rows):
        names.append(f"{len(rows) - len(shown)} others")
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _more_games(best: AgentRow, other: AgentRow, ratings: Ratings) -> int | None:
    """About how many more games of each of two agents would tell them apart, if they differ as much as they seem to.

    As for a match, that is at 95%, four times in five. The variance falls with the number of games.
    """
    a, b = best.index, other.index
    covariance = ratings.covariance
    variance = float(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
    difference = best.rating.elo - other.rating.elo
    if not (math.isfinite(variance) and math.isfinite(difference)) or difference < 1:
        return None
    score = score_of(difference)
    # A match of so many coin flips would know the difference as well.
    trials = ELO_A_NAT**2 / (variance * score * (1 - score))
    games = min(best.standing.games, other.standing.games)
    more = games * (trials_to_show(score) / trials - 1)
    return max(2, int(float(f"{more:.1g}"))) if more > 0 else None


def _never_met(agents: Sequence[AgentRow]) -> Iterator[str]:
    idle = [row for row in agents if not row.standing.games]
    if idle:
        yield f"{_named(idle)} played no game yet."


def _first_move(measures: Measures) -> str:
    first = measures.first
    low, high = first.interval
    says = (
        "moving first is an advantage (95%)"
        if low > 0.5
        else "moving first is a disadvantage (95%)"
        if high < 0.5
        else "these games do not show that moving first matters"
    )
    return (
        f"Whoever moved first scored {percent(first.score)} (95% interval {percent_interval(first.interval)}): {says}."
    )
