"""The verdict of a tournament in one sentence: which agent leads, and whether that is statistically established."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from joute._core import one_line
from joute.arena.ranking import TIE
from joute.arena.standings import RatedStanding, Standings
from joute.match.statistics import ELO_A_NAT, score_of, trials_to_show
from joute.numbers import count_of, elo_interval, elo_text, percent

if TYPE_CHECKING:
    from joute.match.ratings import Rating, Ratings

# The probability of superiority at which a 95% interval of the difference excludes 0.
_ESTABLISHED = 0.975

# The most names listed in a verdict.
_NAMES = 4


def verdict(rows: Sequence[RatedStanding], standings: Standings, ratings: Ratings) -> str:
    """The verdict on the games so far; `rows` are the rows of the rated table, best first."""
    return _of_two(rows, standings) if len(rows) == 2 else _of_many(rows, ratings)


def _of_two(rows: Sequence[RatedStanding], standings: Standings) -> str:
    row = rows[0].standing
    (match,) = standings.pairings.values()
    is_a = row.name == match.a
    low, high = match.elo_interval if is_a else (-match.elo_interval[1], -match.elo_interval[0])
    # A sequential test stops at a convincing score, so that its score is biased. The test prints its own decision.
    decides = "" if standings.is_sequential else match.verdict
    name, other = named(rows[:1]), named(rows[1:])
    return (
        f"{name} scored {row.points:g} of {count_of(row.games, 'point')} against {other} "
        f"({percent(row.score)}; Elo {elo_text(match.elo if is_a else -match.elo)}, 95% interval "
        f"{elo_interval(low, high)})" + (f": {decides}" if decides else "")
    )


def _of_many(rows: Sequence[RatedStanding], ratings: Ratings) -> str:
    started = [
        row for row in rows if row.standing.games and not row.standing.never_started and not row.standing.retired
    ]
    if len(started) < 2:
        who = "agents that still play" if any(row.standing.retired for row in rows) else "agents"
        return f"fewer than two {who} made a move, so there is nothing to compare"
    if not ratings.is_connected or any(math.isnan(row.rating.elo) for row in started):
        return "not all agents are connected by games, so ratings do not tell who leads"
    highest = max(row.rating.elo for row in started)
    best = next(row for row in started if row.rating.elo > highest - TIE)
    others = sorted((row for row in started if row is not best), key=lambda row: -row.rating.elo)
    leads = f"{named([best])} leads with {elo_text(best.rating.elo)} Elo ({_interval(best.rating)})"
    close = [row for row in others if not ratings.superiority(best.index, row.index) >= _ESTABLISHED]
    if not close:
        return f"{leads}; it is stronger than each of the {len(others)} others, established at 95%"
    more = _more_games(best, close[0], ratings)
    asked = (
        f"; about {count_of(more, 'more game')} of each would separate {named([best])} from {named(close[:1])}, "
        "if the difference is as estimated"
        if more
        else ""
    )
    return f"{leads}, but it is not distinguishable at 95% from {named(close)}{asked}"


def _interval(rating: Rating) -> str:
    ends = elo_interval(rating.low, rating.high)
    return f"95% interval {ends}" if rating.low < rating.high else ends


def named(rows: Sequence[RatedStanding]) -> str:
    """The names of agents as part of a sentence; beyond `_NAMES`, the rest is counted ("3 others")."""
    shown = rows if len(rows) <= _NAMES else rows[: _NAMES - 1]
    names = [one_line(row.name) for row in shown]
    if len(shown) < len(rows):
        names.append(f"{len(rows) - len(shown)} others")
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _more_games(best: RatedStanding, other: RatedStanding, ratings: Ratings) -> int | None:
    """The approximate number of further games of each of two agents that would establish which one is stronger.

    It assumes that the true difference equals the estimate and, as for a match, a 95% level with a power of 80%. The
    variance is inversely proportional to the number of games. None if no estimate is possible.
    """
    a, b = best.index, other.index
    covariance = ratings.covariance
    variance = float(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
    difference = best.rating.elo - other.rating.elo
    if not variance > 0 or difference < 1:
        return None
    score = score_of(difference)
    # The number of independent win/loss games between the two that gives the same variance.
    trials = ELO_A_NAT**2 / (variance * score * (1 - score))
    games = min(best.standing.games, other.standing.games)
    more = games * (trials_to_show(score) / trials - 1)
    return max(2, int(float(f"{more:.1g}"))) if more > 0 else None
