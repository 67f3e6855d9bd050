"""The random agent: plays a legal move drawn uniformly."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import Random
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.games import Move, State


@dataclass(frozen=True)
class RandomParameters:
    """The random agent has no parameters."""


class RandomAgent:
    """Plays a legal move drawn uniformly."""

    def __init__(self, parameters: RandomParameters, seed: int) -> None:
        self._rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return a legal move drawn uniformly."""
        move: Move = state.random_move(self._rng)
        return move


RANDOM = AgentType("random", "plays any legal move, each as likely", RandomParameters, RandomAgent)
