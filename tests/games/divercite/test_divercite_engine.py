"""The Divercité engine: what its evaluation knows, what symmetries save, and how it plays."""

from __future__ import annotations

import random

import pytest
from plain_options import alphabeta_options
from typed import New, analyst

from joute import play_match
from joute.agents import adviser
from joute.games.divercite.agents.solver import solver_options
from joute.games.divercite.state import Divercite

new = New(Divercite)


def position(ply: int, seed: int, rules: str = "handout") -> Divercite:
    """A position of a random game."""
    draw = random.Random(seed)
    state = new(f"divercite:rules={rules}")
    while state.ply < ply:
        state = state.play(draw.choice(state.legal_moves))
    return state


@pytest.mark.parametrize("ply", [3, 14, 25, 36])
def test_the_evaluation_is_symmetric_and_zero_sum(
    ply: int,
) -> None:
    for seed in range(5):
        state = position(ply, seed)
        value = state.evaluate(0, "prospects")
        assert state.evaluate(1, "prospects") == -value
        assert {state.transformed(g).evaluate(0, "prospects") for g in range(state.symmetry_count)} == {value}


def test_the_evaluation_names_the_winner_of_most_positions_with_twelve_plies_left() -> None:
    solver = new("divercite").search(solver_options(memory_mb=256, lines=1, outcome_only=True))
    right = {"prospects": 0, "score": 0}
    count = 60
    for seed in range(count):
        state = position(28, seed)
        result = solver.run(state)
        assert result.proven
        for name in right:
            right[name] += (state.evaluate(state.to_move, name) > 0) == (result.moves[0].lower == 1)
    assert right["prospects"] >= 0.8 * count
    assert right["prospects"] > right["score"]


@pytest.mark.parametrize("moves", ["", "re5", "re5 Re4", "re5 Re4 ge3", "Rd5 Bf5 ya5 Yh5"])
def test_symmetric_positions_share_the_table_and_change_no_value(moves: str) -> None:
    state = new("divercite")
    for move in moves.split():
        state = state.play(move)
    plain, shared = (
        state.search(alphabeta_options(symmetries=symmetries), "prospects").run(state, depth=4)
        for symmetries in (False, True)
    )
    assert shared.value == plain.value
    assert shared.moves[0].move == plain.moves[0].move
    assert shared.nodes <= plain.nodes
    if not moves:
        assert shared.nodes * 5 < plain.nodes
    line = state
    for move in shared.moves[0].line:
        line = line.play(move)  # which must be legal, though much of it was found in other positions
    assert line.ply == state.ply + 4
    assert line.evaluate(state.to_move, "prospects") == shared.value


def test_a_search_that_looks_beyond_its_horizon_sees_a_divercite_coming() -> None:
    # Three colours around White's city at e4, the fourth in hand, and Black to move.
    state = new("divercite")
    for move in ["Re4", "ba5", "re3", "gi5", "gd4", "re9", "bf4"]:
        state = state.play(move)
    myopic, farsighted = (
        state.search(alphabeta_options(ends="points", quiescence=plies), "score").run(state, depth=1)
        for plies in (0, 1)
    )
    assert str(myopic.moves[0].move)[1:] != "e5"
    assert str(farsighted.moves[0].move)[1:] == "e5"  # takes the last cell


@pytest.mark.parametrize("rules", ["handout", "framework", "official"])
def test_late_positions_are_solved(rules: str) -> None:
    engine, solver = analyst("divercite"), analyst("divercite-solver")
    for seed in range(3):
        state = position(30, seed, rules)
        found, truth = engine.analyze(state), solver.analyze(state)
        assert found.exact
        assert found.moves[0].value == truth.moves[0].value


def test_the_engine_wins_every_game_against_the_papers_last_version_with_as_many_nodes() -> None:
    found = play_match("divercite", "divercite:nodes=3000", "divercite-v3:nodes=3000", games=8, seed=1)
    assert found.score == 1


def test_the_engine_is_whom_to_ask() -> None:
    assert adviser("divercite") == "divercite"
