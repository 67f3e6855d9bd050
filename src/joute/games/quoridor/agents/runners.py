"""Players of Quoridor that follow the shortest path: one that never places walls, and the course's greedy player.

The path is computed as in the course's program (INF8215, Polytechnique Montréal, autumn 2021): around the other pawn or
over it. If that pawn plugs the last gap, the program finds no path and its players crash. Joute's players then take the
step with the shortest path by walls alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import QuoridorMove, Random
from joute.agents.agent import SearchInfo
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.games import Move, State
from joute.games.quoridor.state import Quoridor
from joute.spec import parameter


def is_step(move: QuoridorMove) -> bool:
    """Whether a move is a pawn move; otherwise it is a wall."""
    return len(str(move)) == len("e2")


def pawn_moves(state: Quoridor) -> list[QuoridorMove]:
    """Return the pawn's moves in the order of the course's program.

    >>> import joute
    >>> [str(move) for move in pawn_moves(joute.new("quoridor"))]
    ['e2', 'f1', 'd1']
    """
    return [move for move in state.moves("course") if is_step(move)]


def step_to(state: Quoridor, cell: tuple[int, int]) -> QuoridorMove:
    """Return the pawn move to a cell, given as row and column from 0."""
    return state.legal_move("P,{},{}".format(*cell))


def step_towards_goal(state: Quoridor) -> QuoridorMove:
    """Return the first step of a shortest path."""
    path = state.course_path(state.to_move)
    if path:
        return step_to(state, path[0])
    mover = state.to_move
    return min(pawn_moves(state), key=lambda move: state.play(move).distance(mover))


def walls_ahead_of_opponent(state: Quoridor) -> list[QuoridorMove]:
    """Return the legal walls directly in front of the opponent.

    >>> import joute
    >>> [str(move) for move in walls_ahead_of_opponent(joute.new("quoridor"))]
    ['d8h', 'e8h']
    """
    opponent = 1 - state.to_move
    row, column = state.pawn(opponent)
    between = row if opponent == 0 else row - 1
    texts = [f"WH,{between},{anchor}" for anchor in (column - 1, column) if 0 <= anchor < 8]
    return [state.parse_move(text) for text in texts if state.walls_left(state.to_move) and state.is_legal(text)]


@dataclass(frozen=True)
class QuoridorRunnerParameters:
    """The runner has no parameters."""


class QuoridorRunnerAgent:
    """Follows the shortest path and never places a wall."""

    info: SearchInfo | None = None

    def __init__(self, parameters: QuoridorRunnerParameters, seed: int) -> None:
        pass

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the next step."""
        assert isinstance(state, Quoridor)
        return step_towards_goal(state)


@dataclass(frozen=True)
class QuoridorGreedyParameters:
    """Parameters of the course's greedy player."""

    walls: float = parameter(
        0.25,
        help="probability of a random legal wall directly in front of the opponent; otherwise, or if none is legal, "
        "a step",
        source="the course",
        low=0,
        high=1,
    )


class QuoridorGreedyAgent:
    """The course's greedy player: follows the shortest path, and sometimes places a wall in front of the opponent."""

    info: SearchInfo | None = None

    def __init__(self, parameters: QuoridorGreedyParameters, seed: int) -> None:
        self._walls = parameters.walls
        self._rng = Random(seed)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return a wall in front of the opponent, or a step."""
        assert isinstance(state, Quoridor)
        if self._rng.uniform() < self._walls and (walls := walls_ahead_of_opponent(state)):
            return self._rng.choice(walls)
        return step_towards_goal(state)


_GAMES = ("quoridor",)
QUORIDOR_GREEDY = AgentType(
    "quoridor-greedy", "the course's greedy player", QuoridorGreedyParameters, QuoridorGreedyAgent, _GAMES
)
QUORIDOR_RUNNER = AgentType(
    "quoridor-runner", "follows the shortest path, no walls", QuoridorRunnerParameters, QuoridorRunnerAgent, _GAMES
)
