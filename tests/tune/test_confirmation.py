"""A gain is confirmed only where there is one, and its estimate is right."""

from __future__ import annotations

import math
import random

import pytest
from synthetic_tuning import bowl, number, played, tuning

from joute.match.sprt import Sprt
from joute.match.sprt_estimate import sprt_elo
from joute.match.statistics import Pentanomial, elo_of, score_of
from joute.tune.space import Dimension, Space

SPACE = Space((number("a", 0.3), number("b", 0.3)))


def confirmed(count: int, games: int, curvature: float) -> int:
    """How many of so many tunings end as confirmed."""
    found = 0
    for seed in range(count):
        schedule = tuning(SPACE, games, tuning_seed=seed, elo1=20.0)
        progress = schedule.progress(played(schedule, bowl({"a": 0.6, "b": 0.6}, curvature), seed=seed))
        found += progress.tests[0].progress.state.decision == "H1"
    return found


@pytest.mark.slow
def test_parameters_without_effect_are_not_confirmed_in_95_percent_of_tunings() -> None:
    assert confirmed(300, 400, 0.0) <= 0.05 * 300


def test_a_gain_is_confirmed_where_there_is_one() -> None:
    assert confirmed(4, 800, 2000.0) == 4


def test_a_tuning_that_finds_nothing_else_than_the_base_is_not_tested() -> None:
    schedule = tuning(Space((Dimension("a", 3, 3, 4),)), 40)
    results = played(schedule, lambda values: -500.0 * (float(values["a"]) - 3))
    assert schedule.length(results) == 40
    assert schedule.progress(results).tests == []


def ended(sprt: Sprt, elo: float, rng: random.Random, most: int) -> tuple[float, ...]:
    """The counts of pairs at the end of a test between agents whose difference is `elo`."""
    counts = [0.0] * 5
    score = score_of(elo)
    for _ in range(most):
        counts[2 * ((rng.random() < score) + (rng.random() < score))] += 1
        if sprt.test(counts).decision:
            break
    return tuple(counts)


@pytest.mark.slow
@pytest.mark.parametrize("elo", [0.0, 10.0, 30.0, 60.0])
def test_the_interval_after_a_sequential_test_holds_and_its_middle_is_unbiased(elo: float) -> None:
    sprt, rng = Sprt(0, 30, 0.025, 0.05), random.Random(round(elo))
    held = above = 0
    for _ in range(200):
        counts = ended(sprt, elo, rng, 1000)
        middle, low, high = sprt_elo(sprt.test(counts), counts)
        held += low <= elo <= high
        above += middle > elo
    assert held >= 0.9 * 200
    assert 0.38 * 200 <= above <= 0.62 * 200


def test_the_estimate_after_an_early_end_is_below_the_score() -> None:
    sprt = Sprt(0, 20, 0.025, 0.05)
    counts = ended(sprt, 30.0, random.Random(1), 2000)
    state = sprt.test(counts)
    assert state.decision == "H1"
    elo, low, high = sprt_elo(state, counts)
    assert 0 < low < elo < elo_of(Pentanomial((*counts,)).score) < high  # type: ignore[arg-type]


def test_without_a_decision_the_estimate_is_near_the_score() -> None:
    sprt = Sprt(0, 20)
    counts = (20.0, 30.0, 100.0, 34.0, 21.0)
    state = sprt.test(counts)
    assert state.decision is None
    elo, low, high = sprt_elo(state, counts)
    assert low < 0 < elo < 10 < high


def test_without_games_nothing_is_known() -> None:
    assert sprt_elo(Sprt().test((0.0,) * 5), (0.0,) * 5) == (0.0, -math.inf, math.inf)


@pytest.mark.parametrize("decided", ["H0", "H1"])
def test_a_decided_test_and_its_interval_agree(decided: str) -> None:
    sprt = Sprt(0, 20, 0.025, 0.05)
    rng = random.Random(3)
    while True:
        counts = ended(sprt, 60.0 if decided == "H1" else -40.0, rng, 2000)
        state = sprt.test(counts)
        if state.decision == decided:
            break
    _, low, high = sprt_elo(state, counts)
    assert low > 0 if decided == "H1" else high < 20
