"""Verdicts on claims, and agreement of published with measured numbers."""

from __future__ import annotations

import math
from enum import Enum

from joute.match.statistics import wilson_interval
from joute.reproduce.experiments import Expectation, Finding, Tally
from joute.reproduce.measures import Measured, measure_of

# Relative tolerance of numbers without interval: times, and with them depths, vary by about a tenth between runs.
_EXACT = 0.1


class Verdict(Enum):
    """Whether a claim holds."""

    REPRODUCED = "reproduced"
    NOT_DISTINGUISHABLE = "not distinguishable"
    CONTRADICTED = "contradicted"
    #: There is no claim about this number, or no number.
    NONE = ""


def verdict(expects: Expectation | None, seen: Measured) -> Verdict:
    """Reproduced if the whole 95% interval lies inside the claimed range, contradicted if it lies outside.

    Otherwise not distinguishable. A number without an interval, such as a time, gets a tolerance of a tenth.

    >>> verdict(Expectation.parse("above 0.5"), Measured(0.6, 0.55, 0.65)).value
    'reproduced'
    >>> verdict(Expectation.parse("about 0.5 ± 0.1"), Measured(0.55, 0.48, 0.62)).value
    'not distinguishable'
    """
    if expects is None or math.isnan(seen.value):
        return Verdict.NONE
    spread = _EXACT * abs(seen.value)
    low, high = (seen.low, seen.high) if seen.has_interval else (seen.value - spread, seen.value + spread)
    first = -math.inf if expects.relation == "below" else expects.limit - expects.within
    last = math.inf if expects.relation == "above" else expects.limit + expects.within
    if first < low and high < last:
        return Verdict.REPRODUCED
    return Verdict.CONTRADICTED if high < first or low > last else Verdict.NOT_DISTINGUISHABLE


def published_share(finding: Finding) -> tuple[float, int] | None:
    """A published score or share and its number of games; None if the finding has no such number."""
    published = finding.published
    if isinstance(published, Tally):
        return published.score, published.games
    if isinstance(published, int | float) and finding.games and measure_of(finding).is_share:
        return published, finding.games
    return None


def published_games(finding: Finding) -> int:
    """The number of games behind a published number; 0 if unknown."""
    return finding.published.games if isinstance(finding.published, Tally) else finding.games


def published_interval(finding: Finding) -> tuple[float, float] | None:
    """The 95% interval of a published score or share, computed here because the papers give none."""
    found = published_share(finding)
    return wilson_interval(*found) if found else None


def agrees(finding: Finding, seen: Measured) -> bool | None:
    """Whether the difference between the published number and ours is insignificant at 95%; None if not comparable."""
    published = finding.published
    if isinstance(published, str) or published is None or math.isnan(seen.value) or not seen.has_interval:
        return None
    if found := published_share(finding):
        # Newcombe's interval of a difference, from the intervals of both (1998, method 10).
        share, _ = found
        low, high = published_interval(finding) or (share, share)
        difference = share - seen.value
        parts = (share - low, seen.high - seen.value) if difference > 0 else (high - share, seen.value - seen.low)
        return abs(difference) <= math.hypot(*parts)
    assert isinstance(published, int | float)
    if not finding.games:
        return seen.low <= published <= seen.high
    # The published mean of so many games is assumed to have the variance of ours.
    error = (seen.high - seen.low) / 2
    theirs = error * math.sqrt(seen.count / finding.games)
    return abs(published - seen.value) <= math.hypot(error, theirs)
