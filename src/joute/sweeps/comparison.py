"""Intervals and comparisons that allow for the number of settings.

With 16 settings, one of 16 separate 95% intervals misses its true score in more than half of all sweeps, and the best
observed score is too high because it is the best of 16. Both are corrected here; docs/sweeps.md explains how.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

from joute.match.statistics import COIN_FLIP_PAIR, student_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95

# The variance of the difference between two settings is shrunk towards that of coin flips with the weight of two pairs
# of games, as the dispersion of a match is (statistics.py).
_PRIOR_ROUNDS = 2

# With fewer independent rounds, no setting is ruled out.
_FEWEST_ROUNDS = 5


def simultaneous_z(count: int) -> float:
    """The normal quantile of `count` two-sided intervals that all hold with 95% confidence (Šidák 1967).

    It is exact for independent scores. Scores from the same openings are correlated, which makes it cautious.

    >>> [round(simultaneous_z(count), 2) for count in (1, 2, 16)]
    [1.96, 2.24, 2.95]
    """
    return NormalDist().inv_cdf((1 + CONFIDENCE ** (1 / count)) / 2)


def may_be_best(points: NDArray[np.float64], new: Sequence[float]) -> list[bool]:
    """Whether each setting may be the best: the settings so marked include the truly best one with 95% confidence.

    `points` has a row per setting and a column per opening, with the points of the two games, 0 to 2. `new` is the
    share of distinct games of each setting. A setting is ruled out if another one is better by more than
    chance explains (multiple comparisons with the best: Hsu 1984). The statement fails only if the best setting is
    ruled out, for which one of `settings - 1` comparisons must err: each may do so with probability
    0.05 / (settings - 1) (Bonferroni).
    """
    settings, rounds = points.shape
    if settings == 1:
        return [True]
    tail = (1 - CONFIDENCE) / (settings - 1)
    means = points.mean(axis=1) if rounds else points.sum(axis=1)
    verdicts = []
    for own in range(settings):
        differences = points - points[own]
        squares = ((differences - (means - means[own])[:, None]) ** 2).sum(axis=1)
        verdicts.append(
            not any(
                _is_better(means[other] - means[own], squares[other], rounds, min(new[own], new[other]), tail)
                for other in range(settings)
                if other != own
            )
        )
    return verdicts


def _is_better(ahead: float, squares: float, rounds: int, new: float, tail: float) -> bool:
    """Whether a mean difference of points is above 0; `squares` is the sum of squared deviations from it."""
    independent = rounds * new
    if ahead <= 0 or independent < _FEWEST_ROUNDS:
        return False
    freedom = independent - 1 + _PRIOR_ROUNDS
    variance = (squares * new + _PRIOR_ROUNDS * 2 * COIN_FLIP_PAIR) / freedom
    z = NormalDist().inv_cdf(1 - tail)
    return bool(ahead > student_quantile(z, freedom) * math.sqrt(variance / independent))
