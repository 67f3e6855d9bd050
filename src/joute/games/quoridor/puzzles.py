"""The puzzles of Quoridor: endings with one wall in hand, in which one wall or one step wins.

After the last wall the game is a race, which is solved exactly. Before, alpha-beta over all legal moves proves every
step: the mover's win after the answer, and the opponent's win or a draw after every other move.
"""

import functools
from pathlib import Path
from typing import cast

from joute.agents import Analysis, Analyst, agent
from joute.games.quoridor.state import Quoridor
from joute.games.state import State
from joute.learn.puzzles import PuzzleSet, Solution

# A glance at the steps, to leave out positions in which no step or several win, or in which anybody finds it.
_GLANCE = "quoridor:nodes=2000,memory_mb=8,book=no"
_BEGINNER = "quoridor:depth=2,memory_mb=1,book=no"
_LEAST_GAP = 0.3
_NODES = 20_000
_LINE = 9
_FEWEST_STEPS = 3


@functools.cache
def _analyst(spec: str) -> Analyst:
    return cast(Analyst, agent(spec, game="quoridor"))


def _outcome(state: State) -> int | None:
    """Return the proven result for the player who has just moved; None if the search proves nothing."""
    if state.result is not None:
        return state.result.outcome if state.to_move == 1 else -state.result.outcome
    moves = _proof(state).moves
    return None if moves[0].outcome is None else -moves[0].outcome


def _proof(state: State) -> Analysis:
    return _analyst(f"alphabeta:nodes={_NODES},memory_mb=32").analyze(state, lines=1)


def solve(state: State) -> Solution | None:
    """Return the only winning move, if the result of every move is proven."""
    assert isinstance(state, Quoridor)
    if sum(state.walls_in_hand) != 1 or min(state.distances) < _FEWEST_STEPS:
        return None
    walls = [move for move in state.legal_moves if move.is_wall]
    won = []
    for wall in walls:  # the last one: the race after it is solved at once
        if (outcome := _outcome(state.play(wall))) is None:
            return None
        if outcome > 0:
            won.append(str(wall))
        if len(won) > 1:
            return None
    if not won and not _may_be_a_step(state):
        return None
    for step in state.legal_moves:
        if step.is_wall:
            continue
        outcome = _outcome(state.play(step))
        if outcome is None or (outcome > 0 and won):
            return None
        if outcome > 0:
            won.append(str(step))
    if not won:
        return None
    kind = "wall" if len(won[0]) == 3 else "step"
    proof = "wins; after every other move the opponent wins or draws, all proven"
    return Solution(kind, _line(state, won[0]), 1, proof)


def _may_be_a_step(state: Quoridor) -> bool:
    glance = _analyst(_GLANCE).analyze(state, lines=2).moves
    if len(glance) < 2 or (glance[0].value or 0) - (glance[1].value or 0) < _LEAST_GAP:
        return False
    return str(_analyst(_BEGINNER).analyze(state, lines=1).moves[0].move) != str(glance[0].move)


def _line(state: State, answer: str) -> tuple[str, ...]:
    line = [answer]
    at = state.play(answer)
    while at.result is None and len(line) < _LINE:
        line.append(str(_proof(at).moves[0].move))
        at = at.play(line[-1])
    return tuple(line)


PUZZLES = PuzzleSet(
    solve=solve,
    players=("level:2", "level:3", "level:4"),
    plies=(20, 120),
    levels=(2, 3, 4, 5),
    check="proven for every legal move by alpha-beta over all moves, and by the exact solution of races without walls",
    file=Path(__file__).with_name("data") / "puzzles.toml",
    most_of_a_kind=7,
)
