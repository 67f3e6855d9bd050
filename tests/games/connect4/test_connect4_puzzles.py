"""Every puzzle of Connect Four has one answer, by a plain alpha-beta search that knows nothing of the solver."""

from __future__ import annotations

import pytest

from joute.agents import agent
from joute.games import State
from joute.learn.puzzles import Puzzle, puzzles_of

PUZZLES = puzzles_of("connect4")


def outcomes(state: State, *, depth: int) -> dict[str, int | None]:
    """The proven result of each move for the player to move, within some plies."""
    found: dict[str, int | None] = {}
    for move in state.legal_moves:
        after = state.play(move)
        if after.result is not None:
            found[str(move)] = abs(after.result.outcome)
            continue
        judge = agent(f"alphabeta:depth={depth - 1},nodes=50000000,memory_mb=64", game="connect4")
        best = judge.analyze(after, lines=1).moves[0].outcome  # type: ignore[attr-defined]
        found[str(move)] = None if best is None else -best
    return found


def ids(puzzle: Puzzle) -> str:
    return f"{puzzle.kind} {puzzle.position}"


@pytest.mark.parametrize("puzzle", [each for each in PUZZLES if each.kind != "save"], ids=ids)
def test_one_move_wins_in_time_at_every_step(puzzle: Puzzle) -> None:
    state, count = puzzle.state, int(puzzle.kind.removeprefix("win"))
    for step in range(count - 1):
        found = outcomes(state, depth=2 * (count - step) - 1)
        assert [move for move, outcome in found.items() if outcome == 1] == [puzzle.line[2 * step]]
        state = state.play(puzzle.line[2 * step]).play(puzzle.line[2 * step + 1])
    assert state.play(puzzle.line[-1]).result is not None
    # No move wins sooner than the puzzle says.
    sooner = outcomes(puzzle.state, depth=2 * count - 3) if count > 2 else {}
    assert 1 not in sooner.values()


@pytest.mark.parametrize("puzzle", [each for each in PUZZLES if each.kind == "save"], ids=ids)
def test_every_move_but_the_answer_loses_soon(puzzle: Puzzle) -> None:
    found = outcomes(puzzle.state, depth=10)
    assert [move for move, outcome in found.items() if outcome != -1] == [puzzle.answer]


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", PUZZLES, ids=ids)
def test_no_other_move_is_as_good_to_the_end_of_the_game(puzzle: Puzzle) -> None:
    found = outcomes(puzzle.state, depth=42)
    right = 0 if puzzle.kind == "save" else 1
    assert [move for move, outcome in found.items() if outcome is not None and outcome >= right] == [puzzle.answer]
    assert None not in found.values()
