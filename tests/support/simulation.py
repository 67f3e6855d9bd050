"""Tournaments without games: a schedule, results by the lot, and a pool whose workers are as slow as the lot has it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from joute.arena.schedules.schedule import FinishedGame, Pairing, Schedule

Outcome = Callable[[Pairing], FinishedGame]


def by_lot(seed: int, *, absent: frozenset[int] = frozenset(), draws: float = 0.3, margins: int = 0) -> Outcome:
    """Results that depend on the game alone; agents that are `absent` never start."""

    def outcome(game: Pairing) -> FinishedGame:
        rng = random.Random(f"{seed} {game}")
        missing = absent & set(game.players)
        if missing:
            first_lost, second_lost = (player in missing for player in game.players)
            return FinishedGame(
                game.players, second_lost - first_lost, failed_without_move=frozenset(missing), opening=game.opening
            )
        result = 0 if rng.random() < draws else rng.choice((-1, 1))
        margin = rng.randint(-margins, margins)
        return FinishedGame(game.players, result, margin, opening=game.opening, line=f"{game.number}")

    return outcome


def by_seed(game: Pairing) -> FinishedGame:
    """The agent that the plan names earlier wins."""
    return FinishedGame(game.players, 1 if game.players[0] < game.players[1] else -1, opening=game.opening)


def in_order(schedule: Schedule, outcome: Outcome) -> dict[int, FinishedGame]:
    """All games, one after another."""
    results: dict[int, FinishedGame] = {}
    for game in schedule.pairings(results):
        assert game is not None
        assert game.number == len(results)
        results[game.number] = outcome(game)
    return results


def disturbed(
    schedule: Schedule, outcome: Outcome, rng: Any, *, workers: int, stop: float = 0.0
) -> dict[int, FinishedGame]:
    """All games, some at once, which end in any order; with the chance `stop` all is killed after a result."""
    results: dict[int, FinishedGame] = {}
    while True:
        pairings = schedule.pairings(results)
        stored = frozenset(results)
        under_way: list[Pairing] = []
        is_stopped = False
        while not is_stopped:
            while len(under_way) < workers:
                game = next(pairings, None)
                if game is None:
                    break
                if game.number not in stored:
                    under_way.append(game)
            if not under_way:
                return results
            game = under_way.pop(rng.randrange(len(under_way)))
            assert game.number not in results
            results[game.number] = outcome(game)
            is_stopped = rng.random() < stop
