"""The solver of Avalam's endgames against a plain minimax, alpha-beta, and itself."""

from __future__ import annotations

import functools
import random

import pytest
from typed import New, analyst

from joute import Clock, agent
from joute._core import AvalamMove, MoveResult, Search, SearchResult
from joute.games.avalam.agents.solver import solver_options
from joute.games.avalam.state import Avalam

new = New(Avalam)


def random_positions(count: int, ply: int, seed: int) -> list[Avalam]:
    """Positions of random play that are not over; the same in every run."""
    rng = random.Random(seed)
    found: list[Avalam] = []
    while len(found) < count:
        state = new("avalam")
        while state.ply < ply and not state.is_terminal:
            state = state.play(rng.choice(state.legal_moves))
        if not state.is_terminal:
            found.append(state)
    return found


def solver(*, memory_mb: int = 16, lines: int = 1, outcome_only: bool = False) -> Search:
    return Avalam.search(solver_options(memory_mb=memory_mb, lines=lines, outcome_only=outcome_only))


@functools.cache
def shared_solver() -> Search:
    return solver()


def solved(state: Avalam, search: Search | None = None) -> SearchResult:
    result = (search or shared_solver()).run(state)
    assert result.proven
    return result


def played(state: Avalam, found: MoveResult) -> Avalam:
    """The position after a move that a search found."""
    assert isinstance(found.move, AvalamMove)
    return state.play(found.move)


def minimax(state: Avalam, known: dict[Avalam, int]) -> int:
    """The score for the mover by definition: no window, no bound, no trick but remembering."""
    if state not in known:
        if state.result is not None:
            known[state] = state.result.score if state.to_move == 0 else -state.result.score
        else:
            known[state] = max(-minimax(state.play(move), known) for move in state.legal_moves)
    return known[state]


def score_after(state: Avalam) -> float:
    """What a position is worth to whoever moved last."""
    if state.result is None:
        return -solved(state).value
    return state.result.score if state.to_move == 1 else -state.result.score


def mirrored(state: Avalam) -> Avalam:
    """The position half a turn on."""
    return Avalam.new(state.position[::-1])


@pytest.mark.parametrize(("ply", "count"), [(28, 4), (30, 20), (31, 60), (33, 150)])
def test_scores_and_best_moves_are_those_of_plain_minimax(ply: int, count: int) -> None:
    for state in random_positions(count, ply, seed=ply):
        known: dict[Avalam, int] = {}
        result = solved(state)
        assert result.value == minimax(state, known), state.position
        assert -minimax(played(state, result.moves[0]), known) == result.value, state.position


def test_some_of_these_positions_are_decided_by_fives() -> None:
    scores = {solved(state).value for state in random_positions(120, 31, seed=31)}
    assert any(0 < abs(score) < 16 for score in scores)
    assert any(abs(score) >= 16 for score in scores)


def test_scores_of_all_moves_are_those_of_plain_minimax() -> None:
    every = solver(lines=1000)
    for state in random_positions(40, 31, seed=1):
        known: dict[Avalam, int] = {}
        found = solved(state, every).moves
        assert all(move.is_exact for move in found)
        assert {move.move: move.value for move in found} == {
            move: -minimax(state.play(move), known) for move in state.legal_moves
        }
        assert [move.value for move in found] == sorted((move.value for move in found), reverse=True)


def test_earlier_scores_are_those_of_alpha_beta() -> None:
    slow = analyst("alphabeta:eval=none,ends=score,depth=40,nodes=0,memory_mb=64")
    for state in random_positions(4, 27, seed=2):
        analysis = slow.analyze(state, lines=1)
        assert analysis.exact
        assert solved(state).value == analysis.value, state.position


def test_little_memory_changes_no_score() -> None:
    for state in random_positions(6, 24, seed=3):
        assert solved(state, solver(memory_mb=1)).value == solved(state, solver(memory_mb=256)).value


def test_a_position_is_worth_what_its_best_move_is() -> None:
    rng = random.Random(4)
    for state in random_positions(8, 23, seed=4):
        result = solved(state)
        assert score_after(played(state, result.moves[0])) == result.value
        for move in rng.sample(state.legal_moves, 4):
            assert score_after(state.play(move)) <= result.value


def test_half_a_turn_changes_no_score() -> None:
    for state in random_positions(20, 25, seed=5):
        assert solved(mirrored(state), solver()).value == solved(state, solver()).value


def test_only_the_outcome_is_faster_and_agrees() -> None:
    for state in random_positions(20, 25, seed=7):
        search = solver(outcome_only=True)
        quick, full = search.run(state), solved(state, solver())
        outcome = (full.value > 0) - (full.value < 0)
        best = quick.moves[0]
        assert quick.proven
        assert best.lower == best.upper == outcome
        after = score_after(played(state, best))
        assert (after > 0) - (after < 0) == outcome
        assert quick.nodes <= 3 * full.nodes


def test_bounds_of_outcomes_hold_where_a_limit_ends_the_search() -> None:
    every = solver(lines=1000, memory_mb=64)
    for state in random_positions(6, 24, seed=8):
        truth = {move.move: move.lower for move in solved(state, every).moves}
        for nodes in (0, 1, 100, 1000, 10_000):
            result = solver().run(state, nodes=nodes)
            assert result.nodes <= nodes
            assert {move.move for move in result.moves} == set(state.legal_moves)
            for move in result.moves:
                assert move.lower <= truth[move.move] <= move.upper
            assert not result.proven or result.moves[0].lower == max(truth.values())


def test_the_same_nodes_give_the_same_result() -> None:
    state = random_positions(1, 20, seed=9)[0]

    def summary(result: SearchResult) -> list[object]:
        return [result.nodes, result.proven, [(move.move, move.value, move.visits) for move in result.moves]]

    search = solver()
    first = summary(search.run(state, nodes=20_000))
    search.forget()
    assert summary(search.run(state, nodes=20_000)) == first == summary(solver().run(state, nodes=20_000))


def test_a_stopped_search_goes_on_where_it_was() -> None:
    state = random_positions(1, 22, seed=10)[0]
    search = solver(memory_mb=64)
    while not (result := search.run(state, nodes=5000)).proven:
        pass
    assert result.value == solved(state, solver()).value


def test_the_start_has_a_legal_answer_within_any_limit() -> None:
    state = new("avalam")
    result = solver().run(state, seconds=0.05)
    assert not result.proven
    assert result.moves[0].move in state.legal_moves


def test_the_agent_plays_a_game_to_its_end_and_says_scores() -> None:
    player = agent("avalam-solver:nodes=2000")
    state = random_positions(1, 20, seed=11)[0]
    while not state.is_terminal:
        move = player.choose(state, Clock())
        assert state.is_legal(move)
        state = state.play(move)
    analysis = analyst("avalam-solver").analyze(random_positions(1, 28, seed=12)[0], lines=3)
    assert analysis.exact
    assert analysis.unit == "score"
    assert sum(move.value is not None for move in analysis.moves) >= 3


@pytest.mark.parametrize("settings", [{"memory_mb": 0}, {"memory_mb": 2**21}, {"lines": 0}])
def test_senseless_options_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Avalam.search(solver_options(**{"memory_mb": 16, "lines": 1, **settings}))  # type: ignore[arg-type]
