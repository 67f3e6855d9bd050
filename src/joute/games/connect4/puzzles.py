"""The puzzles of Connect Four: wins in two to four, and the only move that saves a draw."""

import functools
from pathlib import Path

from joute.games.connect4.state import Connect4, Solver
from joute.games.state import State
from joute.learn.puzzles import PuzzleSet, Solution

_LONGEST_WIN = 4
# A draw is saved from a loss that comes so soon that a person can see it.
_SOONEST_LOSS, _LATEST_LOSS = 2, 4
_FEWEST_MOVES = 5
# Of each player; a win with the last one scores 1.
_DISCS = 21


@functools.cache
def _solver() -> Solver:
    return Solver(memory_mb=64)


def _own_moves(state: Connect4, score: int) -> int:
    """Return the moves of the winner until a win of that score, for the player to move."""
    return _DISCS + 1 - score - state.ply // 2


def _scores(state: Connect4) -> dict[str, int]:
    return {str(move): score for move, score in _solver().move_scores(state).items()}


def _only_win(state: Connect4) -> str | None:
    won = [move for move, score in _scores(state).items() if score > 0]
    return won[0] if len(won) == 1 else None


def solve(state: State) -> Solution | None:
    """Return the only winning move with the whole win, or the only move that draws where every other loses soon."""
    assert isinstance(state, Connect4)
    if state.winning_moves or len(state.legal_moves) < _FEWEST_MOVES:
        return None
    scores = _scores(state)
    best = max(scores.values())
    return _win(state, best) if best > 0 else _save(state, scores) if best == 0 else None


def _win(state: Connect4, best: int) -> Solution | None:
    count = _own_moves(state, best)
    if not 2 <= count <= _LONGEST_WIN:
        return None
    line: list[str] = []
    at = state
    while not at.is_terminal:
        if at.to_move == state.to_move and at.winning_moves:
            line.append(str(at.winning_moves[0]))
        elif at.to_move == state.to_move:
            only = _only_win(at)
            if only is None:
                return None
            line.append(only)
        else:
            line.append(str(_solver().line(at)[0]))
        at = at.play(line[-1])
    if len(line) != 2 * count - 1:
        return None
    return Solution(f"win{count}", tuple(line), count, f"wins in {count}; no other move wins")


def _save(state: Connect4, scores: dict[str, int]) -> Solution | None:
    kept = [move for move, score in scores.items() if score == 0]
    losses = [_own_moves(state.play(move), -score) for move, score in scores.items() if score < 0]
    if len(kept) != 1 or len(losses) < 4 or not _SOONEST_LOSS <= max(losses) <= _LATEST_LOSS:
        return None
    return Solution("save", (kept[0],), 1, f"draws; every other move loses in at most {max(losses)}")


PUZZLES = PuzzleSet(
    solve=solve,
    players=("level:4", "level:5", "level:6", "level:7"),
    plies=(8, 30),
    levels=(2, 3, 4, 5, 6),
    check="checked by the exact solver: at every move to find, one move wins and all others do not",
    file=Path(__file__).with_name("data") / "puzzles.toml",
    most_of_a_kind=4,
)
