"""The greedy player that the course hands out with Divercité (Polytechnique Montréal, INF8175, 2024)."""

from __future__ import annotations

from dataclasses import dataclass

from joute.agents.agent import SearchInfo
from joute.agents.clock import Clock
from joute.agents.paper_version import PaperVersion
from joute.agents.registry import AgentType
from joute.games import Move, State
from joute.games.divercite.state import Divercite


@dataclass(frozen=True)
class DiverciteGreedyParameters(PaperVersion):
    """With its error or without."""


class DiverciteGreedyAgent:
    """Means to play what gives it most points at once, whatever that gives the opponent; nothing in it is random.

    The course's program never updates the best score that it compares with, so it plays the last move, in generated
    order, that gives more points than the first one does; the first where none does. Corrected, it plays the first
    of the moves that give most. The agent `greedy` looks at both players' points.
    """

    def __init__(self, parameters: DiverciteGreedyParameters, seed: int) -> None:
        self._is_faithful = parameters.is_faithful
        self.info: SearchInfo | None = None

    def choose(self, state: State, clock: Clock) -> Move:
        """The move of the greatest score, or what the course's program takes for it."""
        assert isinstance(state, Divercite)
        own = state.to_move
        best_move: Move = None
        best_score = 0
        for move in state.legal_moves:
            score = state.play(move).scores[own]
            if best_move is None:
                best_move, best_score = move, score
            elif score > best_score:
                best_move = move
                if not self._is_faithful:
                    best_score = score
        return best_move


DIVERCITE_GREEDY = AgentType(
    "divercite-greedy",
    "the course's greedy player",
    DiverciteGreedyParameters,
    DiverciteGreedyAgent,
    ("divercite",),
)
