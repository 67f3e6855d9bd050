"""The agent that plays any legal move, each as likely."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import Random
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.games import Move, State


@dataclass(frozen=True)
class RandomParameters:
    """It has none."""


class RandomAgent:
    """Plays a legal move drawn uniformly."""

    def __init__(self, parameters: RandomParameters, seed: int) -> None:
        self._rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Move:
        """Any legal move."""
        move: Move = state.random_move(self._rng)
        return move


RANDOM = AgentType("random", "plays any legal move, each as likely", RandomParameters, RandomAgent)
