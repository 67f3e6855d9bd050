"""Agents whose strength is a known function of their parameters: games are drawn, not played."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from joute.arena.schedules.schedule import FinishedGame, Pairing
from joute.match.statistics import score_of
from joute.spec import Value, value_text
from joute.tune.model import read_point
from joute.tune.schedule import FIRST_TEST, Tuning, TuningSettings
from joute.tune.space import Dimension, Space

#: Strength in Elo as a function of the values of the parameters.
Strength = Callable[[Mapping[str, Value]], float]


def number(name: str, base: float, low: float = 0.0, high: float = 1.0, *, is_log: bool = False) -> Dimension:
    return Dimension(name, base, low, high, is_log)


def tuning(space: Space, games: int, method: str = "spsa", **settings: Any) -> Tuning:
    """A tuning with one test, on openings without end."""
    values: dict[str, Any] = {"tuning_openings": 1000, "test_openings": 1000, "test_games": games, **settings}
    known = TuningSettings(over=space.text, method=method, **values)
    return Tuning(FIRST_TEST + 2 * known.tests, games, known)


def drawn_game(schedule: Tuning, game: Pairing, strength: Strength, seed: int, *, draws: float = 0.3) -> FinishedGame:
    """A game drawn by the strength of both sides; it depends on the seed, the game's number and the settings alone."""
    space = schedule.space
    elos = [
        strength(dict(zip(space.names, read_point(space, settings) if settings else space.base, strict=True)))
        for settings in game.settings
    ]
    score = score_of(elos[0] - elos[1])
    drawn = 2 * draws * min(score, 1 - score)
    chance = random.Random(f"{seed} {game.number} {game.settings}").random()
    outcome = 1 if chance < score - drawn / 2 else 0 if chance < score + drawn / 2 else -1
    return FinishedGame(game.players, outcome, opening=game.opening, line=str(game.number), settings=game.settings)


def played(
    schedule: Tuning,
    strength: Strength,
    *,
    seed: int = 0,
    workers: int = 1,
    kills: float = 0.0,
) -> dict[int, FinishedGame]:
    """The results of a tuning by several workers whose games end in any order.

    Before each end of a game all is killed with the probability `kills`: the games in progress are lost, and the
    schedule is asked again with the results so far.
    """
    order = random.Random(seed)
    results: dict[int, FinishedGame] = {}
    running: list[Pairing] = []
    pairings = schedule.pairings(results)
    while True:
        while len(running) < workers and (game := next(pairings, None)):
            if game.number not in results:
                running.append(game)
            else:
                assert results[game.number].settings == game.settings
        if not running:
            return results
        if order.random() < kills:
            running.clear()
            pairings = schedule.pairings(results)
            continue
        ended = running.pop(order.randrange(len(running)))
        results[ended.number] = drawn_game(schedule, ended, strength, seed)


def bowl(at: Mapping[str, float], curvature: float = 400.0) -> Strength:
    """Strength that falls with the square of the distance from the best values, which is in the ranges' units."""

    def strength(values: Mapping[str, Value]) -> float:
        return -sum(curvature * (float(values[name]) - best) ** 2 for name, best in at.items())

    return strength


def text(values: Mapping[str, Value]) -> str:
    return ",".join(f"{name}={value_text(value)}" for name, value in values.items())
