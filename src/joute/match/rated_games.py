"""The games of a tournament as input of the ratings: matrices of points, and the units of the dispersion."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from joute.errors import JouteError
from joute.match.bradley_terry import Array, Booleans, reachable


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


class GameTable:
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

    @property
    def has_played(self) -> Booleans:
        """Whether each agent has a game."""
        played: Booleans = np.isin(np.arange(self.count), [self.first, self.second])
        return played

    @property
    def is_connected(self) -> bool:
        """Whether a chain of games connects each two agents that played."""
        near = ((self.games + self.games.T) > 0) | np.eye(self.count, dtype=bool)
        return bool(reachable(near)[np.ix_(self.has_played, self.has_played)].all())

    def by_unit(self, values: Array) -> Array:
        """Sums of the games' values for each unit."""
        return _added(self.unit, values, self.units)

    def by_pairing(self, values: Array) -> Array:
        """Weighted sums of the units' values for each pairing: a symmetric (n, n) matrix."""
        half = self._weight * _added(self._unit_pairing, values, self.count**2)
        square = half.reshape(self.count, self.count)
        return square + square.T

    def squares(self, expected: Array, inverse: Array) -> tuple[Array, Array]:
        """The squared residuals of the units' points, summed for each pairing, and their expectation for coin flips.

        Two symmetric (n, n) matrices. `expected` are the expected points of the row as first player against the column
        and `inverse` is the covariance of the fitted ratings if games are coin flips: ratings are fitted to the
        results, so residuals are smaller than the deviations from the true expectations.
        """
        expectations = expected[self.first, self.second]
        surplus = np.where(self.first < self.second, 1, -1) * (self.scored - expectations)
        variance = self.by_unit(expectations * (1 - expectations))
        diagonal = np.diag(inverse)[:-1]
        fitted = (diagonal[:, None] + diagonal[None, :] - 2 * inverse[:-1, :-1]) * self.by_pairing(variance**2)
        return self.by_pairing(self.by_unit(surplus) ** 2), np.maximum(0.0, self.by_pairing(variance) - fitted)


def _added(places: npt.NDArray[np.int64], values: Array, size: int) -> Array:
    """Sums of the values with the same place, for places 0 to size - 1."""
    return np.bincount(places, values, minlength=size).astype(np.float64)
