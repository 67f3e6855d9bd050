"""Figures show the numbers of the games."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

import joute
from joute.arena.plan import make_plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.standings import Standings
from joute.errors import JouteError
from joute.match import MatchResult, play_match
from joute.sweeps.grid import Grid
from joute.sweeps.sweep import SettingResult, SweepResult


def numbers(data: Any) -> list[float]:
    """The coordinates of a line."""
    return [float(value) for value in data]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Draw without a screen and close every figure."""
    import matplotlib

    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.fixture(scope="module")
def match() -> MatchResult:
    return play_match("connect4", "mcts:iterations=20", "greedy", games=4, seed=1)


def test_time_use_is_the_mean_time_of_two_plies(match: MatchResult) -> None:
    record = match.records[0]
    ax = joute.plot.time_use(record)
    first = next(line for line in ax.lines if line.get_label() == record.players[0])
    assert numbers(first.get_xdata())[:3] == [0, 2, 4]
    assert numbers(first.get_ydata()) == [played.time_s for played in record.moves if played.player == 0]
    assert ax.get_ylabel() == "seconds for a move"
    assert {line.get_label() for line in joute.plot.time_use(match).lines} == {match.a, match.b}


def test_score_by_ply_draws_stated_values_into_the_given_axes(match: MatchResult) -> None:
    ax = joute.plot.time_use(match)
    count = len(ax.lines)
    assert joute.plot.score_by_ply(match.records, ax=ax) is ax
    stated = next(line for line in ax.lines[count:] if line.get_label() == match.a)
    assert all(0 <= value <= 1 for value in numbers(stated.get_ydata()))
    with pytest.raises(JouteError, match="states the value"):
        joute.plot.score_by_ply(joute.play_game("connect4", "random", "random"))


def test_ratings_are_drawn_best_first_and_open_intervals_end_in_arrows(match: MatchResult) -> None:
    standings = Standings(make_plan("connect4", ["greedy", "random"]))
    won = play_match("connect4", "greedy", "random", games=12, seed=1)
    for number, (record, a_first) in enumerate(zip(won.records, won.a_first, strict=True)):
        if record.winner == (0 if a_first else 1):
            standings.add(Pairing(number, (0, 1) if a_first else (1, 0), 0), record)
    rating = standings.ratings().ratings[0]
    assert math.isinf(rating.elo)
    ax = joute.plot.ratings(standings)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["greedy", "random"]
    assert {line.get_marker() for line in ax.lines} >= {"<", ">"}


def test_a_sweep_is_a_curve_for_each_value_of_the_other_variable(match: MatchResult) -> None:
    grid = Grid.parse("mcts:c={0.5,1,2},iterations={10,20}")
    results = tuple(SettingResult(setting, match, (0.1, 0.9), may_be_best=True) for setting in grid.settings)
    ax = joute.plot.sweep(SweepResult("connect4", grid, "greedy", results, 24, 24))
    assert ax.get_xlabel() == "c"
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["iterations=10", "iterations=20"]
    names = Grid.parse("{greedy,random}")
    words = tuple(SettingResult(setting, match, (0.1, 0.9), may_be_best=True) for setting in names.settings)
    with pytest.raises(JouteError, match="no variable"):
        joute.plot.sweep(SweepResult("connect4", names, "greedy", words, 8, 8))


def test_a_wide_sweep_names_its_values_and_draws_intervals_side_by_side(match: MatchResult) -> None:
    grid = Grid.parse("mcts:c={1,2},iterations={10,40,160}")
    results = tuple(SettingResult(setting, match, (0.1, 0.9), may_be_best=True) for setting in grid.settings)
    ax = joute.plot.sweep(SweepResult("connect4", grid, "greedy", results, 24, 24))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "40", "160"]
    curves: Any = ax.containers
    first, second = (numbers(curve.lines[0].get_xdata()) for curve in curves)
    assert all(a < value < b for a, value, b in zip(first, (10, 40, 160), second, strict=True))
