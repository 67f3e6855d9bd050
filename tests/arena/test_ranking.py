"""Ranks: by points where all met equally often, never against the ratings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from joute.arena.ranking import BY_ELO, BY_POINTS, ranking
from joute.match.ratings import RatedGame, rate


def test_points_decide_where_all_met_equally_often() -> None:
    found = ranking([100.0, -20.0, -80.0], {(0, 1): (0.5, 1.5), (0, 2): (2.0, 0.0), (1, 2): (0.5, 1.5)})
    assert (found.order, found.decided_by) == ((0, 1, 2), BY_POINTS)


def test_ratings_decide_where_some_met_more_often() -> None:
    points = {(0, 1): (2.0, 0.0), (0, 2): (1.0, 3.0), (1, 2): (0.0, 2.0)}
    found = ranking([10.0, -50.0, 40.0], points)
    assert (found.order, found.decided_by) == ((2, 0, 1), BY_ELO)
    assert ranking([10.0, 0.0, 40.0], {(0, 1): (1.0, 1.0), (0, 2): (1.0, 1.0)}).decided_by == BY_ELO


def test_points_never_contradict_ratings() -> None:
    found = ranking([50.0, -40.0, -10.0], {(0, 1): (2.0, 0.0), (0, 2): (1.5, 0.5), (1, 2): (2.0, 0.0)})
    assert (found.order, found.decided_by) == ((0, 2, 1), BY_ELO)


def test_games_with_each_other_break_ties_then_sonneborn_berger_then_the_order_of_the_plan() -> None:
    # 1 and 2 have two points each, and 2 won their games.
    direct = {
        (0, 1): (1.0, 1.0), (0, 2): (2.0, 0.0), (0, 3): (2.0, 0.0),
        (1, 2): (0.0, 2.0), (1, 3): (1.0, 1.0), (2, 3): (0.0, 2.0),
    }  # fmt: skip
    assert ranking([9.0, 0.0, 0.0, 0.5], direct).order == (0, 3, 2, 1)
    # 1 and 2 drew with each other; 2 has its points against the stronger opponent.
    weighted = {
        (0, 1): (2.0, 0.0), (0, 2): (1.0, 1.0), (0, 3): (2.0, 0.0),
        (1, 2): (1.0, 1.0), (1, 3): (2.0, 0.0), (2, 3): (1.0, 1.0),
    }  # fmt: skip
    assert ranking([9.0, 0.0, 0.0, -9.0], weighted).order == (0, 2, 1, 3)
    drawn = dict.fromkeys(itertools.combinations(range(3), 2), (1.0, 1.0))
    assert ranking([0.0, 0.0, 0.0], drawn).order == (0, 1, 2)


def test_absent_agents_are_last_and_agents_without_games_after_them() -> None:
    nan = float("nan")
    points = {(0, 2): (0.0, 2.0), (0, 3): (0.0, 2.0), (2, 3): (0.5, 1.5)}
    found = ranking([nan, nan, -30.0, 30.0], points, absent={0})
    assert (found.order, found.decided_by) == ((3, 2, 0, 1), BY_POINTS)


@pytest.mark.parametrize("games", [1, 3])
def test_ranks_agree_with_likelihoods_also_after_an_odd_number_of_games(games: int) -> None:
    """Some agents had the first move more often, so that points do not tell everything."""
    rng = np.random.default_rng(games)
    decided = set()
    for _ in range(10):
        played = [
            RatedGame(*((i, j) if (i + j + number) % 2 else (j, i)), float(rng.random() < 0.8), pair=number)
            for i, j in itertools.combinations(range(6), 2)
            for number in range(games)
        ]
        points = {players: [0.0, 0.0] for players in itertools.combinations(range(6), 2)}
        for game in played:
            pairing = min(game.first, game.second), max(game.first, game.second)
            points[pairing][game.first > game.second] += game.points
            points[pairing][game.first < game.second] += 1 - game.points
        found = rate(6, played, may_be_infinite=False)
        order = ranking([rating.elo for rating in found.ratings], {key: (a, b) for key, (a, b) in points.items()})
        decided.add(order.decided_by)
        for above, below in itertools.combinations(order.order, 2):
            assert found.superiority(above, below) >= 0.5
    assert BY_ELO in decided
