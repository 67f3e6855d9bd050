"""Every puzzle of Avalam has one answer, by a plain alpha-beta search that knows nothing of the solver."""

from __future__ import annotations

import pytest

from joute.agents import agent
from joute.learn.puzzles import Puzzle, puzzles_of

PUZZLES = puzzles_of("avalam")
# Searches of the others take longer than a second.
_FEW_MOVES = 20


def winning_moves(puzzle: Puzzle) -> list[str]:
    """The moves that win, each proven; the results of all moves are proven."""
    state, won = puzzle.state, []
    judge = agent("alphabeta:nodes=30000000,memory_mb=128", game="avalam")
    for move in state.legal_moves:
        after = state.play(move)
        if after.result is not None:
            outcome = after.result.outcome_for(state.to_move)
        else:
            proven = judge.analyze(after, lines=1).moves[0].outcome  # type: ignore[attr-defined]
            assert proven is not None, f"{move} is not proven"
            outcome = -proven
        won += [str(move)] if outcome == 1 else []
    return won


def is_quick(puzzle: Puzzle) -> bool:
    return len(puzzle.state.legal_moves) <= _FEW_MOVES


@pytest.mark.parametrize("puzzle", [each for each in PUZZLES if is_quick(each)], ids=lambda each: each.position)
def test_one_move_wins(puzzle: Puzzle) -> None:
    assert winning_moves(puzzle) == [puzzle.answer]


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", [each for each in PUZZLES if not is_quick(each)], ids=lambda each: each.position)
def test_one_move_wins_earlier_in_the_game_too(puzzle: Puzzle) -> None:
    assert winning_moves(puzzle) == [puzzle.answer]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda each: each.position)
def test_the_line_of_a_puzzle_ends_with_the_win_that_its_kind_says(puzzle: Puzzle) -> None:
    state = puzzle.state
    player = state.to_move
    for move in puzzle.line:
        state = state.play(move)
    assert state.result is not None
    assert state.result.winner == player
    assert state.result.decided_by in puzzle.proof
