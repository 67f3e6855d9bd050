"""What the measurements say about a claim, in words."""

from __future__ import annotations

import math
from enum import Enum

from joute.match.statistics import wilson_interval
from joute.reproduce.experiments import Expectation, Tally
from joute.reproduce.measures import Measured


class Verdict(Enum):
    """Whether a claim holds."""

    REPRODUCED = "reproduced"
    NOT_DISTINGUISHABLE = "not distinguishable"
    CONTRADICTED = "contradicted"
    #: There is no claim about this number, or no number.
    NONE = ""


def verdict(expects: Expectation | None, seen: Measured) -> Verdict:
    """Whether the whole 95% interval lies where the claim has the number, elsewhere, or on both sides.

    A number without an interval, such as a time, counts as exact.

    >>> verdict(Expectation.parse("above 0.5"), Measured(0.6, 0.55, 0.65)).value
    'reproduced'
    >>> verdict(Expectation.parse("about 0.5 ± 0.1"), Measured(0.55, 0.48, 0.62)).value
    'not distinguishable'
    """
    if expects is None or math.isnan(seen.value):
        return Verdict.NONE
    low, high = (seen.low, seen.high) if seen.has_interval else (seen.value, seen.value)
    first = -math.inf if expects.relation == "below" else expects.limit - expects.within
    last = math.inf if expects.relation == "above" else expects.limit + expects.within
    if first < low and high < last:
        return Verdict.REPRODUCED
    return Verdict.CONTRADICTED if high < first or low > last else Verdict.NOT_DISTINGUISHABLE


def published_interval(published: Tally | float | str | None) -> tuple[float, float] | None:
    """The 95% interval of a published number of games, which reports did not give."""
    return wilson_interval(published.score, published.games) if isinstance(published, Tally) else None


def agrees(published: Tally | float | str | None, seen: Measured) -> bool | None:
    """Whether the published number and ours may be the same, at 95%; None where that cannot be said."""
    if isinstance(published, str) or published is None or math.isnan(seen.value) or not seen.has_interval:
        return None
    if isinstance(published, float | int):
        return seen.low <= published <= seen.high
    # Newcombe's interval of a difference, from the intervals of both (1998, method 10).
    low, high = wilson_interval(published.score, published.games)
    difference = published.score - seen.value
    towards_zero = (
        math.hypot(published.score - low, seen.high - seen.value)
        if difference > 0
        else math.hypot(high - published.score, seen.value - seen.low)
    )
    return abs(difference) <= towards_zero
