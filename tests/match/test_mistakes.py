"""Judging moves against the truth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from joute import Random, new
from joute.agents import AgentType, register_agent
from joute.agents.random import RandomParameters
from joute.errors import SpecError
from joute.match import measure_mistakes, mistakes
from joute.match.mistakes import judge_of, questions
from joute.match.player import MisconductError


def test_the_perfect_agent_makes_no_mistake() -> None:
    (rate,) = measure_mistakes("connect4", ["perfect:style=random"], positions=25, seed=1)
    assert (rate.total.moves, rate.total.mistakes, rate.total.score_losses) == (25, 0, 0)
    assert rate.total.mistake_interval[1] == pytest.approx(0.13, abs=0.01)


def test_the_share_of_a_random_agent_is_the_share_of_bad_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a random agent should err is known from the values of all moves of the same positions."""
    positions = 200
    asked: list[dict[Any, float]] = []

    def recorded(*arguments: Any, **options: Any) -> Iterator[tuple[Any, dict[Any, float]]]:
        for state, values in questions(*arguments, **options):
            asked.append(values)
            yield state, values

    monkeypatch.setattr(mistakes, "questions", recorded)
    (rate,) = measure_mistakes("connect4", ["random"], positions=positions, seed=2)
    assert len(asked) == positions
    expected_mistakes = expected_losses = 0.0
    for values in asked:
        best = max(values.values())
        best_class = (best > 0) - (best < 0)
        expected_mistakes += sum((v > 0) - (v < 0) < best_class for v in values.values()) / len(values)
        expected_losses += sum(v < best for v in values.values()) / len(values)
    # Five standard errors of a share over 200 moves are at most 0.177.
    assert rate.total.mistake_share == pytest.approx(expected_mistakes / positions, abs=0.177)
    assert rate.total.score_loss_share == pytest.approx(expected_losses / positions, abs=0.177)
    assert 0.3 < rate.total.mistake_share < rate.total.score_loss_share


def test_phases_and_plies_add_up() -> None:
    (rate,) = measure_mistakes("connect4", ["greedy"], positions=80, seed=3)
    for parts in (rate.by_phase.values(), rate.by_ply.values()):
        assert sum(tally.moves for tally in parts) == rate.total.moves == 80
        assert sum(tally.mistakes for tally in parts) == rate.total.mistakes
        assert sum(tally.score_losses for tally in parts) == rate.total.score_losses
    assert all(4 <= ply <= 35 for ply in rate.by_ply)


def test_the_same_seed_asks_the_same_questions() -> None:
    def asked(seed: int) -> list[str]:
        return [state.position for state, _ in islice(questions(new("connect4"), seed=seed, plies=(4, 35)), 20)]

    assert asked(4) == asked(4) != asked(5)


def test_every_question_has_no_win_in_one_and_moves_of_two_classes() -> None:
    for state, values in islice(questions(new("connect4"), seed=6, plies=(4, 35)), 60):
        assert not state.winning_moves
        assert set(values) == set(state.legal_moves)
        assert len({(v > 0) - (v < 0) for v in values.values()}) > 1


def test_a_game_without_a_solver_cannot_be_judged() -> None:
    with pytest.raises(SpecError, match="no agent solves every position of tictactoe"):
        judge_of(new("tictactoe"))


def test_plies_without_a_question_are_refused_rather_than_sought_for_ever() -> None:
    with pytest.raises(SpecError, match="reaches no position at ply 0"):
        # All seven first moves have known values of three classes, but ply 0 of a won game has none.
        next(questions(new("connect4", "1122334"), seed=0, plies=(0, 0)))


def test_an_agent_that_crashes_is_named() -> None:
    class Crashes:
        def __init__(self, parameters: Any, seed: int) -> None:
            self._rng = Random(seed)

        def choose(self, state: Any, clock: Any) -> Any:
            raise RuntimeError("no idea")

    register_agent(AgentType("crashes-at-once", "crashes", RandomParameters, Crashes))
    with pytest.raises(MisconductError, match="crashes-at-once: RuntimeError: no idea"):
        measure_mistakes("connect4", ["crashes-at-once"], positions=1)
