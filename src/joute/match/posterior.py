"""Bayesian ratings, for tournaments whose games alone do not bound all ratings.

The prior: the agents are a sample of a normal distribution. Its mean is unknown; its standard deviation, the *spread*,
is unknown too and estimated together with the ratings, with a log-normal prior. So ratings are pulled towards each
other in a class of similar agents, and hardly at all in a class whose strengths differ widely. The log-likelihood is
that of `bradley_terry`, divided by the dispersion of all games together: with one dispersion, and equally many games of
each two agents with either colour, more points always mean a higher rating.

The computation: for each spread of a grid the posterior of the ratings is approximated by a normal distribution, in
which expected points and their variances are means over that distribution (Opper and Archambeau 2009). Laplace's
approximation, at the maximum, covers worse after few games. The weight of a spread is its prior times the likelihood
of the games, by Laplace's approximation. The posterior is the mixture of the normal distributions. It is skewed, as it
should be: the games bound an unbeaten agent from below, and the prior alone bounds it from above.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from joute.match.bradley_terry import Array, BradleyTerry
from joute.match.rated_games import GameTable
from joute.match.statistics import ELO_A_NAT, PRIOR, doubt, normal_cdf

# The log-normal prior of the spread: its median in Elo, and the standard deviation of its logarithm, with which 95% are
# between 110 and 800 Elo. Chosen by simulated coverage in classes with spreads of 200 and 400 Elo (docs/ratings.md):
# a fixed spread of 400 Elo covers in 92 to 97%, the most likely spread in 91 to 96%, this prior in 93 to 97%.
_MEDIAN_SPREAD = 300 / ELO_A_NAT
_LOG_SD = 0.5

# The grid of spreads: three standard deviations of the prior on both sides. Sums over steps of 0.32 are exact to a few
# percent if the standard deviation of the logarithm is 0.13, as it is with 30 agents.
_SPREADS = _MEDIAN_SPREAD * np.exp(np.linspace(-1.6, 1.6, 11))
_LEAST_WEIGHT = 1e-3

# Gauss and Hermite's points and weights: sums over them are means over a normal distribution.
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS /= _WEIGHTS.sum()

_LAST_STEP = 1e-7
_LONGEST_STEP = 1.0
_MOST_STEPS = 200

# Differences of means, in nats, that are rounding errors.
_TIE = 1e-6


class Posterior:
    """The posterior of the ratings after these games, relative to anchors or to the mean of all agents with games.

    `fixed` maps parameters to given values, as for `BradleyTerry`.
    """

    def __init__(self, played: GameTable, fixed: Mapping[int, float]) -> None:
        #: Whether an agent played a game or is an anchor.
        self.is_rated = played.has_played.copy()
        self.is_rated[[agent for agent in fixed if agent < played.count]] = True
        independent = _Mixture(BradleyTerry(played.games, played.points, fixed))
        #: The dispersion of all games, which divides the log-likelihood.
        self.dispersion = _dispersion(played, independent.likeliest)
        mixture = _Mixture(BradleyTerry(played.games / self.dispersion, played.points / self.dispersion, fixed))
        self._weights, means, covariances = mixture.normals()
        n = played.count
        centred = np.eye(n)
        if not mixture.is_anchored:
            centred -= self.is_rated / self.is_rated.sum()
        self._means = means[:, :n] @ centred.T
        self._covariances = centred @ covariances[:, :n, :n] @ centred.T
        #: The ratings: the means of the posterior, in nats.
        self.mean: Array = self._weights @ self._means
        #: The mean of the spread of the agents' strengths, in nats.
        self.spread = mixture.spread

    @property
    def covariance(self) -> Array:
        """(n, n): the covariance of the ratings, in nats squared."""
        apart = self._means - self.mean
        covariance: Array = np.einsum("k,kij->ij", self._weights, self._covariances)
        covariance += np.einsum("k,ki,kj->ij", self._weights, apart, apart)
        return covariance

    def quantile(self, agent: int, share: float) -> float:
        """The rating that the agent's rating is below with the probability `share`."""
        means = self._means[:, agent]
        deviations = np.sqrt(np.maximum(0.0, self._covariances[:, agent, agent]))
        low, high = float((means - 9 * deviations).min()), float((means + 9 * deviations).max())
        while high - low > _LAST_STEP:
            middle = (low + high) / 2
            low, high = (middle, high) if self._below(middle - means, deviations) < share else (low, middle)
        return (low + high) / 2

    def superiority(self, i: int, j: int) -> float:
        """The probability that agent i is stronger than agent j.

        It is at least a half for the agent with the higher mean: the median of a skewed difference may have the other
        sign if the difference is near 0, and a table must not rank an agent above one that is likely to be stronger.
        """
        ahead = float(self.mean[i] - self.mean[j])
        if abs(ahead) < _TIE:
            return 0.5
        covariances = self._covariances
        variances = covariances[:, i, i] + covariances[:, j, j] - 2 * covariances[:, i, j]
        above = self._below(self._means[:, i] - self._means[:, j], np.sqrt(np.maximum(0.0, variances)))
        return max(0.5, above) if ahead > 0 else min(0.5, above)

    def _below(self, distances: Array, deviations: Array) -> float:
        """The mean probability that normal variables with these standard deviations are below these distances."""
        shares = [
            normal_cdf(at / deviation) if deviation else float(at > 0)
            for at, deviation in zip(distances.tolist(), deviations.tolist(), strict=True)
        ]
        return float(self._weights @ np.array(shares))


class _Mixture:
    """The models with each spread of the grid, and the probabilities of the spreads."""

    def __init__(self, model: BradleyTerry) -> None:
        self.is_anchored = model.is_anchored
        self._models = [model.with_prior(spread) for spread in _SPREADS.tolist()]
        self._modes: list[Array] = []
        logs = []
        for spread, with_prior in zip(_SPREADS.tolist(), self._models, strict=True):
            best = with_prior.maximum(near=self._modes[-1] if self._modes else None)
            self._modes.append(best.x)
            volume = with_prior.log_volume(_curvature(with_prior, best.x))
            prior = ((math.log(spread / _MEDIAN_SPREAD)) / _LOG_SD) ** 2 / 2
            logs.append(best.value - (model.size - 1) * math.log(spread) - volume - prior)
        weights = np.exp(np.array(logs) - max(logs))
        weights[weights < _LEAST_WEIGHT * weights.max()] = 0
        self._weights: Array = weights / weights.sum()

    @property
    def likeliest(self) -> tuple[BradleyTerry, Array]:
        """The model with the most probable spread, and its mode."""
        best = int(np.argmax(self._weights))
        return self._models[best], self._modes[best]

    @property
    def spread(self) -> float:
        """The mean of the spread."""
        return float(self._weights @ _SPREADS)

    def normals(self) -> tuple[Array, Array, Array]:
        """The weights, means and covariances of the normal distributions, without spreads that are improbable."""
        kept = np.flatnonzero(self._weights).tolist()
        means, covariances = zip(*(_normal(self._models[index], self._modes[index]) for index in kept), strict=True)
        return self._weights[kept], np.array(means), np.array(covariances)


def _dispersion(played: GameTable, fit: tuple[BradleyTerry, Array]) -> float:
    """The dispersion of all games, shrunk towards 1."""
    model, mode = fit
    squares, expected = (float(sums.sum()) / 2 for sums in played.squares(model.expected(mode), model.inverse(mode)))
    return (squares + PRIOR) / (expected + PRIOR) * doubt(expected)


def _curvature(model: BradleyTerry, x: Array) -> Array:
    expected = model.expected(x)
    return model.curvature(expected * (1 - expected))


def _normal(model: BradleyTerry, x: Array) -> tuple[Array, Array]:
    """The mean and the covariance of the normal approximation of a posterior; `x` is its mode.

    Newton's method, in which the curvature is averaged with that of the last step: they alternate otherwise where
    hardly any game bounds an agent.
    """
    curvature = _curvature(model, x)
    for _ in range(_MOST_STEPS):
        covariance = model.inverted(curvature)
        expected, variances = _averages(x, covariance)
        averaged = model.curvature(variances)
        step = model.inverted(averaged) @ model.gradient(x, expected)
        longest = float(np.abs(step).max())
        x = x + step * min(1.0, _LONGEST_STEP / max(longest, _LAST_STEP))
        curvature = (curvature + averaged) / 2
        if longest < _LAST_STEP:
            break
    return x, model.inverted(curvature)


def _averages(x: Array, covariance: Array) -> tuple[Array, Array]:
    """(n, n) each: the expected points per game and their variances, as means over the normal distribution."""
    ahead = x[:-1, None] - x[None, :-1] + x[-1]
    own, shared = np.diag(covariance), covariance[:-1, -1]
    variance = own[:-1, None] + own[None, :-1] - 2 * covariance[:-1, :-1]
    variance = variance + own[-1] + 2 * (shared[:, None] - shared[None, :])
    deviation = np.sqrt(np.maximum(0.0, variance))
    scores = 0.5 * (1 + np.tanh(0.5 * (ahead[..., None] + deviation[..., None] * _POINTS)))
    return scores @ _WEIGHTS, (scores * (1 - scores)) @ _WEIGHTS
