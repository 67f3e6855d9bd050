"""Bayesian ratings: finite, equal to a sampled posterior, and as certain as simulated classes allow."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from simulated_tournaments import CLASSES, Classroom

from joute.match.posterior import Posterior
from joute.match.rated_games import GameTable
from joute.match.ratings import BAYESIAN, LIKELIHOOD, RatedGame, Ratings, rate
from joute.match.statistics import ELO_A_NAT


def pairs(a: int, b: int, *points: float) -> list[RatedGame]:
    """Games of two agents with these points for A, colours swapped."""
    return [
        RatedGame(a, b, scored, pair=number // 2) if number % 2 == 0 else RatedGame(b, a, 1 - scored, pair=number // 2)
        for number, scored in enumerate(points)
    ]


# One agent won everything, one lost everything, and two are in between.
GAMES = [
    *pairs(0, 1, 1, 1), *pairs(0, 2, 1, 1), *pairs(0, 3, 1, 1),
    *pairs(1, 2, 1, 0.5), *pairs(1, 3, 1, 1), *pairs(2, 3, 1, 1),
]  # fmt: skip


def rated(count: int, games: list[RatedGame], **options: object) -> Ratings:
    return rate(count, games, may_be_infinite=False, **options)  # type: ignore[arg-type]


def test_all_ratings_are_finite_and_the_method_is_named() -> None:
    found = rated(4, GAMES)
    assert found.method == BAYESIAN
    assert "prior" in found.method_text
    assert found.reference == "0 is the mean of 4 agents"
    elos = [rating.elo for rating in found.ratings]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) == pytest.approx(0, abs=1e-6)
    assert all(math.isfinite(rating.low + rating.high) for rating in found.ratings)
    assert not np.isnan(found.covariance).any()
    # The games bound the unbeaten agent from below, and only the prior bounds it from above.
    best = found.ratings[0]
    assert best.high - best.elo > 1.1 * (best.elo - best.low)


def test_finite_ratings_stay_those_of_maximum_likelihood() -> None:
    games = [*pairs(0, 1, 1, 0.5, 1, 0), *pairs(1, 2, 1, 0, 1, 1), *pairs(0, 2, 0, 1, 1, 0.5)]
    plain, found = rate(3, games), rated(3, games)
    assert found.method == LIKELIHOOD
    assert found.ratings == plain.ratings
    assert (found.los == plain.los).all()


def test_the_posterior_equals_a_sampled_one() -> None:
    """Samples of the prior, weighted by the likelihood, count as 10,000 samples of the posterior.

    Ends of intervals may differ by half a standard deviation: the tail of an unbeaten agent is longer than normal.
    """
    posterior = Posterior(GameTable(4, GAMES), {4: 0.0})
    rng = np.random.default_rng(1)
    count = 300_000
    spreads = np.exp(rng.normal(math.log(300 / ELO_A_NAT), 0.5, count))
    strengths = rng.normal(0, 1, (count, 4)) * spreads[:, None]
    log_likelihood = np.zeros(count)
    for game in GAMES:
        ahead = strengths[:, game.first] - strengths[:, game.second]
        log_likelihood += game.points * ahead - np.logaddexp(0, ahead)
    weights = np.exp((log_likelihood - log_likelihood.max()) / posterior.dispersion)
    weights /= weights.sum()
    assert 1 / (weights**2).sum() > 5_000
    strengths -= strengths.mean(axis=1, keepdims=True)
    for agent in range(4):
        own = strengths[:, agent]
        mean = weights @ own
        deviation = math.sqrt(weights @ (own - mean) ** 2)
        assert posterior.mean[agent] == pytest.approx(mean, abs=0.05 * deviation)
        assert math.sqrt(posterior.covariance[agent, agent]) == pytest.approx(deviation, rel=0.15)
        order = np.argsort(own)
        shares = np.cumsum(weights[order])
        for share in (0.025, 0.975):
            sampled = own[order][np.searchsorted(shares, share)]
            assert posterior.quantile(agent, share) == pytest.approx(sampled, abs=0.5 * deviation)
    for i, j in itertools.combinations(range(4), 2):
        assert posterior.superiority(i, j) == pytest.approx(weights @ (strengths[:, i] > strengths[:, j]), abs=0.02)
    assert posterior.spread == pytest.approx(weights @ spreads, rel=0.05)


def test_more_points_in_an_equal_round_robin_are_a_higher_rating_and_equal_points_an_equal_one() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        games = [
            game
            for i, j in itertools.combinations(range(7), 2)
            for game in pairs(i, j, *(1.0 if i == 0 else rng.choice((0.0, 0.5, 1.0), p=(0.5, 0.1, 0.4)) for _ in "12"))
        ]
        found = rated(7, games)
        assert found.method == BAYESIAN
        points = np.zeros(7)
        for game in games:
            points[game.first] += game.points
            points[game.second] += 1 - game.points
        for i, j in itertools.permutations(range(7), 2):
            if points[i] > points[j]:
                assert found.ratings[i].elo > found.ratings[j].elo
                assert found.los[i, j] > 0.5
            elif points[i] == points[j]:
                assert found.ratings[i].elo == pytest.approx(found.ratings[j].elo, abs=1e-4)
                assert found.los[i, j] == 0.5


def test_the_prior_does_not_hide_that_agents_are_far_apart() -> None:
    """A ladder on which everybody beats all below: the more games, the wider."""
    tops = []
    for games in (2, 10, 40):
        ladder = [game for i, j in itertools.combinations(range(5), 2) for game in pairs(i, j, *[1.0] * games)]
        found = rated(5, ladder)
        assert found.los[0, 1] == pytest.approx(1 - found.los[1, 0])
        tops.append(found.ratings[0].elo)
    assert 300 < tops[0] < tops[1] < tops[2]
    assert found.los[0, 1] > 0.975


def test_anchors_stay_and_agents_without_games_are_unknown() -> None:
    found = rated(5, GAMES, anchors={2: 1500.0}, names="abcde")
    assert found.reference == "c is 1500"
    assert found.ratings[2].elo == found.ratings[2].low == found.ratings[2].high == 1500
    assert found.ratings[0].elo > 1500 > found.ratings[3].elo
    assert math.isnan(found.ratings[4].elo)
    assert found.los[0, 4] == 0.5
    assert np.isnan(found.covariance[4]).all()
    assert rated(5, GAMES).reference == "0 is the mean of 4 of 5 agents"


def test_agents_without_a_chain_of_games_are_rated_but_not_connected() -> None:
    found = rated(4, [*pairs(0, 1, 1, 0.5), *pairs(2, 3, 1, 1)])
    assert found.method == BAYESIAN
    assert not found.is_connected
    assert all(math.isfinite(rating.elo) for rating in found.ratings)
    assert rated(4, GAMES).is_connected


def test_repeated_games_do_not_move_a_rating() -> None:
    once = [RatedGame(game.first, game.second, game.points, game.pair, line=n) for n, game in enumerate(GAMES)]
    copies = [
        RatedGame(game.first, game.second, game.points, (game.pair, copy), game.line)
        for copy in range(5)
        for game in once
    ]
    for one, many in zip(rated(4, once).ratings, rated(4, copies).ratings, strict=True):
        assert (one.elo, one.low, one.high) == pytest.approx((many.elo, many.low, many.high), abs=1e-3)


def test_intervals_cover_and_ranks_agree_with_likelihoods_in_simulated_classes() -> None:
    """Of 200 intervals, two standard deviations around 95%; the table of docs/ratings.md has many more."""
    kinds = [Classroom(6, 2, 200), Classroom(6, 4, 400, forfeits=True), Classroom(12, 2, 400, forfeits=True)]
    results = [kind.play((1, number, each)) for number, kind in enumerate(kinds) for each in range(72 // kind.agents)]
    assert {result.is_bayesian for result in results} == {False, True}
    assert sum(result.contradictions for result in results) == 0
    for covered in ("covered", "covered_by_posterior"):
        shares = [share for result in results for share in getattr(result, covered)]
        assert 0.92 <= np.mean(shares) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSES, ids=str)
def test_intervals_cover_in_92_to_98_percent_of_many_simulated_classes(kind: Classroom) -> None:
    results = [kind.play((2, each)) for each in range(1500 // kind.agents)]
    assert sum(result.contradictions for result in results) == 0
    for covered in ("covered", "covered_by_posterior"):
        assert 0.92 <= np.mean([share for result in results for share in getattr(result, covered)]) <= 0.98
