"""Simulated sweeps: intervals hold for all settings at once, and the best setting is among those that may be best."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from joute.match.statistics import Pentanomial, dispersion, wilson_interval
from joute.sweeps.comparison import may_be_best, simultaneous_z

SWEEPS = 400


def played(scores: NDArray[np.float64], rounds: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The points of settings with these expected scores, by opening; an opening favours one side in all its games."""
    favour = rng.uniform(-0.2, 0.2, size=rounds)
    chances = scores[:, None, None] + np.stack([favour, -favour])[None]
    return np.asarray((rng.random(chances.shape) < chances).sum(axis=1), dtype=np.float64)


def intervals(points: NDArray[np.float64], z: float) -> list[tuple[float, float]]:
    made = []
    for row in points:
        counts = Pentanomial(tuple(float((row == half / 2).sum()) for half in range(5)))  # type: ignore[arg-type]
        trials = 2 * len(row) / dispersion(counts, z=z)
        made.append(wilson_interval(counts.score, trials, z))
    return made


def coverage(z: float) -> float:
    """The share of simulated sweeps in which every interval holds its score."""
    rng = np.random.default_rng(1)
    scores = np.linspace(0.35, 0.65, 10)
    held = [
        all(
            low <= score <= high
            for score, (low, high) in zip(scores, intervals(played(scores, 40, rng), z), strict=True)
        )
        for _ in range(SWEEPS)
    ]
    return sum(held) / SWEEPS


def test_all_intervals_of_a_sweep_hold_together_in_95_percent_of_sweeps() -> None:
    assert 0.93 <= coverage(simultaneous_z(10)) <= 0.99


def test_separate_intervals_would_fail_in_a_third_of_all_sweeps() -> None:
    assert coverage(simultaneous_z(1)) < 0.75


@pytest.mark.parametrize("scores", [[0.5] * 6, [0.45, 0.5, 0.55, 0.5, 0.4, 0.54]], ids=["all equal", "one best"])
def test_the_best_setting_is_rarely_ruled_out(scores: list[float]) -> None:
    rng = np.random.default_rng(2)
    best = int(np.argmax(scores))
    ruled_out = sum(
        not may_be_best(played(np.array(scores), 40, rng), [1.0] * len(scores))[best] for _ in range(SWEEPS)
    )
    assert ruled_out / SWEEPS < 0.06


def test_a_setting_that_is_clearly_worse_is_ruled_out() -> None:
    points = played(np.array([0.3, 0.7, 0.68]), 100, np.random.default_rng(3))
    assert may_be_best(points, [1.0] * 3) == [False, True, True]


def test_the_same_openings_make_the_comparison_sharper() -> None:
    rng = np.random.default_rng(4)
    ours = rng.integers(0, 2, size=60).astype(np.float64)
    points = np.stack([ours, ours + (rng.random(60) < 0.15)])
    shuffled = np.stack([points[0], rng.permutation(points[1])])
    assert may_be_best(points, [1.0, 1.0]) == [False, True]
    assert may_be_best(shuffled, [1.0, 1.0]) == [True, True]


def test_repeated_games_rule_nobody_out() -> None:
    points = np.stack([np.zeros(100), np.full(100, 2.0)])
    assert may_be_best(points, [1.0, 1.0]) == [False, True]
    assert may_be_best(points, [0.02, 0.02]) == [True, True]
