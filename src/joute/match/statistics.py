"""Statistics of wins, draws and losses: Elo, intervals, and the number of games needed for a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# The normal quantile of a 95% interval.
Z_95 = 1.959964

#: Elo per nat: a difference of 400 Elo means odds of ten to one, this difference means odds of e to one.
ELO_A_NAT = 400 / math.log(10)

#: The variance of the points of a colour-swapped pair whose games are coin flips.
COIN_FLIP_PAIR = 0.5

#: The weight with which a dispersion is shrunk towards 1: two pairs of coin flips. It matters with few pairs, e.g. ten;
#: there the coverage of intervals is about nominal (table in docs/ratings.md), as it is with one pair.
PRIOR = 2 * COIN_FLIP_PAIR

# The normal quantile of 80%, the power of a planned match: the probability that it detects an existing difference.
_Z_POWER = 0.841621


def elo_of(score: float) -> float:
    """The difference in Elo that gives this expected score; infinite at 0 and 1.

    >>> f"{elo_of(0.76):.1f} {elo_of(0.5):.1f} {elo_of(0)}"
    '200.2 0.0 -inf'
    """
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return ELO_A_NAT * math.log(score / (1 - score))


def score_of(elo: float) -> float:
    """The expected score of a player who is stronger by `elo`; a draw counts half.

    >>> score_of(0), score_of(-math.inf), round(score_of(100), 2)
    (0.5, 0.0, 0.64)
    """
    nats = elo / ELO_A_NAT
    return 1 / (1 + math.exp(-nats)) if nats > 0 else math.exp(nats) / (1 + math.exp(nats))


def normal_cdf(z: float) -> float:
    """The probability that a standard normal variable is below z."""
    return math.erfc(-z / math.sqrt(2)) / 2


def wilson_interval(share: float, trials: float, z: float = Z_95) -> tuple[float, float]:
    """The interval of a share in [0, 1] observed in `trials` trials (Wilson 1927); `z` is its normal quantile.

    For the score of a match a draw counts half. Draws reduce the variance, as if there were more trials; divide the
    number of games by `dispersion`.

    >>> low, high = wilson_interval(0.54, 100)
    >>> f"{low:.3f} {high:.3f}"
    '0.443 0.634'
    """
    if trials == 0:
        return 0.0, 1.0
    shrink = 1 + z**2 / trials
    centre = (share + z**2 / (2 * trials)) / shrink
    half_width = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2) / shrink
    # At shares 0 and 1 the interval ends exactly at the share; min and max remove the rounding error.
    return min(share, max(0.0, centre - half_width)), max(share, min(1.0, centre + half_width))


@dataclass(frozen=True)
class Pentanomial:
    """The numbers of colour-swapped pairs of games with 0, ½, 1, 1½ and 2 points.

    The two games of a pair share an opening, whose advantage helps each player once. The points of a pair therefore
    vary less than those of two independent games, which counts of wins, draws and losses do not show.

    >>> pairs = Pentanomial((10, 20, 40, 20, 10))
    >>> pairs.score, pairs.variance, pairs.variance_a_game
    (0.5, 0.3, 0.15)
    """

    counts: tuple[float, float, float, float, float] = (0, 0, 0, 0, 0)

    @property
    def pairs(self) -> float:
        """The number of pairs."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Points per game."""
        return sum(half * count for half, count in enumerate(self.counts)) / (4 * self.pairs) if self.pairs else 0.5

    @property
    def variance(self) -> float:
        """The variance of a pair's points, which lie between 0 and 2."""
        return self.squares(self.score) / self.pairs if self.pairs else 0.0

    @property
    def variance_a_game(self) -> float:
        """The variance per game: two independent games with this variance vary together as a pair does."""
        return self.variance / 2

    def squares(self, score: float) -> float:
        """The sum over pairs of the squared difference between their points and twice `score`."""
        return sum(count * (half / 2 - 2 * score) ** 2 for half, count in enumerate(self.counts))

    def __str__(self) -> str:
        """The counts, as they are printed.

        >>> print(Pentanomial((1, 2, 3, 4, 5)))
        1 2 3 4 5
        """
        return " ".join(f"{count:g}" for count in self.counts)


def dispersion(pairs: Pentanomial, others: Sequence[float] = (), *, new: float = 1.0, z: float = Z_95) -> float:
    """The variance of results relative to coin flips with the same score; draws and swapped colours reduce it below 1.

    `others` are the points of games without a counterpart. `new` is the share of games that are not repetitions:
    agreement of repeated pairs is no evidence of a small variance. The score varies like that of
    ``games * new / dispersion`` coin flips. `z` is the normal quantile of the interval that it is used for.

    >>> round(dispersion(Pentanomial((10, 0, 80, 0, 10))), 2), round(dispersion(Pentanomial((25, 0, 50, 0, 25))), 2)
    (0.42, 1.02)
    >>> dispersion(Pentanomial(), [1, 1, 0]), round(dispersion(Pentanomial(), [0.5] * 12), 2)
    (1.0, 0.25)
    """
    games = 2 * pairs.pairs + len(others)
    units = (pairs.pairs + len(others)) * new
    if units <= 1:
        return 1.0
    score = (2 * pairs.pairs * pairs.score + sum(others)) / games
    squares = pairs.squares(score) + sum((points - score) ** 2 for points in others)
    # Both sums are corrected for the fitted score; if all games are single, the corrections are equal and cancel.
    expected = games * score * (1 - score) * (1 - 1 / units) / (1 - 1 / (games * new))
    of_pairs = 2 * pairs.pairs / games
    return (squares * new + PRIOR) / (expected * new + PRIOR) * doubt(expected * new * of_pairs, z)


def doubt(expected: float, z: float = Z_95) -> float:
    """The factor for a dispersion estimated from few pairs: the squared ratio of Student's to the normal quantile.

    `expected` is the expected sum of squares for coin flips. The squares of pairs of coin flips vary half as much as
    those of normal variables, so pairs count double in the degrees of freedom. The prior pairs of coin flips add no
    uncertainty.
    """
    if not expected:
        return 1.0
    freedom = 2 * (expected + PRIOR) ** 2 / (expected * COIN_FLIP_PAIR)
    return (student_quantile(z, freedom) / z) ** 2  # there are at least 16 degrees of freedom


def student_quantile(z: float, freedom: float) -> float:
    """The quantile of Student's distribution for a normal quantile, by the first terms of the Cornish–Fisher expansion.

    >>> round(student_quantile(1.959964, 10), 2), round(student_quantile(3, 20), 2)
    (2.23, 3.42)
    """
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def superiority(score: float, trials: float) -> float:
    """The likelihood of superiority (LOS): the probability that the true score is above one half.

    `score` is observed in `trials` coin flips. The LOS is above 97.5% exactly if `wilson_interval` is above one half.

    >>> round(superiority(0.54, 100), 3)
    0.788
    """
    return normal_cdf((score - 0.5) * 2 * math.sqrt(trials))


def trials_to_show(score: float) -> float:
    """The number of coin flips needed to distinguish this score from one half, at 95% and with a power of 80%.

    >>> round(trials_to_show(0.55)), trials_to_show(0.5)
    (783, inf)
    """
    if score == 0.5:
        return math.inf
    noise = Z_95 / 2 + _Z_POWER * math.sqrt(score * (1 - score))
    return (noise / (score - 0.5)) ** 2
