"""What counts of wins, draws and losses say: Elo, intervals, and how many games it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# The normal quantile of a 95% interval.
Z_95 = 1.959964

#: Elo's scale: 400 points are odds of ten to one, so this many are odds of e to one.
ELO_A_NAT = 400 / math.log(10)

#: The variance of the points of a colour-swapped pair whose games are coin flips.
COIN_FLIP_PAIR = 0.5

#: How far a dispersion is drawn to 1: by two pairs of coin flips. It matters where there are few pairs, such as ten;
#: there intervals cover about as often as they say (docs/ratings.md has the table), as they do with one.
PRIOR = 2 * COIN_FLIP_PAIR

# The normal quantile of 80%: how often a planned match is to find a difference that is there.
_Z_POWER = 0.841621


def elo_of(score: float) -> float:
    """The difference in Elo at which a player scores this much; infinite at 0 and 1.

    >>> f"{elo_of(0.76):.1f} {elo_of(0.5):.1f} {elo_of(0)}"
    '200.2 0.0 -inf'
    """
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return ELO_A_NAT * math.log(score / (1 - score))


def score_of(elo: float) -> float:
    """The score that a player expects who is this much stronger, a draw counted half.

    >>> score_of(0), score_of(-math.inf), round(score_of(100), 2)
    (0.5, 0.0, 0.64)
    """
    nats = elo / ELO_A_NAT
    return 1 / (1 + math.exp(-nats)) if nats > 0 else math.exp(nats) / (1 + math.exp(nats))


def normal_cdf(z: float) -> float:
    """The chance that a standard normal variable is below z."""
    return math.erfc(-z / math.sqrt(2)) / 2


def wilson_interval(share: float, trials: float) -> tuple[float, float]:
    """The 95% interval of a share in [0, 1] seen in so many trials (Wilson 1927).

    For the score of a match a draw counts half. Draws make the true interval narrower, as if there had been more
    trials: `dispersion` says how many.

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


@dataclass(frozen=True)
class Pentanomial:
    """Colour-swapped pairs of games, counted by what they scored together: 0, ½, 1, 1½ or 2 points.

    The two games of a pair share an opening, so what it favours helps both players alike. Their points vary less than
    those of two unrelated games, which counts of wins, draws and losses do not show.

    >>> pairs = Pentanomial((10, 20, 40, 20, 10))
    >>> pairs.score, pairs.variance, pairs.variance_a_game
    (0.5, 0.3, 0.15)
    """

    counts: tuple[float, float, float, float, float] = (0, 0, 0, 0, 0)

    @property
    def pairs(self) -> float:
        """How many pairs there are."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Points a game."""
        return sum(half * count for half, count in enumerate(self.counts)) / (4 * self.pairs) if self.pairs else 0.5

    @property
    def variance(self) -> float:
        """The variance of a pair's points, which lie between 0 and 2."""
        return self.squares(self.score) / self.pairs if self.pairs else 0.0

    @property
    def variance_a_game(self) -> float:
        """Of games that do not hang together, each with this variance, the sum would vary as the pairs do."""
        return self.variance / 2

    def squares(self, score: float) -> float:
        """The sum of the squares of what pairs scored more or less than two games of this score."""
        return sum(count * (half / 2 - 2 * score) ** 2 for half, count in enumerate(self.counts))

    def __str__(self) -> str:
        """The counts, as they are printed.

        >>> print(Pentanomial((1, 2, 3, 4, 5)))
        1 2 3 4 5
        """
        return " ".join(f"{count:g}" for count in self.counts)


def dispersion(pairs: Pentanomial, others: Sequence[float] = (), *, new: float = 1.0) -> float:
    """How much more results vary than coin flips with the same score: less than 1 with draws and swapped colours.

    `others` are the points of games without a counterpart, `new` is the share of games that are no repetitions:
    repeated pairs agree, which proves nothing. The score varies as that of ``games * new / dispersion`` coin flips.

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
    # The score that is fitted takes its part of both sums; where each game stands alone, the same of both.
    expected = games * score * (1 - score) * (1 - 1 / units) / (1 - 1 / (games * new))
    of_pairs = 2 * pairs.pairs / games
    return (squares * new + PRIOR) / (expected * new + PRIOR) * doubt(expected * new * of_pairs)


def doubt(expected: float) -> float:
    """The factor that raises a dispersion which rests on few pairs: Student's quantile over the normal one, squared.

    `expected` is the sum of the squares that coin flips would have. Squares of the points of pairs of coin flips vary
    half as much as those of normal variables, so pairs count double; and what is taken for granted, the pairs of coin
    flips that a dispersion is drawn to, adds no doubt.
    """
    if not expected:
        return 1.0
    freedom = 2 * (expected + PRIOR) ** 2 / (expected * COIN_FLIP_PAIR)
    z = Z_95
    # The first terms of Cornish and Fisher's expansion; there are 16 degrees of freedom at least.
    student = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return (student / z) ** 2


def superiority(score: float, trials: float) -> float:
    """The likelihood of superiority (LOS): how sure so many coin flips with this score make that it is above one half.

    It is above 97.5% exactly where `wilson_interval` lies above one half.

    >>> round(superiority(0.54, 100), 3)
    0.788
    """
    return normal_cdf((score - 0.5) * 2 * math.sqrt(trials))


def trials_to_show(score: float) -> float:
    """How many coin flips with this score it takes to tell it from one half, at 95%, four times in five.

    >>> round(trials_to_show(0.55)), trials_to_show(0.5)
    (783, inf)
    """
    if score == 0.5:
        return math.inf
    noise = Z_95 / 2 + _Z_POWER * math.sqrt(score * (1 - score))
    return (noise / (score - 0.5)) ** 2
