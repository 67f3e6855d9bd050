"""A model of strength as a function of the parameters, fitted to all games of a tuning.

The score of a setting against another one is the difference of a quadratic function of their parameters, fitted by
ridge regression, that is, with a normal prior on each coefficient. It is a picture for the report: with settings close
to each other, as SPSA plays them, the curvature is known badly. It decides nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from joute.arena.schedules.schedule import Pairing, Results
from joute.match.statistics import ELO_A_NAT, Z_95
from joute.spec import parse_spec
from joute.tune.space import Dimension, Point, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The standard deviation of a coefficient before any game, as points per game: 0.15 is about 100 Elo.
_PRIOR = 0.15
# The variance of the points per game in a pair, before any game, and its weight in pairs.
_VARIANCE, _PAIRS = 0.125, 10.0

#: Elo per point of score where both are about even.
ELO_A_POINT = 4 * ELO_A_NAT

#: Two settings, and the points per game of the first one minus one half.
Row = tuple[Point, Point, float]


class StrengthModel:
    """Strength as a function of the parameters; differences are in Elo, close to an even score."""

    def __init__(self, space: Space, rows: Sequence[Row]) -> None:
        import numpy as np  # imported here: it is slow to import

        self.space = space
        self._np = np
        size = len(self._features(space.base))
        features: NDArray[Any] = np.zeros((len(rows), size))
        scores: NDArray[Any] = np.zeros(len(rows))
        known: dict[Point, NDArray[Any]] = {}
        for index, (a, b, score) in enumerate(rows):
            for point in (a, b):
                if point not in known:
                    known[point] = np.array(self._features(point))
            features[index] = known[a] - known[b]
            scores[index] = score
        variance = (float((scores**2).sum()) + _PAIRS * _VARIANCE) / (len(rows) + _PAIRS)
        precision = features.T @ features / variance + np.eye(size) / _PRIOR**2
        self._covariance = np.linalg.inv(precision)
        self._weights = self._covariance @ (features.T @ scores) / variance

    def gain(self, a: Point, b: Point) -> tuple[float, float, float]:
        """How much stronger one setting is than another one, and its 95% interval, in Elo."""
        difference = self._np.array(self._features(a)) - self._np.array(self._features(b))
        mean = float(difference @ self._weights)
        error = Z_95 * math.sqrt(max(0.0, float(difference @ self._covariance @ difference)))
        return ELO_A_POINT * mean, ELO_A_POINT * (mean - error), ELO_A_POINT * (mean + error)

    def curve(self, at: Point, index: int, count: int = 21) -> list[tuple[float, float, float, float]]:
        """How strength changes with one parameter, against `at`: (place from 0 to 1, Elo, low, high)."""
        known = self.space.dimensions[index]
        return [(unit, *self.gain(_with(at, {index: known.value(unit)}), at)) for unit in places(known, count)]

    def importance(self, at: Point) -> list[float]:
        """The standard deviation of strength over the range of each parameter, in Elo; the others stay as `at`."""
        spreads = []
        for index in range(len(self.space.dimensions)):
            gains = [gain for _, gain, _, _ in self.curve(at, index)]
            mean = sum(gains) / len(gains)
            spreads.append(math.sqrt(sum((gain - mean) ** 2 for gain in gains) / len(gains)))
        return spreads

    def surface(self, at: Point, across: int, up: int, count: int = 11) -> list[list[float]]:
        """How strength changes with two parameters, against `at`, in Elo; a row for each value of the second one."""
        first, second = self.space.dimensions[across], self.space.dimensions[up]
        return [
            [self.gain(_with(at, {across: first.value(x), up: second.value(y)}), at)[0] for x in places(first, count)]
            for y in places(second, count)
        ]

    def _features(self, point: Point) -> list[float]:
        """The terms of the function: each number with its square, products of two, and each choice for itself."""
        numbers, choices = [], []
        for known, value in zip(self.space.dimensions, point, strict=True):
            if known.choices:
                choices += [float(value == choice) for choice in known.choices]
            else:
                numbers.append(2 * known.unit(value) - 1)
        products = [a * b for a, b in itertools.combinations(numbers, 2)]
        return [*numbers, *(number**2 for number in numbers), *products, *choices]


def places(known: Dimension, count: int) -> list[float]:
    """Places from 0 to 1 that show a parameter: one for each choice, or equal steps."""
    if known.choices:
        return [known.unit(choice) for choice in known.choices]
    return [index / (count - 1) for index in range(count)]


def rows_of(space: Space, asked: Sequence[Pairing], results: Results) -> list[Row]:
    """The pairs of games of a tuning that are complete."""
    rows = []
    for first, second in zip(asked[::2], asked[1::2], strict=True):
        if first.number in results and second.number in results:
            won = sum(results[game.number].points_of(first.players[0]) for game in (first, second))
            rows.append((read_point(space, first.settings[0]), read_point(space, first.settings[1]), won / 2 - 0.5))
    return rows


def read_point(space: Space, settings: str) -> Point:
    """The point of a text made by `Space.settings`."""
    values = parse_spec(f":{settings}")[1]
    return tuple(_read(known, values[known.name]) for known in space.dimensions)


def _read(known: Dimension, text: str) -> Any:
    if known.choices:
        return text == "yes" if isinstance(known.base, bool) else text
    return int(text) if known.is_whole else float(text)


def _with(point: Point, changes: Mapping[int, Any]) -> Point:
    return tuple(changes.get(index, value) for index, value in enumerate(point))
