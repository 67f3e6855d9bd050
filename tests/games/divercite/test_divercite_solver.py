"""The solver of Divercité's endgames against a plain minimax, alpha-beta, and itself."""

from __future__ import annotations

import functools
import random

import pytest
from typed import New, analyst

from joute import Clock, agent
from joute._core import DiverciteMove, MoveResult, Search, SearchResult
from joute.games.divercite.agents.solver import solver_options
from joute.games.divercite.state import Divercite

new = New(Divercite)

PLIES = 40
RULES = ("handout", "framework", "official")


def random_positions(count: int, left: int, seed: int, rules: str = "handout") -> list[Divercite]:
    """Positions of random play with so many plies left; the same in every run."""
    rng = random.Random(seed)
    found: list[Divercite] = []
    while len(found) < count:
        state = new(f"divercite:rules={rules}")
        while state.ply < PLIES - left:
            state = state.play(rng.choice(state.legal_moves))
        found.append(state)
    return found


def solver(*, memory_mb: int = 16, lines: int = 1, outcome_only: bool = False) -> Search:
    return Divercite.search(solver_options(memory_mb=memory_mb, lines=lines, outcome_only=outcome_only))


@functools.cache
def shared_solver() -> Search:
    return solver()


def solved(state: Divercite, search: Search | None = None) -> SearchResult:
    result = (search or shared_solver()).run(state)
    assert result.proven
    return result


def played(state: Divercite, found: MoveResult) -> Divercite:
    """The position after a move that a search found."""
    assert isinstance(found.move, DiverciteMove)
    return state.play(found.move)


def minimax(state: Divercite, known: dict[Divercite, int]) -> int:
    """The score for the mover by definition: no window, no bound, no trick but remembering."""
    if state not in known:
        if state.result is not None:
            known[state] = state.result.score if state.to_move == 0 else -state.result.score
        else:
            known[state] = max(-minimax(state.play(move), known) for move in state.legal_moves)
    return known[state]


def best_end(state: Divercite, known: dict[Divercite, int]) -> Divercite:
    """Where the first of the best moves of both lead."""
    while not state.is_terminal:
        state = max((state.play(move) for move in state.legal_moves), key=lambda next_: -minimax(next_, known))
    return state


def outcome(value: float) -> int:
    return (value > 0) - (value < 0)


def value_after(state: Divercite) -> float:
    """What a position is worth to whoever moved last."""
    if state.result is None:
        return -solved(state).value
    return (state.result.score if state.to_move == 1 else -state.result.score) / 2


# Four plies before the end; best play leaves points level, and this decides.
LEVEL = {
    "Divercités": (
        "r/yRg/bYrR-r/rB-rRgG-g/bB-bBbGyG./bY-rR-gG-./.YgBg/b.y/./0002",
        "r/.R-g/yRrGg/bR-rRrB-b/bB-.BgY-gB./gGgG-.Y./bG-rYy/yY-b/r/0011",
    ),
    "fours": (
        "r/.Rr/rR-rR-g/rRbBgG-g/bB-rB-gGgBb/yY-gY.G-b/yY.G./.Y-y/b/0002",
        "b/rYg/rRrG-g/gGrG-gGg/bB-bB-bBbY-y/yB.Rb.g/rR-rY-./yR-././0001",
    ),
    "threes": (
        "b/gY-b/gGgYr/bG-.YrRr/gG-gGrB-bB-y/gR-rRbB./rR-bBy/.Y-././0002",
        "g/rRr/rR-bBr/yB-rGbR./.YyY.R-r../bB-bGyY-g/bBgG-g/bG-g/g/0002",
    ),
    "twos": (
        "g/rGy/yGrRr/gY-.G-bR-r/.Yy..B-rB-b/gYbBbBb/yY-bR./gR-r/g/0002",
        "g/bGr/bY-rR-b/bYyY-rRg/bBbB.YrR-r/.B-gB-rR./yG-gG./yG-./g/0101",
        "r/rRg/yYbB-g/rR-rBbG-y/bR-rB-gGgG./bB.Y-gR./bY-gG-r/.Yb/./0002",
    ),
    "perfect tie": (
        "r/rRr/rR-gBb/gG-rB-bY-g/..bB-bRbB./yGbG.R-./gG-gYr/yYy/y/0101",
        "g/gG-r/gGgGg/bB-bY-gG-y/yRrByYyY-./.R-bYbRr/yR-bB-./.Bb/./2000",
    ),
}


def under(position: str, rules: str) -> Divercite:
    return new(f"divercite:rules={rules}", position)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("left", "count"), [(1, 100), (2, 100), (3, 100), (4, 60), (5, 20), (6, 3)])
def test_values_and_best_moves_are_those_of_plain_minimax(left: int, count: int, rules: str) -> None:
    for state in random_positions(count, left, seed=left, rules=rules):
        known: dict[Divercite, int] = {}
        result = solved(state)
        assert 2 * result.value == minimax(state, known), state.position
        assert -minimax(played(state, result.moves[0]), known) == 2 * result.value, state.position


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("rung", LEVEL)
def test_every_rung_of_the_ladder_decides_as_in_plain_minimax(rung: str, rules: str) -> None:
    for position in LEVEL[rung]:
        end = best_end(under(position, "handout"), {}).result
        assert end is not None
        assert end.decided_by == rung
        state = under(position, rules)
        known: dict[Divercite, int] = {}
        every = solved(state, solver(lines=1000)).moves
        assert {move.move: 2 * move.value for move in every} == {
            move: -minimax(state.play(move), known) for move in state.legal_moves
        }
        truth = minimax(state, known)
        assert 2 * solved(state, solver()).value == truth
        quick = solved(state, solver(outcome_only=True)).moves[0]
        assert quick.lower == quick.upper == outcome(truth)


@pytest.mark.parametrize("rules", RULES)
def test_values_of_all_moves_are_those_of_plain_minimax(rules: str) -> None:
    every = solver(lines=1000)
    for state in random_positions(25, 4, seed=1, rules=rules):
        known: dict[Divercite, int] = {}
        found = solved(state, every).moves
        assert all(move.is_exact for move in found)
        assert {move.move: 2 * move.value for move in found} == {
            move: -minimax(state.play(move), known) for move in state.legal_moves
        }
        assert [move.value for move in found] == sorted((move.value for move in found), reverse=True)


@pytest.mark.parametrize("rules", RULES)
def test_earlier_values_are_those_of_alpha_beta(rules: str) -> None:
    slow = analyst("alphabeta:eval=none,ends=score,depth=40,nodes=0,memory_mb=64")
    for state in random_positions(6, 8, seed=2, rules=rules):
        analysis = slow.analyze(state, lines=1)
        assert analysis.exact
        assert 2 * solved(state).value == analysis.value, state.position


def test_one_memory_serves_all_rules() -> None:
    search = solver()
    for state in random_positions(20, 8, seed=13):
        for rules in RULES:
            same = under(state.position, rules)
            assert solved(same, search).value == solved(same, solver()).value


def test_little_memory_changes_no_value() -> None:
    for state in random_positions(6, 11, seed=3):
        assert solved(state, solver(memory_mb=1)).value == solved(state, solver(memory_mb=256)).value


def test_a_position_is_worth_what_its_best_move_is() -> None:
    rng = random.Random(4)
    for state in random_positions(10, 10, seed=4):
        result = solved(state)
        assert value_after(played(state, result.moves[0])) == result.value
        for move in rng.sample(state.legal_moves, 4):
            assert value_after(state.play(move)) <= result.value


def test_symmetries_change_no_value() -> None:
    letters = {"R": "G", "G": "Y", "Y": "R", "r": "g", "g": "y", "y": "r"}
    for state in random_positions(20, 9, seed=5):
        *rows, hand = state.position.split("/")
        red, green, blue, yellow = list(hand)
        recoloured = "/".join("".join(letters.get(c, c) for c in row) for row in rows[::-1])
        turned = under(f"{recoloured}/{yellow}{red}{blue}{green}", "handout")
        assert solved(turned, solver()).value == solved(state, solver()).value


@pytest.mark.parametrize("rules", RULES)
def test_only_the_outcome_agrees(rules: str) -> None:
    for state in random_positions(20, 9, seed=7, rules=rules):
        quick, full = solver(outcome_only=True).run(state), solved(state, solver())
        best = quick.moves[0]
        assert quick.proven
        assert best.lower == best.upper == outcome(full.value)
        assert outcome(value_after(played(state, best))) == outcome(full.value)


@pytest.mark.parametrize("rules", RULES)
def test_bounds_hold_where_a_limit_ends_the_search(rules: str) -> None:
    every = solver(lines=1000, memory_mb=64)
    for state in random_positions(6, 9, seed=8, rules=rules):
        truth = {move.move: (move.lower, move.value) for move in solved(state, every).moves}
        for nodes in (0, 1, 100, 1000, 10_000):
            result = solver().run(state, nodes=nodes)
            assert result.nodes <= nodes
            assert {move.move for move in result.moves} == set(state.legal_moves)
            for move in result.moves:
                assert move.lower <= truth[move.move][0] <= move.upper
                assert not move.is_exact or move.value == truth[move.move][1]
            assert not result.proven or result.value == max(value for _, value in truth.values())


def test_the_same_nodes_give_the_same_result() -> None:
    state = random_positions(1, 16, seed=9)[0]

    def summary(result: SearchResult) -> list[object]:
        return [result.nodes, result.proven, [(move.move, move.value, move.visits) for move in result.moves]]

    search = solver()
    first = summary(search.run(state, nodes=20_000))
    search.forget()
    assert summary(search.run(state, nodes=20_000)) == first == summary(solver().run(state, nodes=20_000))


def test_a_stopped_search_goes_on_where_it_was() -> None:
    state = random_positions(1, 12, seed=10)[0]
    search = solver(memory_mb=64)
    runs = 1
    while not (result := search.run(state, nodes=2000)).proven:
        runs += 1
    assert runs > 1
    assert result.value == solved(state, solver()).value


def test_the_start_has_a_legal_answer_within_any_limit() -> None:
    state = new("divercite")
    result = solver().run(state, seconds=0.05)
    assert not result.proven
    assert result.moves[0].move in state.legal_moves


def test_the_agent_plays_a_game_to_its_end_and_says_points() -> None:
    player = agent("divercite-solver:nodes=2000")
    state = random_positions(1, 16, seed=11)[0]
    while not state.is_terminal:
        move = player.choose(state, Clock())
        assert state.is_legal(move)
        state = state.play(move)
    analysis = analyst("divercite-solver").analyze(random_positions(1, 8, seed=12)[0], lines=3)
    assert analysis.exact
    assert analysis.unit == "points"
    assert sum(move.value is not None for move in analysis.moves) >= 3


@pytest.mark.parametrize("settings", [{"memory_mb": 0}, {"memory_mb": 2**21}, {"lines": 0}])
def test_senseless_options_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Divercite.search(solver_options(**{"memory_mb": 16, "lines": 1, **settings}))  # type: ignore[arg-type]
