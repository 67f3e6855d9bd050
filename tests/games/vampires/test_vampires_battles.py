"""Battles of Vampires vs Werewolves: published statistics, exact distributions, expectations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any, NamedTuple

import pytest
from numpy.testing import assert_allclose
from vampires_oracle import PROFILES, Profile, is_certain, is_hopeless, random_battle, win_probability

from joute import Random, new
from joute.errors import JouteError
from joute.games.vampires.state import battle_odds

BATTLES = 100_000


class Published(NamedTuple):
    """A line of the table of 100,000 battles each that the official server's own routine fought."""

    attackers: int
    defenders: int
    species: str
    win_rate: float
    mean_if_won: float
    mean_if_lost: float
    empty: float


TABLE = [
    Published(3, 5, "w", 0.299, 0.905, 3.505, 0.104),
    Published(5, 4, "w", 0.749, 3.749, 1.004, 0.080),
    Published(4, 4, "w", 0.500, 1.997, 2.004, 0.063),
    Published(2, 7, "w", 0.142, 0.285, 5.999, 0.104),
    Published(5, 8, "h", 0.315, 4.058, 5.498, 0.002),
    Published(1, 9, "w", 0.055, 0.053, 8.500, 0.053),
]

profiles = pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)


def pending(attackers: int, defenders: int, species: str, rules: str = "official") -> Any:
    ply = 1 if rules.startswith("twilight") else 0
    state = new(f"vampires:rules={rules}", f"1x3/{attackers}v0.0+{defenders}{species}1.0+9w2.0/{ply}")
    return state.play(f"0.0-1.0x{attackers}")


def spread(p: float, n: int) -> tuple[float, float]:
    """Mean and standard deviation of a binomial distribution."""
    return n * p, sqrt(n * p * (1 - p))


@pytest.mark.parametrize("line", TABLE, ids=lambda line: f"{line.attackers}-{line.defenders}{line.species}")
def test_battles_have_the_statistics_of_the_official_server(line: Published) -> None:
    """Within three standard deviations of the difference of two such samples, and of the rounding in print.

    An empty cell tells not who won, so only survivors are counted on each side, and means are conditional on a
    battle's winner by what theory says of the empty ones.
    """
    state = pending(*line[:3])
    rng = Random(2020)
    counts = [0] * len(state.outcomes)
    for _ in range(BATTLES):
        counts[state.draw_outcome(rng)] += 1
    p = float(win_probability(line.attackers, line.defenders, PROFILES["official"]))
    fighting = line.attackers + line.defenders if line.species == "h" else line.attackers
    won = counts[1 + line.defenders :]
    lost = counts[1 : 1 + line.defenders]

    def is_near(found: float, published: float, deviation: float, rounding: float = 0.0005) -> bool:
        return abs(found - published) < 3 * sqrt(2) * deviation + rounding

    # The share of battles with surviving attackers, which are all that were won but for those that nobody survived.
    alive = p * (1 - (1 - p) ** fighting)
    assert is_near(sum(won) / BATTLES, line.win_rate - p * (1 - p) ** fighting, sqrt(alive * (1 - alive) / BATTLES))
    empty = p * (1 - p) ** fighting + (1 - p) * p**line.defenders
    assert is_near(counts[0] / BATTLES, line.empty, sqrt(empty * (1 - empty) / BATTLES))
    for survivors, chance, n, published in (
        (won, p, fighting, line.mean_if_won),
        (lost, 1 - p, line.defenders, line.mean_if_lost),
    ):
        battles = BATTLES * chance
        found = sum(k * count for k, count in enumerate(survivors, 1)) / battles
        # Over all battles, the sum has the variance of the count of wins and that of the survivors.
        mean, deviation = spread(chance, n)
        total = sqrt(chance * deviation**2 + chance * (1 - chance) * mean**2) / (sqrt(BATTLES) * chance)
        assert is_near(found, published, total)


@pytest.mark.parametrize("line", TABLE, ids=lambda line: f"{line.attackers}-{line.defenders}{line.species}")
def test_draws_follow_the_exact_distribution(line: Published) -> None:
    """By chi-square over the outcomes that are expected at least five times: five deviations from what it should be."""
    state = pending(*line[:3])
    rng = Random(7)
    counts = [0] * len(state.outcomes)
    for _ in range(BATTLES):
        counts[state.draw_outcome(rng)] += 1
    exact = outcomes_of(line.attackers, line.defenders, line.species, PROFILES["official"])
    assert len(exact) == len(counts)
    terms = [
        (count - BATTLES * float(chance)) ** 2 / (BATTLES * float(chance))
        for count, chance in zip(counts, exact, strict=True)
        if BATTLES * chance >= 5
    ]
    assert len(terms) >= 4
    assert sum(terms) < len(terms) + 5 * sqrt(2 * len(terms))


def outcomes_of(attackers: int, defenders: int, species: str, profile: Profile) -> list[Fraction]:
    """An empty cell, so many defenders, so many attackers."""
    survivors = random_battle(attackers, defenders, species, profile)
    return [survivors.attackers[0] + survivors.defenders[0], *survivors.defenders[1:], *survivors.attackers[1:]]


COUNTS = (1, 2, 3, 5, 8, 12, 40, 99, 127, 128, 254, 255)


@profiles
@pytest.mark.parametrize("species", ["h", "w"])
def test_distributions_are_exact_and_sum_to_one(species: str, profile: Profile) -> None:
    fought = 0
    for attackers, defenders in product(COUNTS, COUNTS):
        if is_certain(attackers, defenders, species, profile) or is_hopeless(attackers, defenders, species, profile):
            continue
        state = pending(attackers, defenders, species, profile.name)
        exact = outcomes_of(attackers, defenders, species, profile)
        found = state.outcomes
        assert sum(found) == pytest.approx(1, abs=1e-12)
        assert_allclose(found, list(map(float, exact)), rtol=1e-9, atol=1e-15)
        assert state.battle[-1] == pytest.approx(float(win_probability(attackers, defenders, profile)), rel=1e-15)
        fought += 1
    assert fought > 15


@profiles
@pytest.mark.parametrize("species", ["h", "w"])
def test_each_outcome_leads_where_its_number_says(species: str, profile: Profile) -> None:
    for attackers, defenders in ((1, 2), (3, 4), (7, 8)):
        state = pending(attackers, defenders, species, profile.name)
        for index in range(len(state.outcomes)):
            cell = [(kind, count) for x, y, kind, count in state.resolve(index).cells if (x, y) == (1, 0)]
            if index == 0:
                assert cell == []
            elif index <= defenders:
                assert cell == [(species, index)]
            else:
                assert cell == [("v", index - defenders)]


@profiles
@pytest.mark.parametrize("species", ["h", "w"])
def test_odds_are_those_of_the_slow_rules(species: str, profile: Profile) -> None:
    for attackers, defenders in product(COUNTS, COUNTS):
        odds = battle_odds(attackers, defenders, against_humans=species == "h", rules=profile.name)
        fighting = attackers + defenders if species == "h" else attackers
        assert (len(odds.attackers), len(odds.defenders)) == (fighting, defenders)
        if is_certain(attackers, defenders, species, profile):
            assert (odds.win, odds.empty, odds.attackers[-1]) == (1, 0, 1)
            assert odds.expected_attackers == fighting
            assert odds.expected_defenders == 0
        elif is_hopeless(attackers, defenders, species, profile):
            assert (odds.win, odds.empty, odds.defenders[-1]) == (0, 0, 1)
            assert (odds.expected_attackers, odds.expected_defenders) == (0, defenders)
        else:
            exact = outcomes_of(attackers, defenders, species, profile)
            found = [odds.empty, *odds.defenders, *odds.attackers]
            assert_allclose(found, list(map(float, exact)), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(("attackers", "defenders"), [(3, 5), (5, 4), (4, 4), (2, 7), (1, 9), (100, 255), (255, 254)])
def test_expected_survivors_have_their_closed_forms(attackers: int, defenders: int) -> None:
    p = float(win_probability(attackers, defenders, PROFILES["official"]))
    odds = battle_odds(attackers, defenders, against_humans=False)
    assert odds.win == pytest.approx(p)
    assert odds.expected_attackers == pytest.approx(attackers * p**2)
    assert odds.expected_defenders == pytest.approx(defenders * (1 - p) ** 2)
    if attackers < defenders:
        odds = battle_odds(attackers, defenders, against_humans=True)
        ratio = attackers / defenders
        assert odds.expected_attackers == pytest.approx((attackers + defenders) * p**2)
        assert odds.expected_attackers == pytest.approx(attackers * (ratio + ratio**2) / 4)
        assert odds.expected_attackers <= attackers / 2


@pytest.mark.parametrize(("attackers", "defenders"), [(0, 3), (3, 0), (256, 3), (3, 256), (-1, 3)])
def test_odds_of_what_is_no_battle_are_refused_in_a_sentence(attackers: int, defenders: int) -> None:
    with pytest.raises(JouteError, match="units in a battle must be 1 to 255"):
        battle_odds(attackers, defenders, against_humans=False)
