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
    """The version, with or without the error of the course's program."""


class DiverciteGreedyAgent:
    """Intended to play the move with the most own points, ignoring the opponent's; it is deterministic.

    The course's program never updates its best score: it plays the last move, in generation order, that gives more
    points than the first move, or the first move if there is none. The corrected version plays the first of the moves
    with the most points. The agent `greedy` considers both players' points.
    """

    def __init__(self, parameters: DiverciteGreedyParameters, seed: int) -> None:
        self._is_faithful = parameters.is_faithful
        self.info: SearchInfo | None = None

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the move with the highest score; if faithful, the move that the course's program would play."""
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
