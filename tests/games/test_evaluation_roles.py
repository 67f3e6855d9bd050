"""Which evaluation serves where none is named: one move ahead, in searches, in engines."""

from __future__ import annotations

from typing import Any

import pytest

from joute import Clock, agent, new
from joute.agents.search import evaluation_of
from joute.games import State, find_game, game_names

EVALUATIONS = [("first", "the simplest"), ("second", "better"), ("third", "the strongest")]


def game_with(**attributes: Any) -> type[State]:
    """A game of that many evaluations, a subclass of one that is complete."""
    return type("Evaluated", (type(new("tictactoe")),), {"evaluations": EVALUATIONS, **attributes})


def test_without_roles_the_first_is_greedy_and_the_last_the_default_and_the_engine_s() -> None:
    game = game_with()
    assert [game.evaluation_for(role) for role in ("greedy", "default", "engine")] == ["first", "third", "third"]


def test_roles_that_a_game_gives_count_and_the_engine_follows_the_default() -> None:
    game = game_with(evaluation_roles={"greedy": "second", "default": "first"})
    assert [game.evaluation_for(role) for role in ("greedy", "default", "engine")] == ["second", "first", "first"]
    game = game_with(evaluation_roles={"engine": "second"})
    assert [game.evaluation_for(role) for role in ("greedy", "default", "engine")] == ["first", "third", "second"]


def test_a_game_without_evaluations_has_none_in_any_role() -> None:
    game = game_with(evaluations=[])
    assert [game.evaluation_for(role) for role in ("greedy", "default", "engine")] == [None, None, None]
    assert evaluation_of("", game) is None


def test_unknown_roles_and_evaluations_are_refused_when_the_class_is_made() -> None:
    with pytest.raises(TypeError, match="evaluations have no role 'best', only greedy, default, engine"):
        game_with(evaluation_roles={"best": "first"})
    with pytest.raises(TypeError, match="no evaluation 'fourth' for the role engine"):
        game_with(evaluation_roles={"engine": "fourth"})


@pytest.mark.parametrize("name", [name for name in game_names() if find_game(name).evaluations])
def test_evaluate_and_searches_take_the_evaluation_of_their_role(name: str) -> None:
    state = new(name)
    game = type(state)
    greedy = game.evaluation_for("greedy")
    while not state.is_terminal and not state.is_chance and state.ply < 12:
        assert state.evaluate(0) == state.evaluate(0, greedy)
        state = state.play(agent("greedy", seed=state.ply).choose(state, Clock()))
    found = evaluation_of("", game)
    if isinstance(found, str):
        assert found == game.evaluation_for("default")


def test_greedy_asks_the_evaluation_of_its_role() -> None:
    asked: set[str | None] = set()

    def evaluate(self: State, for_player: int, name: str | None = None) -> float:
        asked.add(name)
        return 0.0

    state = game_with(evaluate=evaluate, evaluation_roles={"greedy": "second"}).new()
    agent("greedy").choose(state, Clock())
    assert asked == {"second"}
