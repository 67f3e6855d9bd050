"""Ratings: equal to other programs', right with few games, and never more certain than the games allow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from simulated_tournaments import EXTREMES, SCENARIOS, Scenario, coverage

from joute import JouteError
from joute.match.ratings import RatedGame, Ratings, rate
from joute.match.statistics import ELO_A_NAT, elo_of


def elos(found: Ratings) -> list[float]:
    return [rating.elo for rating in found.ratings]


def head_to_head(a: int, b: int, wins: int, draws: int, losses: int) -> Iterable[RatedGame]:
    """The games of two agents, A first in every other."""
    points = [1.0] * wins + [0.5] * draws + [0.0] * losses
    for number, scored in enumerate(points):
        yield RatedGame(a, b, scored) if number % 2 == 0 else RatedGame(b, a, 1 - scored)


def random_games(agents: int, count: int, seed: int, *, draws: float = 0.0) -> list[RatedGame]:
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 1, agents)
    games = []
    for _ in range(count):
        i, j = rng.choice(agents, 2, replace=False).tolist()
        won = rng.random() < 1 / (1 + math.exp(strength[j] - strength[i]))
        games.append(RatedGame(i, j, 0.5 if rng.random() < draws else float(won)))
    return games


@pytest.mark.parametrize("seed", range(3))
def test_ratings_equal_those_of_choix(seed: int) -> None:
    import choix  # here, because SciPy takes seconds to import

    games = random_games(8, 300, seed)
    wins = [(g.first, g.second) if g.points == 1 else (g.second, g.first) for g in games]
    ours = np.array(elos(rate(8, games, first_move=0))) / ELO_A_NAT
    for theirs in (choix.ilsr_pairwise(8, wins, max_iter=1000, tol=1e-12), choix.opt_pairwise(8, wins, tol=1e-12)):
        assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)


# Ordo puts 202 Elo, unless its option -z says otherwise, where Elo's formula has 200.24: at a score of 76%.
ORDO_SCALE = 202 / elo_of(0.76)

# A gauntlet with Ordo's ratings, its white advantage and its table of all results, in the README of the chess program
# Zevra 1.8.6 (github.com/sovaz1997/Zevra): two versions of it against five others, 700 games each, 1.8.5 anchored.
ZEVRA = ("GreKo 2018.08", "Galjoen 0.39.2", "Zevra v1.8.6", "CT800 V1.31", "Baislicka", "Zevra v1.8.5", "Hedgehog 1.9")
ZEVRA_RATINGS = (2804.4, 2418.8, 2303.4, 2266.1, 2253.4, 2250.0, 2198.8)
ZEVRA_WHITE_ADVANTAGE = 26.71
ZEVRA_RESULTS = {
    (2, 0): (12, 48, 640), (2, 1): (162, 155, 383), (2, 3): (313, 142, 245), (2, 4): (319, 157, 224),
    (2, 6): (368, 180, 152), (5, 0): (12, 38, 650), (5, 1): (127, 134, 439), (5, 3): (256, 162, 282),
    (5, 4): (274, 149, 277), (5, 6): (312, 163, 225),
}  # fmt: skip


def test_ratings_equal_a_published_list_of_ordo_to_its_digits() -> None:
    games = itertools.chain.from_iterable(head_to_head(a, b, *wdl) for (a, b), wdl in ZEVRA_RESULTS.items())
    advantage = ZEVRA_WHITE_ADVANTAGE / ORDO_SCALE
    found = rate(7, games, anchors={5: 0.0}, names=ZEVRA, first_move=advantage)
    assert found.reference == "Zevra v1.8.5 is 0"
    ours = [2250 + ORDO_SCALE * elo for elo in elos(found)]
    # The published advantage has two digits, which is why the last digit may be off by one at half.
    assert ours == pytest.approx(ZEVRA_RATINGS, abs=0.06)
    # Without the advantage they would not be equal.
    games = itertools.chain.from_iterable(head_to_head(a, b, *wdl) for (a, b), wdl in ZEVRA_RESULTS.items())
    without = [2250 + ORDO_SCALE * elo for elo in elos(rate(7, games, anchors={5: 0.0}, first_move=0))]
    assert max(abs(np.array(without) - ZEVRA_RATINGS)) > 1


@pytest.mark.parametrize(
    ("points", "games", "difference"),
    # Two programs each, Ordo without a white advantage: versions of the README of the chess program Smallbrain, against
    # Stockfish at 1500 (the first three), and the notes of Blunder 8.0.0 on its mobility (the last).
    [(79.5, 100, 237.5), (155.5, 185, 291.3), (113.5, 144, 230.3), (1078.5, 2000, 27.6)],
)
def test_differences_equal_published_ones_of_ordo(points: float, games: int, difference: float) -> None:
    results = head_to_head(0, 1, int(points), int(2 * points) % 2, games - math.ceil(points))
    low, high = elos(rate(2, results, anchors={1: 0.0}, first_move=0))[::-1]
    assert ORDO_SCALE * (high - low) == pytest.approx(difference, abs=0.051)


def test_expected_points_equal_points() -> None:
    games = random_games(5, 200, seed=1, draws=0.3)
    found = rate(5, games)
    advantage = found.first_move.elo
    for agent in range(5):
        expected, points = 0.0, 0.0
        for game in games:
            score = 1 / (1 + 10 ** (-(elos(found)[game.first] - elos(found)[game.second] + advantage) / 400))
            if agent == game.first:
                expected, points = expected + score, points + game.points
            elif agent == game.second:
                expected, points = expected + 1 - score, points + 1 - game.points
        assert expected == pytest.approx(points, abs=1e-6)


def test_the_first_move_has_its_worth_and_an_interval() -> None:
    games = [RatedGame(i, 1 - i, 1.0 if k % 4 else 0.0, pair=k) for k in range(40) for i in (0, 1)]
    found = rate(2, games)
    assert elos(found) == pytest.approx([0, 0], abs=1e-6)
    assert found.first_move.elo == pytest.approx(elo_of(0.75), rel=0.01)
    assert found.first_move.low < elo_of(0.75) < found.first_move.high
    # One opening decides both games of a pair, so 40 pairs tell of the first move what 40 games would.
    apart = rate(2, [RatedGame(game.first, game.second, game.points) for game in games])
    width = (found.first_move.high - found.first_move.low) / (apart.first_move.high - apart.first_move.low)
    assert width == pytest.approx(math.sqrt(2), rel=0.1)
    # Of the agents, they tell that they are equal.
    assert found.ratings[0].high < 0.3 * apart.ratings[0].high


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_the_intervals_cover_in_92_to_98_percent_of_simulated_tournaments(scenario: Scenario) -> None:
    """Two standard deviations of what 200 tournaments show, around 95%."""
    for share in coverage(scenario, 200, seed=1):
        assert 0.92 <= share <= 0.98


@pytest.mark.parametrize("scenario", EXTREMES, ids=lambda scenario: scenario.name)
def test_the_intervals_are_never_too_narrow(scenario: Scenario) -> None:
    assert min(coverage(scenario, 200, seed=1)) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [*SCENARIOS, *EXTREMES], ids=lambda scenario: scenario.name)
def test_the_intervals_cover_in_93_to_97_percent_of_many_simulated_tournaments(scenario: Scenario) -> None:
    shares = coverage(scenario, 500, seed=1)
    assert min(shares) >= 0.93
    assert max(shares) <= 0.97 or scenario in EXTREMES


def test_the_covariance_agrees_with_the_spread_of_simulated_ratings() -> None:
    scenario = Scenario("4 agents", (0, 50, 100, 150), 50, first_move=30, draws=0.5)
    rng = np.random.default_rng(4)
    found = [rate(4, scenario.games(rng)) for _ in range(200)]
    simulated = np.cov(np.array([elos(ratings) for ratings in found]).T)
    mean = np.mean([ratings.covariance for ratings in found], axis=0)
    assert np.sqrt(np.diag(mean)) == pytest.approx(np.sqrt(np.diag(simulated)), rel=0.15)
    assert mean.sum() == pytest.approx(0, abs=1e-6)


def test_the_likelihood_of_superiority_is_right_as_often_as_it_says() -> None:
    """Of agents drawn at random, the one with a LOS of 80 to 90% is the stronger one in 80 to 90% of the cases."""
    rng = np.random.default_rng(6)
    said, right = [], []
    for _ in range(400):
        strength = rng.normal(0, 150, 2)
        scenario = Scenario("2 agents", tuple(strength), 10, draws=0.3)
        los = rate(2, scenario.games(rng)).los[0, 1]
        if 0.6 <= max(los, 1 - los) <= 0.97:
            said.append(max(los, 1 - los))
            right.append((los > 0.5) == (strength[0] > strength[1]))
    assert np.mean(right) == pytest.approx(np.mean(said), abs=0.05)


def test_superiority_is_a_matter_of_two_agents() -> None:
    found = rate(4, random_games(4, 120, seed=2, draws=0.2))
    assert found.los.shape == (4, 4)
    assert found.los + found.los.T == pytest.approx(np.ones((4, 4)))
    assert np.diag(found.los).tolist() == [0.5] * 4
    order = np.argsort(elos(found))
    assert found.los[order[-1], order[0]] > 0.99


def test_draws_and_swapped_colours_narrow_intervals_and_repetitions_do_not() -> None:
    def width(games: Sequence[RatedGame]) -> float:
        rating = rate(2, games).ratings[0]
        return rating.high - rating.low

    rng = np.random.default_rng(1)
    wins = [(float(rng.random() < 0.5), float(rng.random() < 0.5)) for _ in range(50)]
    decisive = [RatedGame(i, 1 - i, points[i], pair=k) for k, points in enumerate(wins) for i in (0, 1)]
    drawn = [RatedGame(i, 1 - i, 0.5, pair=k) for k in range(40) for i in (0, 1)] + decisive[:20]
    assert width(drawn) < 0.6 * width(decisive)

    once = [RatedGame(game.first, game.second, game.points, game.pair, line=n) for n, game in enumerate(decisive)]
    repeated = [
        RatedGame(game.first, game.second, game.points, pair=(game.pair, copy), line=game.line)
        for copy in range(7)
        for game in once
    ]
    assert width(repeated) == pytest.approx(width(once), rel=1e-6)
    assert width(once) == pytest.approx(width(decisive))


def test_an_agent_that_won_everything_has_a_lower_bound_and_no_upper() -> None:
    others = [*head_to_head(1, 2, 5, 2, 3), *head_to_head(1, 3, 6, 0, 4), *head_to_head(2, 3, 4, 4, 2)]
    alone = rate(4, others)
    found = rate(4, [*others, *(game for other in (1, 2, 3) for game in head_to_head(0, other, 10, 0, 0))])
    assert found.ratings[0].elo == found.ratings[0].high == math.inf
    assert 200 < found.ratings[0].low < 1000
    assert found.reference == "0 is the mean of 3 of 4 agents"
    # It says nothing about the others.
    assert elos(found)[1:] == pytest.approx(elos(alone)[1:], abs=1e-3)
    assert found.los[0, 1:].min() > 0.999
    assert np.isnan(found.covariance[0]).all()
    assert not np.isnan(found.covariance[1:, 1:]).any()


def test_more_wins_without_a_loss_raise_the_lower_bound() -> None:
    bounds = [rate(2, head_to_head(0, 1, wins, 0, 0), first_move=0).ratings[0].low for wins in (2, 10, 50)]
    assert bounds == sorted(bounds)
    # A player who expects so much wins all of ten games in one of 20 matches.
    assert bounds[1] == pytest.approx(elo_of(0.05 ** (1 / 10)), abs=0.1)


def test_a_ladder_of_agents_that_always_beat_the_next_refers_to_the_weakest() -> None:
    games = [*head_to_head(0, 1, 6, 0, 0), *head_to_head(1, 2, 6, 0, 0), *head_to_head(0, 2, 6, 0, 0)]
    found = rate(3, games, names=("perfect", "greedy", "random"))
    assert found.reference == "random is 0"
    assert elos(found) == [math.inf, math.inf, 0.0]
    assert found.ratings[0].low > found.ratings[1].low > 0
    assert found.los[0, 1] > 0.9


def test_agents_without_a_chain_of_games_have_no_rating() -> None:
    found = rate(5, [*head_to_head(0, 1, 3, 1, 2), *head_to_head(2, 3, 1, 1, 0)])
    assert found.reference == "0 is the mean of 2 of 5 agents"
    assert [math.isfinite(elo) for elo in elos(found)] == [True, True, False, False, False]
    for rating in found.ratings[2:]:
        assert math.isnan(rating.elo)
        assert (rating.low, rating.high) == (-math.inf, math.inf)
    assert (found.los[0, 2], found.los[0, 4]) == (0.5, 0.5)
    assert found.los[2, 3] > 0.6


def test_agents_that_only_beat_the_same_one_cannot_be_compared() -> None:
    found = rate(3, [*head_to_head(0, 1, 5, 0, 0), *head_to_head(2, 1, 9, 0, 0)])
    assert found.reference == "agent 2 is 0"
    assert elos(found) == [math.inf, 0.0, math.inf]
    assert found.los[0, 2] == 0.5


def test_anchors_stay_where_they_are_and_the_others_follow() -> None:
    games = [*head_to_head(0, 1, 6, 2, 2), *head_to_head(1, 2, 5, 0, 5), *head_to_head(0, 2, 4, 4, 2)]
    free, one = rate(3, games), rate(3, games, anchors={1: 1500.0})
    assert [elo - elos(one)[1] for elo in elos(one)] == pytest.approx([elo - elos(free)[1] for elo in elos(free)])
    assert (one.ratings[1].low, one.ratings[1].high) == (1500.0, 1500.0)
    assert one.covariance[1].tolist() == [0, 0, 0]
    two = rate(3, games, anchors={0: 0.0, 1: 1000.0})
    assert elos(two)[:2] == [0.0, 1000.0]
    assert 200 < elos(two)[2] < 800
    assert two.reference == "agent 1 is 0, agent 2 is 1000"
    assert (two.los[0, 1], two.los[1, 0]) == (0.0, 1.0)


def test_an_anchor_that_lost_everything_still_holds_the_scale() -> None:
    found = rate(3, [*head_to_head(0, 1, 0, 0, 8), *head_to_head(1, 2, 2, 0, 2)], anchors={0: 100.0})
    assert elos(found) == [100.0, math.inf, math.inf]
    assert 100 < found.ratings[1].low < 100 + elo_of(0.05 ** (1 / 8))
    assert found.ratings[2].low < found.ratings[1].low


def test_one_game_gives_a_wide_interval() -> None:
    won, drawn = rate(2, [RatedGame(0, 1, 1.0)]), rate(2, [RatedGame(0, 1, 0.5)])
    assert elos(won) == [math.inf, 0.0]
    assert won.ratings[0].low < -1000
    assert 0.5 < won.los[0, 1] < 0.85
    assert elos(drawn) == pytest.approx([0, 0], abs=1e-6)
    assert drawn.ratings[0].low < -500
    assert drawn.ratings[0].high > 500


def test_colours_that_never_change_say_nothing_of_the_first_move() -> None:
    for points in itertools.product((0.0, 0.5, 1.0), repeat=3):
        found = rate(2, [RatedGame(0, 1, scored) for scored in points])
        assert math.isnan(found.first_move.elo)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_without_games_nothing_is_known(count: int) -> None:
    found = rate(count, [])
    assert len(found.ratings) == count
    assert all(math.isnan(elo) for elo in elos(found))
    assert found.reference == "nothing is known before the first game"
    assert found.los.shape == found.covariance.shape == (count, count)
    assert (found.los == 0.5).all()


def test_games_that_cannot_be_are_refused() -> None:
    with pytest.raises(JouteError, match="a game names agent 2, but there are 2 agents"):
        rate(2, [RatedGame(0, 2, 1.0)])
    with pytest.raises(JouteError, match="against itself"):
        rate(2, [RatedGame(1, 1, 1.0)])
    with pytest.raises(JouteError, match=r"are 0, 0\.5 or 1"):
        rate(2, [RatedGame(0, 1, 2.0)])


def test_many_agents_far_apart_are_rated_too() -> None:
    """A hundred agents, neighbours 100 Elo apart: most games are certain, and the ends are 9,900 Elo away."""
    rng = np.random.default_rng(3)
    truth = 100.0 * np.arange(100)
    games = []
    for i, j in itertools.combinations(range(100), 2):
        for first, second in ((i, j), (j, i)):
            score = 1 / (1 + 10 ** (-(truth[first] - truth[second]) / 400))
            games += [RatedGame(first, second, float(rng.random() < score))]
    found = rate(100, games)
    assert found.reference == "0 is the mean of 100 agents"
    assert np.corrcoef(elos(found), truth)[0, 1] > 0.99
    assert all(rating.low < rating.elo < rating.high for rating in found.ratings)
