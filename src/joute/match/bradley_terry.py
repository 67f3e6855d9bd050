"""The Bradley–Terry model with a first-move advantage: its likelihood and its maximum.

The expected points of the first player are ``1 / (1 + exp(-(r_first - r_second + advantage)))``. A draw counts as half
a win and half a loss. At the maximum, *expected points = points* for every agent and for the first player, so that
ratings explain scores, and the difference of two ratings explains the score of a match. A model with a separate draw
probability, such as Davidson's (1970), has other equations: there a difference is the logarithm of wins over losses,
and two agents that draw nearly always may be far apart with a score near one half.

Two matrices describe the games: the number of games of each agent as first against each other agent, and its points in
them. The log-likelihood is concave, so Newton's method finds the maximum. The parameters are the ratings and, last, the
advantage, in nats (`statistics.ELO_A_NAT` Elo each).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from joute.match.statistics import ELO_A_NAT

Array = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

# If an agent won all its games, the likelihood has no maximum in its rating. A quadratic penalty of this weight between
# groups of agents without finite differences stops it at 15 to 20 nats (3,000 Elo), where the likelihood is within 1e-6
# of its value at infinity.
_SPRING = 1e-8

# The standard deviation of the prior of the advantage. It weighs as much as an eighth of a drawn game and keeps the
# advantage finite if the first player always wins.
ADVANTAGE_SD = 1000 / ELO_A_NAT

# Newton's method converges quadratically: after a step this short the next one would be lost in rounding.
_LAST_STEP = 1e-6
# Steps shorter than this many nats are taken without a line search: the second derivatives hardly change within them.
_SAFE_STEP = 0.3
_LONGEST_STEP = 5.0
_MOST_STEPS = 200


@dataclass(frozen=True)
class Point:
    """A point of the likelihood: its parameters and the log-likelihood."""

    x: Array
    value: float
    #: The derivative of the constrained maximum by the value of the contrast; 0 without a contrast.
    slope: float = 0.0
    #: A vector along which the constrained maximum moves as the contrast changes.
    direction: Array | None = None


class BradleyTerry:
    """The log-likelihood of games. `games` and `points` are (n, n) matrices: row as first player against column.

    `fixed` maps parameters (agents, or n for the advantage) to given values. If it contains no agent, the mean of the
    main group is kept at 0.
    """

    def __init__(self, games: Array, points: Array, fixed: Mapping[int, float]) -> None:
        n = len(games)
        self._games = games
        self._points = points
        anchors = [agent for agent in fixed if agent < n]
        self.is_anchored = bool(anchors)
        self.reach = _reach(games, points, anchors)
        self.main = _main_group(self.reach, games, points, anchors)
        self._start = np.zeros(n + 1)
        for parameter, value in fixed.items():
            self._start[parameter] = value
        is_free = np.ones(n + 1, dtype=bool)
        is_free[list(fixed)] = False
        self._free = np.flatnonzero(is_free)
        self._penalty = self._springs()

    @property
    def size(self) -> int:
        """The number of agents."""
        return len(self._games)

    def with_prior(self, sd: float) -> BradleyTerry:
        """The model with a prior: the ratings are a sample of a normal distribution with the standard deviation `sd`.

        The mean of the distribution is unknown, so the prior only depends on differences of ratings, and all ratings
        are finite.
        """
        n = self.size
        model = copy.copy(self)
        model._penalty = np.zeros((n + 1, n + 1))
        model._penalty[:n, :n] = (np.eye(n) - 1 / n) / sd**2
        model._penalty[n, n] = 1 / ADVANTAGE_SD**2
        if not self.is_anchored:  # keeps the mean at 0
            model._penalty[:n, :n] += 1 / n**2
        return model

    def maximum(self, near: Array | None = None) -> Point:
        """The maximum of the likelihood, or of the posterior if there is a prior; the search may start from `near`."""
        if near is not None:
            return self._climb(near, None)
        start = self._start.copy()
        if len(fixed := start[: self.size][~np.isin(np.arange(self.size), self._free)]):
            start[self._free[self._free < self.size]] = fixed.mean()
        return self._climb(start, None)

    def maximum_at(self, contrast: Array, value: float, near: Point, direction: Array) -> Point:
        """The maximum subject to ``contrast @ x == value``; the search starts from `near`, moved along `direction`."""
        return self._climb(near.x + direction * (value - contrast @ near.x) / (contrast @ direction), contrast)

    def expected(self, x: Array) -> Array:
        """(n, n): the expected points per game of the row as first player against the column."""
        ratings = x[:-1]
        score: Array = 0.5 * (1 + np.tanh(0.5 * (ratings[:, None] - ratings[None, :] + x[-1])))
        return score

    def gradient(self, x: Array, expected: Array) -> Array:
        """The first derivatives of the value at `x`, by the expected points per game."""
        surplus = self._points - self._games * expected
        gradient: Array = np.append(surplus.sum(axis=1) - surplus.sum(axis=0), surplus.sum()) - self._penalty @ x
        return gradient

    def curvature(self, variances: Array) -> Array:
        """(n + 1, n + 1): the negated second derivatives of the value, by the variances of the points of a game."""
        return spread(self._games * variances) + self._penalty

    def inverse(self, x: Array) -> Array:
        """The inverse of the information matrix at `x`, (n + 1, n + 1), with zeros for fixed parameters."""
        expected = self.expected(x)
        return self.inverted(self.curvature(expected * (1 - expected)))

    def inverted(self, curvature: Array) -> Array:
        """The inverse of a curvature in the free parameters, with zeros for fixed ones."""
        full = np.zeros_like(curvature)
        grid = np.ix_(self._free, self._free)
        if len(self._free):
            full[grid] = np.linalg.inv(curvature[grid])
        return full

    def log_volume(self, curvature: Array) -> float:
        """Half the logarithm of the determinant of a curvature in the free parameters."""
        return float(np.linalg.slogdet(curvature[np.ix_(self._free, self._free)])[1]) / 2

    def _springs(self) -> Array:
        n = self.size
        penalty = np.zeros((n + 1, n + 1))
        penalty[n, n] = 1 / ADVANTAGE_SD**2
        if not n:
            return penalty
        main = self.main / self.main.sum()
        if not self.is_anchored:
            penalty[:n, :n] += np.outer(main, main)
        groups = np.unique(self.reach & self.reach.T, axis=0)
        for group in groups / groups.sum(axis=1, keepdims=True):
            penalty[:n, :n] += _SPRING * np.outer(group - main, group - main)
        return penalty

    def _value(self, x: Array) -> float:
        ratings = x[:-1]
        ahead = ratings[:, None] - ratings[None, :] + x[-1]
        of_games = np.sum(self._points * ahead - self._games * np.logaddexp(0, ahead))
        return float(of_games - 0.5 * x @ self._penalty @ x)

    def _climb(self, x: Array, contrast: Array | None) -> Point:
        """The maximum by Newton's method from `x`; with a contrast, `contrast @ x` is kept constant."""
        free = self._free
        grid = np.ix_(free, free)
        slope, direction = 0.0, None
        for _ in range(_MOST_STEPS if len(free) else 0):
            expected = self.expected(x)
            gradient = self.gradient(x, expected)
            curvature = self.curvature(expected * (1 - expected))[grid]
            step = np.zeros_like(x)
            if contrast is None:
                step[free] = np.linalg.solve(curvature, gradient[free])
            else:
                direction = np.zeros_like(x)
                sides = np.column_stack((gradient[free], contrast[free]))
                step[free], direction[free] = np.linalg.solve(curvature, sides).T
                slope = float(contrast @ step / (contrast @ direction))
                step -= slope * direction
            longest = float(np.abs(step).max())
            x = x + step if longest < _SAFE_STEP else self._uphill(x, step * min(1.0, _LONGEST_STEP / longest))
            if longest < _LAST_STEP:
                break
        return Point(x, self._value(x), slope, direction)

    def _uphill(self, x: Array, step: Array) -> Array:
        """`x` plus the step, which is halved until the value does not decrease."""
        value = self._value(x)
        for _ in range(30):
            if self._value(x + step) >= value:
                break
            step = step / 2
        return x + step


def spread(weights: Array) -> Array:
    """The (n + 1, n + 1) matrix of a quadratic form to which a game of weight w adds ``w (r_i - r_j + a)²``.

    `weights` is (n, n): the total weight of games with the row as first player against the column.
    """
    n = len(weights)
    both = weights + weights.T
    matrix = np.empty((n + 1, n + 1))
    matrix[:n, :n] = -both
    matrix[np.arange(n), np.arange(n)] += both.sum(axis=1)
    matrix[n, :n] = matrix[:n, n] = weights.sum(axis=1) - weights.sum(axis=0)
    matrix[n, n] = weights.sum()
    return matrix


def _reach(games: Array, points: Array, anchors: list[int]) -> Booleans:
    """(n, n): whether the row scored against the column, or against an agent that reaches the column.

    The ratings of two agents differ by a finite amount if and only if each reaches the other (Ford 1957).
    """
    reach = (points > 0) | ((games - points).T > 0) | np.eye(len(games), dtype=bool)
    reach[np.ix_(anchors, anchors)] = True
    return reachable(reach)


def reachable(reach: Booleans) -> Booleans:
    """(n, n): whether steps lead from the row to the column; `reach` has the single steps, and a true diagonal."""
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if np.array_equal(further, reach):
            return reach
        reach = further


def _main_group(reach: Booleans, games: Array, points: Array, anchors: list[int]) -> Booleans:
    """The group of agents that ratings refer to: the group of the anchors, or the largest group, then most games.

    If all groups are single agents, the weakest agent, so that all others are rated above it.
    """
    groups = reach & reach.T
    if anchors:
        main: Booleans = groups[anchors[0]]
        return main
    played = games.sum(axis=0) + games.sum(axis=1)
    scored = points.sum(axis=1) + (games - points).sum(axis=0)
    share = scored / np.maximum(played, 1)
    ranks = [
        (group.sum(), played[group].sum() if group.sum() > 1 else played[group].sum() > 0, -share[group].mean())
        for group in groups
    ]
    return groups[max(range(len(groups)), key=ranks.__getitem__)] if ranks else np.zeros(0, dtype=bool)
