"""Intervals for shares: how much a count of successes says."""

from __future__ import annotations

import math

# The normal quantile of a 95% interval.
Z_95 = 1.959964


def wilson_interval(share: float, trials: float) -> tuple[float, float]:
    """The 95% interval of a share in [0, 1] seen in so many trials (Wilson 1927).

    For the score of a match a draw counts half; draws make the true interval narrower, so with draws
    this one errs on the safe side.

    >>> low, high = wilson_interval(0.54, 100)
    >>> f"{low:.3f} {high:.3f}"
    '0.443 0.634'
    """
    if trials == 0:
        return 0.0, 1.0
    shrink = 1 + Z_95**2 / trials
    centre = (share + Z_95**2 / (2 * trials)) / shrink
    half_width = Z_95 * math.sqrt(share * (1 - share) / trials + (Z_95 / (2 * trials)) ** 2) / shrink
    # At 0 and at 1 the formula touches the share itself, but for rounding.
    return min(share, max(0.0, centre - half_width)), max(share, min(1.0, centre + half_width))
