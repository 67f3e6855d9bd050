"""Ratings of a tournament: Elo with 95% intervals and likelihoods of superiority.

Ratings are of maximum likelihood. Where that leaves a rating infinite, `rate` can give Bayesian ones (`posterior`).

The model is Bradley and Terry's, on Elo's scale, with a first-move advantage (`bradley_terry`). A draw counts as half a
win and half a loss, so ratings equal those of other programs with the same rule, such as Ordo, except for their scale.

The width of intervals depends on the variance of results. Draws, and openings played with both colours, make points
vary less than coin flips; repeated games add no evidence. The *dispersion* is the ratio of the squared residuals of
colour-swapped pairs to their expectation for coin flips. It divides the log-likelihood ratio (quasi-likelihood:
Wedderburn 1974). Intervals are profile-likelihood intervals, which are valid with few games and are open at one end for
agents that won or lost all games.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from joute.errors import JouteError
from joute.match.bradley_terry import ADVANTAGE_SD, Array, Booleans, BradleyTerry, Point, spread
from joute.match.posterior import Posterior
from joute.match.rated_games import GameTable, RatedGame
from joute.match.statistics import COIN_FLIP_PAIR, ELO_A_NAT, PRIOR, Z_95, doubt, normal_cdf

__all__ = ["BAYESIAN", "LIKELIHOOD", "RatedGame", "Rating", "Ratings", "rate"]

# The largest weight, in pairs of coin flips, of all other pairings in the dispersion of a pairing. If pairings of 10
# pairs differ in their draw rates, the intervals of single agents cover in 93 to 98% with 10, 93 to 97% with 4.
_PAIRING_PRIOR_PAIRS = 4.0

# The quantile for an agent that won all games. Its interval has only a lower end, the strength at which it would win
# all games in one of 20 tournaments. The normal quantile would give too narrow an interval: after 20 wins of 20 its
# lower end is a score of 90.8%, but a player of 88% wins them all in one of 13 matches.
_ALL_WON = math.sqrt(-2 * math.log(0.05))

# The largest rating of an anchor. Such a difference is as good as infinite: one point lost in 10^25 games.
_MOST_ELO = 10_000

#: The methods of ratings.
LIKELIHOOD, BAYESIAN = "maximum likelihood", "Bayesian"

# Differences of ratings, in nats, that are rounding errors.
_TIE = 1e-6

_ROOT_TOLERANCE = 1e-6
_MOST_ROOT_STEPS = 60


@dataclass(frozen=True)
class Rating:
    """A rating and its 95% interval. Infinite for agents that won or lost all games, nan if nothing is known."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of all agents of a tournament."""

    #: By index of the agent.
    ratings: tuple[Rating, ...]
    #: The advantage of the first move, in Elo.
    first_move: Rating
    #: The zero point of the ratings as text, e.g. "0 is the mean of 4 agents".
    reference: str
    #: (n, n), in Elo squared; nan for agents whose rating is not finite.
    covariance: Array
    _superiority: Callable[[int, int], float] = field(repr=False)
    #: `LIKELIHOOD` or `BAYESIAN`, and the same in words for the line under a table.
    method: str = LIKELIHOOD
    method_text: str = LIKELIHOOD
    #: Whether a chain of games connects each two agents that played.
    is_connected: bool = True

    def superiority(self, agent: int, other: int) -> float:
        """The likelihood that an agent is stronger than another; 0.5 if nothing is known."""
        with _one_thread():
            return self._superiority(agent, other) if agent != other else 0.5

    @functools.cached_property
    def los(self) -> Array:
        """(n, n): the likelihood that the row is stronger than the column; 0.5 if nothing is known."""
        n = len(self.ratings)
        los = np.full((n, n), 0.5)
        with _one_thread():
            for i, j in itertools.combinations(range(n), 2):
                los[i, j] = self._superiority(i, j)
                los[j, i] = 1 - los[i, j]
        return los


_UNKNOWN = Rating(math.nan, -math.inf, math.inf)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Limit NumPy's linear algebra to one thread.

    The matrices of 100 agents are small; on busy cores, several threads that wait for each other were 40 times slower.
    """
    pools = _thread_pools()
    with pools.limit(limits=1, user_api="blas") if pools else contextlib.nullcontext():
        yield


@functools.cache
def _thread_pools() -> Any:
    try:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]
    except ImportError:  # a training machine may have only NumPy; ratings are the same, only slower
        return None
    return ThreadpoolController()


def rate(
    count: int,
    games: Iterable[RatedGame],
    *,
    anchors: Mapping[int, float] | None = None,
    names: Sequence[str] = (),
    first_move: float | None = None,
    may_be_infinite: bool = True,
) -> Ratings:
    """Rate `count` agents by their games.

    `anchors` maps agents to known ratings. Without anchors, 0 is the mean of the largest group of agents with finite
    differences, i.e. connected by points won and lost. `names` are used in `reference`. `first_move` is the advantage
    of the first move if it is known; otherwise it is estimated. If `may_be_infinite` is false and the rating of maximum
    likelihood of an agent that played is not finite, all ratings are Bayesian; the advantage of the first move is not.

    >>> games = [RatedGame(0, 1, 1.0), RatedGame(1, 0, 0.5), RatedGame(1, 2, 1.0), RatedGame(2, 1, 1.0)]
    >>> found = rate(3, games, anchors={2: 1000.0}, names=("a", "b", "c"), first_move=0)
    >>> [round(rating.elo) for rating in found.ratings], found.reference
    ([1191, 1000, 1000], 'c is 1000')
    """
    anchors = anchors or {}
    for agent, elo in anchors.items():
        if not abs(elo) <= _MOST_ELO:
            raise JouteError(f"the rating of an anchor must be between -{_MOST_ELO} and {_MOST_ELO}, not {elo:g}")
        if not 0 <= agent < count:
            raise JouteError(f"agent {agent} is an anchor, but there are {count} agents")
    with _one_thread():
        return _rated(GameTable(count, games), anchors, names, first_move, may_be_infinite=may_be_infinite)


def _rated(
    played: GameTable,
    anchors: Mapping[int, float],
    names: Sequence[str],
    first_move: float | None,
    *,
    may_be_infinite: bool,
) -> Ratings:
    count = played.count
    fixed = {agent: elo / ELO_A_NAT for agent, elo in anchors.items()}
    if first_move is not None:
        fixed[count] = first_move / ELO_A_NAT
    model = BradleyTerry(played.games, played.points, fixed)
    fit = _Fit(played, model)
    worth = fit.first_move() if first_move is None else Rating(first_move, first_move, first_move)
    if not may_be_infinite and not model.main[played.has_played].all():
        return _bayesian(played, Posterior(played, fixed), anchors, names, worth)
    return Ratings(
        ratings=tuple(
            fit.rating(agent) if agent not in anchors else Rating(anchors[agent], anchors[agent], anchors[agent])
            for agent in range(count)
        ),
        first_move=worth,
        reference=_reference(model.main & (not fit.is_empty), anchors, names),
        covariance=fit.covariance(),
        _superiority=fit.superiority,
        is_connected=played.is_connected,
    )


def _bayesian(
    played: GameTable, posterior: Posterior, anchors: Mapping[int, float], names: Sequence[str], first_move: Rating
) -> Ratings:
    is_rated = posterior.is_rated

    def rating(agent: int) -> Rating:
        if agent in anchors:
            return Rating(anchors[agent], anchors[agent], anchors[agent])
        if not is_rated[agent]:
            return _UNKNOWN
        numbers = posterior.mean[agent], *(posterior.quantile(agent, share) for share in (0.025, 0.975))
        elo, low, high = (float(number) * ELO_A_NAT for number in numbers)
        return Rating(elo, low, high)

    covariance = posterior.covariance * ELO_A_NAT**2
    covariance[~is_rated] = covariance[:, ~is_rated] = math.nan
    return Ratings(
        ratings=tuple(rating(agent) for agent in range(played.count)),
        first_move=first_move,
        reference=_reference(is_rated, anchors, names),
        covariance=covariance,
        _superiority=lambda i, j: posterior.superiority(i, j) if is_rated[i] and is_rated[j] else 0.5,
        method=BAYESIAN,
        method_text=(
            f"{BAYESIAN}, because the games alone do not bound all ratings; the prior is a normal distribution of "
            f"strengths with a standard deviation estimated from these games, {posterior.spread * ELO_A_NAT:.0f} Elo"
        ),
        is_connected=played.is_connected,
    )


def _reference(tied: Booleans, anchors: Mapping[int, float], names: Sequence[str]) -> str:
    """The zero point as text; `tied` are the agents whose mean is 0."""

    def name(agent: int) -> str:
        return names[agent] if names else f"agent {agent + 1}"

    if anchors:
        return ", ".join(f"{name(agent)} is {elo:g}" for agent, elo in anchors.items())
    if not tied.any():
        return "nothing is known before the first game"
    if tied.sum() == 1:
        return f"{name(int(np.argmax(tied)))} is 0"
    return (
        f"0 is the mean of {tied.sum()} agents"
        if tied.all()
        else f"0 is the mean of {tied.sum()} of {len(tied)} agents"
    )


class _Fit:
    """The maximum of the likelihood, and the intervals and tests derived from it."""

    def __init__(self, played: GameTable, model: BradleyTerry) -> None:
        self.model = model
        self.best = model.maximum()
        self._inverse = model.inverse(self.best.x)
        self._weights = _weights(model, played.games, self.best)
        self._information = spread(self._weights)
        self._noise = self._variation(played)
        #: Whether there are neither games nor anchors, so that no rating is known.
        self.is_empty = not self.model.is_anchored and not played.units

    def rating(self, agent: int) -> Rating:
        """The rating of an agent, in Elo."""
        main = int(np.argmax(self.model.main))
        above, below = self.model.reach[agent, main], self.model.reach[main, agent]
        if not (above or below) or self.is_empty:
            return _UNKNOWN
        contrast = self._contrast(agent)
        elo = float(contrast @ self.best.x) * ELO_A_NAT
        if not self._is_uncertain(contrast):
            return Rating(elo, elo, elo)
        if not below:
            return Rating(math.inf, self._bound(contrast, -1, _ALL_WON), math.inf)
        if not above:
            return Rating(-math.inf, -math.inf, self._bound(contrast, 1, _ALL_WON))
        return Rating(elo, self._bound(contrast, -1), self._bound(contrast, 1))

    def first_move(self) -> Rating:
        """The advantage of the first move, in Elo."""
        contrast = np.zeros(self.model.size + 1)
        contrast[-1] = 1
        elo = float(self.best.x[-1]) * ELO_A_NAT
        low, high = self._bound(contrast, -1), self._bound(contrast, 1)
        # A wider interval reflects the prior, not the games.
        return Rating(elo, low, high) if high - low < 2 * ADVANTAGE_SD * ELO_A_NAT else _UNKNOWN

    def covariance(self) -> Array:
        """The covariance matrix of the ratings, in Elo squared."""
        n = self.model.size
        contrasts = np.array([self._contrast(agent) for agent in range(n)]).reshape(n, n + 1)
        spread_out = contrasts @ self._inverse
        covariance: Array = spread_out @ self._noise @ spread_out.T * ELO_A_NAT**2
        unknown = ~self.model.main | self.is_empty
        covariance[unknown] = covariance[:, unknown] = math.nan
        return covariance

    def superiority(self, i: int, j: int) -> float:
        """The likelihood that agent i is stronger than agent j.

        It uses the signed root of the likelihood ratio of equal ratings. If the difference is infinite, it uses the
        ratio itself, the relative likelihood of these points between equals: a ratio of 5% gives 97.5%, consistent
        with the intervals.
        """
        above, below = self.model.reach[i, j], self.model.reach[j, i]
        if not above and not below:
            return 0.5
        contrast = np.zeros(self.model.size + 1)
        contrast[i], contrast[j] = 1, -1
        ahead = float(contrast @ self.best.x)
        if not self._is_uncertain(contrast):
            return 0.5 if ahead == 0 else float(ahead > 0)
        if abs(ahead) < _TIE:
            return 0.5
        equal = self.model.maximum_at(contrast, 0.0, self.best, self._inverse @ contrast)
        if above and below:
            return normal_cdf(math.copysign(self._root(equal, self._dispersion(contrast)), ahead))
        likely = math.exp(min(0.0, equal.value - self.best.value))
        return 1 - likely / 2 if above else likely / 2

    def _contrast(self, agent: int) -> Array:
        """The rating of an agent as a linear function of the parameters."""
        contrast = np.zeros(self.model.size + 1)
        contrast[agent] = 1
        if not self.model.is_anchored:
            contrast[:-1] -= self.model.main / self.model.main.sum()
        return contrast

    def _is_uncertain(self, contrast: Array) -> bool:
        return bool(contrast @ self._inverse @ contrast > 1e-12)

    def _dispersion(self, contrast: Array) -> float:
        """The variance of a contrast relative to its variance if games were coin flips."""
        direction = self._inverse @ contrast
        expected = float(direction @ self._information @ direction)
        # If the games have no information about the contrast, e.g. about the first move without colour swaps, both
        # variances are rounding errors.
        told = expected > 1e-9 * float(contrast @ direction)
        return float(direction @ self._noise @ direction) / expected if told else 1.0

    def _root(self, point: Point, dispersion: float) -> float:
        return math.sqrt(max(0.0, 2 * (self.best.value - point.value)) / dispersion)

    def _bound(self, contrast: Array, side: int, quantile: float = Z_95) -> float:
        """One end of a contrast's 95% interval, in Elo: where the root of the likelihood ratio equals `quantile`.

        `side` is -1 for the lower end, 1 for the upper. The root is nearly linear in the contrast and its slope is
        known, so Newton's method takes a few steps, kept between a point inside and a point outside the interval.
        """
        dispersion = self._dispersion(contrast)
        best = float(contrast @ self.best.x)
        deviation = math.sqrt(dispersion * float(contrast @ self._inverse @ contrast))
        inside, outside = best, side * math.inf
        # An infinite rating is held far out by the penalty, where the curvature is meaningless: then start at 0.
        at = best + side * min(quantile * deviation, max(2.0, abs(best)))
        point, direction = self.best, self._inverse @ contrast
        for _ in range(_MOST_ROOT_STEPS):
            point = self.model.maximum_at(contrast, at, point, direction)
            direction = point.direction if point.direction is not None else direction
            root = self._root(point, dispersion)
            if abs(root - quantile) < _ROOT_TOLERANCE:
                break
            inside, outside = (at, outside) if root < quantile else (inside, at)
            slope = abs(point.slope) / (dispersion * root) if root else 0.0
            step = side * (quantile - root) / slope if slope else side * math.inf
            at = _kept_between(at + step, inside, outside, side)
        return at * ELO_A_NAT

    def _variation(self, played: GameTable) -> Array:
        """The covariance of the gradient of the log-likelihood, with the dispersion estimated from the games."""
        expected = self.model.expected(self.best.x)[played.first, played.second]
        surplus = played.scored - expected
        variance = played.by_unit(expected * (1 - expected))
        of_pairings = self._dispersions(played)
        of_first = _of_first(played, surplus, variance)
        # An opening's advantage for the first player cancels in an agent's points of a pair, but adds up in the first
        # player's points. That applies to as many games as both agents played first.
        balanced = np.minimum(self._weights, self._weights.T)
        noise = spread(self._weights * of_pairings)
        noise[-1, -1] += np.sum(balanced * (of_first - of_pairings))
        return noise

    def _dispersions(self, played: GameTable) -> Array:
        """The dispersion of each pairing, shrunk towards that of the other pairings, which is shrunk towards 1."""
        squares, expected = played.squares(self.model.expected(self.best.x), self._inverse)
        # The prior of a pairing: the other pairings, together with `PRIOR`.
        known_squares = squares.sum() / 2 - squares + PRIOR
        known = expected.sum() / 2 - expected + PRIOR
        worth = np.minimum(1.0, _PAIRING_PRIOR_PAIRS * COIN_FLIP_PAIR / known)
        found: Array = (squares + worth * known_squares) / (expected + worth * known)
        return found * doubt(expected.sum() / 2)


def _of_first(played: GameTable, surplus: Array, variance: Array) -> float:
    """The dispersion of the first player's points in units, shrunk towards 1."""
    units, squares, expected = (
        played.by_pairing(of_units).sum() / 2
        for of_units in (np.ones(played.units), played.by_unit(surplus) ** 2, variance)
    )
    expected *= 1 - 1 / max(1.0, units)
    return float((squares + PRIOR) / (expected + PRIOR)) * doubt(expected)


def _weights(model: BradleyTerry, games: Array, point: Point) -> Array:
    expected = model.expected(point.x)
    return games * expected * (1 - expected)


def _kept_between(at: float, inside: float, outside: float, side: int) -> float:
    """`at` if it lies between `inside` and `outside` and near `inside`, else another point between them.

    `outside` may be infinite.
    """
    low, high = min(inside, outside), max(inside, outside)
    if low < at < high and abs(at - inside) < 10:
        return at
    return (inside + outside) / 2 if math.isfinite(outside) else inside + side * 5
