"""The greedy player that the course hands out with Avalam (Polytechnique Montréal, INF8215, 2022)."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import Random
from joute.agents.agent import SearchInfo
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.games import Move, State
from joute.games.avalam.state import Avalam
from joute.spec import parameter


@dataclass(frozen=True)
class AvalamGreedyParameters:
    """Parameters of the course's greedy player."""

    greed: float = parameter(
        0.8,
        help="probability of the best move; otherwise a legal move drawn uniformly",
        source="the course",
        low=0,
        high=1,
    )


class AvalamGreedyAgent:
    """Makes the highest own tower it can, else the lowest tower of the opponent's.

    Ties are broken at random; the course's description does not specify it.
    """

    info: SearchInfo | None = None

    def __init__(self, parameters: AvalamGreedyParameters, seed: int) -> None:
        self._greed = parameters.greed
        self._rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the move that makes the best tower, or a random one."""
        assert isinstance(state, Avalam)
        if self._rng.uniform() >= self._greed:
            return state.random_move(self._rng)
        values = [(tower_for_mover(state, move), move) for move in state.legal_moves]
        best = max(value for value, _ in values)
        move: Move = self._rng.choice([move for value, move in values if value == best])
        return move


def tower_for_mover(state: Avalam, move: Move) -> int:
    """Return the height of the tower that a move makes, negative if it is the opponent's.

    >>> import joute
    >>> start = joute.new("avalam")
    >>> [tower_for_mover(start, start.parse_move(text)) for text in ("c1d1", "d1c1")]
    [2, -2]
    """
    text = str(move)
    moved, below = _tower(state, text[:2]), _tower(state, text[2:])
    height = abs(moved) + abs(below)
    return height if (moved > 0) == (state.to_move == 0) else -height


def _tower(state: Avalam, cell: str) -> int:
    return state.tower_at(int(cell[1]) - 1, "abcdefghi".index(cell[0]))


AVALAM_GREEDY = AgentType(
    "avalam-greedy", "the course's greedy player", AvalamGreedyParameters, AvalamGreedyAgent, ("avalam",)
)
