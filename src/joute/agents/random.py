"""The random agent: plays a move drawn uniformly from the legal ones, or from the candidates of a game.

A game with too many legal moves to list has candidates (`State.legal_moves`), and the agent draws from those.
"""

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


RANDOM = AgentType(
    "random",
    "plays any legal move, each as likely; any candidate in a game with too many moves to list",
    RandomParameters,
    RandomAgent,
)
