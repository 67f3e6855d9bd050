"""Ratings of a tournament: Elo by maximum likelihood, with 95% intervals and likelihoods of superiority.

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
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from joute.errors import JouteError
from joute.match.bradley_terry import ADVANTAGE_SD, Array, BradleyTerry, Point, spread
from joute.match.statistics import COIN_FLIP_PAIR, ELO_A_NAT, PRIOR, Z_95, doubt, normal_cdf

# The largest weight, in pairs of coin flips, of all other pairings in the dispersion of a pairing. If pairings of 10
# pairs differ in their draw rates, the intervals of single agents cover in 93 to 98% with 10, 93 to 97% with 4.
_PAIRING_PRIOR_PAIRS = 4.0

# The quantile for an agent that won all games. Its interval has only a lower end, the strength at which it would win
# all games in one of 20 tournaments. The normal quantile would give too narrow an interval: after 20 wins of 20 its
# lower end is a score of 90.8%, but a player of 88% wins them all in one of 13 matches.
_ALL_WON = math.sqrt(-2 * math.log(0.05))

# The largest rating of an anchor. Such a difference is as good as infinite: one point lost in 10^25 games.
_MOST_ELO = 10_000

_ROOT_TOLERANCE = 1e-6
_MOST_ROOT_STEPS = 60


@dataclass(frozen=True)
class RatedGame:
    """One game: the indices of the first and the second player, and the points of the first."""

    first: int
    second: int
    points: float
    #: The same for both games of a colour-swapped pair.
    pair: Hashable | None = None
    #: Identifies the moves. Of games of the same two agents with the same line, all but one are repetitions.
    line: Hashable | None = None


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
) -> Ratings:
    """Rate `count` agents by their games.

    `anchors` maps agents to known ratings. Without anchors, 0 is the mean of the largest group of agents with finite
    differences, i.e. connected by points won and lost. `names` are used in `reference`. `first_move` is the advantage
    of the first move if it is known; otherwise it is estimated.

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
        return _rated(_Games(count, games), anchors, names, first_move)


def _rated(played: _Games, anchors: Mapping[int, float], names: Sequence[str], first_move: float | None) -> Ratings:
    count = played.count
    fixed = {agent: elo / ELO_A_NAT for agent, elo in anchors.items()}
    if first_move is not None:
        fixed[count] = first_move / ELO_A_NAT
    fit = _Fit(played, BradleyTerry(played.games, played.points, fixed))
    return Ratings(
        ratings=tuple(
            fit.rating(agent) if agent not in anchors else Rating(anchors[agent], anchors[agent], anchors[agent])
            for agent in range(count)
        ),
        first_move=fit.first_move() if first_move is None else Rating(first_move, first_move, first_move),
        reference=_reference(fit, anchors, names),
        covariance=fit.covariance(),
        _superiority=fit.superiority,
    )


def _reference(fit: _Fit, anchors: Mapping[int, float], names: Sequence[str]) -> str:
    def name(agent: int) -> str:
        return names[agent] if names else f"agent {agent + 1}"

    if anchors:
        return ", ".join(f"{name(agent)} is {elo:g}" for agent, elo in anchors.items())
    if fit.is_empty:
        return "nothing is known before the first game"
    count, tied = fit.model.size, int(fit.model.main.sum())
    if tied == 1:
        return f"{name(int(np.argmax(fit.model.main)))} is 0"
    return f"0 is the mean of {tied} agents" if tied == count else f"0 is the mean of {tied} of {count} agents"


class _Games:
    """Games as arrays: matrices for the likelihood, and units (pairs or single games) for the dispersion.

    Repeated games add no evidence, so all games of two agents together weigh as much as the distinct ones.
    """

    def __init__(self, count: int, games: Iterable[RatedGame]) -> None:
        rows = list(games)
        self.count = count
        self.first = np.array([game.first for game in rows], dtype=np.int64)
        self.second = np.array([game.second for game in rows], dtype=np.int64)
        self.scored = np.array([game.points for game in rows], dtype=np.float64)
        self._check()
        pairings = np.minimum(self.first, self.second) * count + np.maximum(self.first, self.second)
        units: dict[Hashable, int] = {}
        lines: set[Hashable] = set()
        is_new = np.ones(len(rows))
        self.unit = np.zeros(len(rows), dtype=np.int64)
        for number, (pairing, game) in enumerate(zip(pairings.tolist(), rows, strict=True)):
            self.unit[number] = units.setdefault((pairing, game.pair) if game.pair is not None else number, len(units))
            if game.line is not None:
                is_new[number] = (pairing, game.line) not in lines
                lines.add((pairing, game.line))
        self.units = len(units)
        self._unit_pairing = np.zeros(self.units, dtype=np.int64)
        self._unit_pairing[self.unit] = pairings
        played = _added(pairings, np.ones(len(rows)), count**2)
        #: The weight of a game, by pairing.
        self._weight = _added(pairings, is_new, count**2) / np.maximum(1.0, played)
        cells = self.first * count + self.second
        self.games = _added(cells, self._weight[pairings], count**2).reshape(count, count)
        self.points = _added(cells, self._weight[pairings] * self.scored, count**2).reshape(count, count)

    def _check(self) -> None:
        if strangers := {*self.first.tolist(), *self.second.tolist()} - set(range(self.count)):
            raise JouteError(f"a game names agent {strangers.pop()}, but there are {self.count} agents")
        if (self.first == self.second).any():
            raise JouteError("an agent cannot be rated by games against itself")
        if not np.isin(self.scored, (0, 0.5, 1)).all():
            raise JouteError("the points of a game are 0, 0.5 or 1")

    def by_unit(self, values: Array) -> Array:
        """Sums of the games' values for each unit."""
        return _added(self.unit, values, self.units)

    def by_pairing(self, values: Array) -> Array:
        """Weighted sums of the units' values for each pairing: a symmetric (n, n) matrix."""
        half = self._weight * _added(self._unit_pairing, values, self.count**2)
        square = half.reshape(self.count, self.count)
        return square + square.T


def _added(places: npt.NDArray[np.int64], values: Array, size: int) -> Array:
    """Sums of the values with the same place, for places 0 to size - 1."""
    return np.bincount(places, values, minlength=size).astype(np.float64)


class _Fit:
    """The maximum of the likelihood, and the intervals and tests derived from it."""

    def __init__(self, played: _Games, model: BradleyTerry) -> None:
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

    def _variation(self, played: _Games) -> Array:
        """The covariance of the gradient of the log-likelihood, with the dispersion estimated from the games."""
        expected = self.model.expected(self.best.x)[played.first, played.second]
        surplus = played.scored - expected
        variance = played.by_unit(expected * (1 - expected))
        of_pairings = self._dispersions(played, surplus, variance)
        of_first = _of_first(played, surplus, variance)
        # An opening's advantage for the first player cancels in an agent's points of a pair, but adds up in the first
        # player's points. That applies to as many games as both agents played first.
        balanced = np.minimum(self._weights, self._weights.T)
        noise = spread(self._weights * of_pairings)
        noise[-1, -1] += np.sum(balanced * (of_first - of_pairings))
        return noise

    def _dispersions(self, played: _Games, surplus: Array, variance: Array) -> Array:
        """The dispersion of each pairing, shrunk towards that of the other pairings, which is shrunk towards 1."""
        of_lower = np.where(played.first < played.second, surplus, -surplus)
        squares = played.by_pairing(played.by_unit(of_lower) ** 2)
        # Ratings are fitted to the results, so residuals are smaller than the deviations from the true expectations.
        fitted = self._difference_variances() * played.by_pairing(variance**2)
        expected = np.maximum(0.0, played.by_pairing(variance) - fitted)
        # The prior of a pairing: the other pairings, together with `PRIOR`.
        known_squares = squares.sum() / 2 - squares + PRIOR
        known = expected.sum() / 2 - expected + PRIOR
        worth = np.minimum(1.0, _PAIRING_PRIOR_PAIRS * COIN_FLIP_PAIR / known)
        found: Array = (squares + worth * known_squares) / (expected + worth * known)
        return found * doubt(expected.sum() / 2)

    def _difference_variances(self) -> Array:
        """(n, n): the variances of the differences of ratings if games were coin flips."""
        covariance = self._inverse[:-1, :-1]
        diagonal = np.diag(covariance)
        return diagonal[:, None] + diagonal[None, :] - 2 * covariance


def _of_first(played: _Games, surplus: Array, variance: Array) -> float:
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
