"""Every puzzle of Vampires vs Werewolves has one answer among all legal turns, by searches other than the maker's."""

from __future__ import annotations

import pytest

from joute.games.vampires.puzzles import LEAST_GAP, all_turns, chance
from joute.games.vampires.state import Vampires
from joute.learn.puzzles import Puzzle, puzzles_of

PUZZLES = puzzles_of("vampires")
# The check's search differs from the maker's, so it may see a smaller gap.
_GAP = LEAST_GAP / 2


def position(puzzle: Puzzle) -> Vampires:
    state = puzzle.state
    assert isinstance(state, Vampires)
    return state


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda each: each.position)
def test_the_turns_that_were_judged_are_legal_and_include_all_candidates(puzzle: Puzzle) -> None:
    state = position(puzzle)
    turns = set(all_turns(state))
    assert puzzle.answer in turns
    assert all(state.is_legal(turn) for turn in turns)
    for generator in state.generators:
        assert {str(move) for move in state.moves(generator)} <= turns


def test_all_turns_of_a_group_in_a_corner_are_listed() -> None:
    # Two units and three neighbours: 3 + 3 turns of one order, and 3 that send one unit to each of two neighbours.
    state = Vampires.new("3x3/2v0.0+2w2.2")
    assert len(list(all_turns(state))) == 9


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda each: each.position)
def test_the_answer_is_better_than_every_candidate(puzzle: Puzzle) -> None:
    state = position(puzzle)
    player = state.to_move
    spec = "vampires:nodes=1500,memory_mb=2"
    best = chance(state.play(puzzle.answer), player, spec)
    others = {str(move) for generator in state.generators for move in state.moves(generator)} - {puzzle.answer}
    assert max(chance(state.play(turn), player, spec) for turn in others) < best


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda each: each.position)
def test_the_answer_is_much_better_than_every_legal_turn(puzzle: Puzzle) -> None:
    state = position(puzzle)
    player = state.to_move
    spec = "vampires:nodes=10000,few_outcomes=6,memory_mb=8"
    best = chance(state.play(puzzle.answer), player, spec)
    assert (
        max(chance(state.play(turn), player, spec) for turn in all_turns(state) if turn != puzzle.answer) < best - _GAP
    )
