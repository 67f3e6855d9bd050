"""`forget`: an agent that has analyzed other positions then analyzes as a new agent does."""

from __future__ import annotations

from typing import Any

import pytest

from joute import Random, State, agent, new
from joute.agents import agent_types
from joute.agents.alphazero import AlphaZero
from joute.agents.search import SearchAgent, SearchWrapper

# Limits for a short search.
SMALL = {"iterations": 20, "nodes": 300, "level": 1}


def positions(game: str) -> list[State]:
    """The start of a game, and positions after a few random moves each."""
    rng, state = Random(1), new(game)
    found = []
    for _ in range(3):
        while state.is_chance:
            state = state.resolve(0)
        found.append(state)
        state = state.play(state.random_move(rng), rng)
    return found


def spec_of(kind: Any) -> str:
    names = [parameter.name for parameter in kind.described_parameters]
    settings = ",".join(f"{name}={SMALL[name]}" for name in names if name in SMALL)
    return f"{kind.name}:{settings}" if settings else kind.name


@pytest.mark.filterwarnings("ignore:alphazero has no network")
def test_an_agent_that_forgets_analyzes_as_a_new_one(game: str) -> None:
    first, *others = positions(game)
    for kind in agent_types(game):
        spec = spec_of(kind)
        used: Any = agent(spec, game=game, seed=3)
        if not hasattr(used, "forget"):
            assert not isinstance(used, SearchAgent | SearchWrapper | AlphaZero)
            continue
        for state in (*others, first):
            used.forget()
            fresh: Any = agent(spec, game=game, seed=3)
            for lines in (1, None):
                assert used.analyze(state, lines=lines) == fresh.analyze(state, lines=lines), (spec, state, lines)


def test_a_tree_search_that_does_not_forget_analyzes_differently() -> None:
    used: Any = agent("mcts:iterations=60", seed=3)
    state = new("connect4")
    once = used.analyze(state)
    assert used.analyze(state) != once
    used.forget()
    assert used.analyze(state) == once
