"""The Avalam engine: its evaluation, how it solves first and searches then, and its rival."""

from __future__ import annotations

import statistics
from types import SimpleNamespace
from typing import Any

import pytest
from plain_options import alphabeta_options
from typed import New, info_of, searcher

from joute import Clock, Random, play_game, play_match
from joute._core import AvalamMove, StopFlag
from joute.agents import adviser
from joute.agents.solve_first import SolveFirst
from joute.games.avalam.agents.solver import ENDGAME, solver_options
from joute.games.avalam.state import Avalam

new = New(Avalam)


def position(plies: int, seed: int) -> Avalam:
    """A position of random play that is not over."""
    rng = Random(seed)
    while True:
        state = new("avalam")
        while state.ply < plies and not state.is_terminal:
            state = state.play(state.random_move(rng))
        if not state.is_terminal:
            return state


def margin_for_mover(state: Avalam) -> float:
    """Towers under best play, and fives as sixteenths where these are level."""
    if state.result is not None:
        return float(state.result.score / 16 * (1 if state.to_move == 0 else -1))
    return float(state.search(solver_options(memory_mb=256, lines=1, tower=1)).run(state).value)


def test_the_evaluation_predicts_the_margin_of_nearly_finished_games() -> None:
    errors, margins = [], []
    for seed in range(300):
        state = position(30, seed)
        value = state.evaluate(state.to_move, "towers")
        assert value == -state.evaluate(1 - state.to_move, "towers")
        margin = margin_for_mover(state)
        errors.append(value - margin)
        margins.append(margin)
    assert statistics.pstdev(errors) < statistics.pstdev(margins) / 3


def test_the_evaluation_does_not_change_by_half_a_turn() -> None:
    for seed in range(100):
        state = position(4 + seed % 28, seed)
        assert state.evaluate(0, "towers") == state.transformed(1).evaluate(0, "towers")


def test_a_search_by_the_evaluation_is_that_of_minimax() -> None:
    """Along a line of play its sums are carried over, at its root they are made anew."""

    def minimax(state: Avalam, depth: int, player: int) -> float:
        if state.result is not None:
            return 1e15 * state.result.outcome_for(player)
        if depth == 0:
            return float(state.evaluate(player, "towers"))
        values = [minimax(state.play(move), depth - 1, player) for move in state.legal_moves]
        return max(values) if state.to_move == player else min(values)

    for seed in range(12):
        state = position(22 + seed % 4, seed)
        found = state.search(alphabeta_options(order_by_evaluation=True), "towers").run(state, depth=2)
        expected = minimax(state, 2, state.to_move)
        assert abs(expected) < 1e14
        assert found.value == expected


def test_what_the_engine_s_search_proves_is_true() -> None:
    options = alphabeta_options(
        order_by_evaluation=True, reductions=1, accept_deeper=True, table_depth=1, memory_mb=8, lines=3
    )
    search = new("avalam").search(options, "towers")
    proven = 0
    for seed in range(40):
        state = position(27 + seed % 4, seed)
        for found in search.run(state, nodes=20_000).moves:
            assert isinstance(found.move, AvalamMove)
            margin = -margin_for_mover(state.play(found.move))
            assert found.lower <= (margin > 0) - (margin < 0) <= found.upper
            proven += found.lower == found.upper
    assert proven > 100


def test_the_engine_plays_what_is_proven() -> None:
    for seed in range(12):
        state = position(26, seed)
        engine = searcher("avalam", game="avalam")
        move = engine.choose(state, Clock())
        best = margin_for_mover(state)
        assert info_of(engine).value_for_mover == best
        assert -margin_for_mover(state.play(move)) == best
        assert engine.analyze(state).exact


class Probe:
    """A search that notes what it was asked."""

    def __init__(self, search: Any) -> None:
        self.search = search
        self.limits: list[dict[str, Any]] = []

    def run(self, state: Any, **limits: Any) -> Any:
        self.limits.append(limits)
        return self.search.run(state, **limits)

    def forget(self) -> None:
        self.search.forget()


def probes() -> tuple[Any, Any]:
    start = new("avalam")
    return Probe(start.search(solver_options(memory_mb=256, lines=1))), Probe(
        start.search(alphabeta_options(), "towers")
    )


def test_the_solver_has_its_share_of_the_nodes_and_the_search_what_is_left() -> None:
    state = max((position(24, seed) for seed in range(40)), key=lambda found: len(found.legal_moves))
    solver, search = Probe(FindsNothing()), Probe(FindsNothing())
    nodes = int(5 * ENDGAME.cost.nodes(state))
    SolveFirst(solver, search, share=0.25, cost=ENDGAME.cost).run(state, nodes=nodes)
    assert solver.limits[0]["nodes"] == int(0.25 * nodes)
    assert search.limits[0]["nodes"] == nodes - solver.limits[0]["nodes"]
    SolveFirst(solver, search, share=0.25, cost=ENDGAME.cost).run(state, seconds=600, nodes=1000 * nodes)
    assert solver.limits[1]["nodes"] == min(250 * nodes, ENDGAME.cost.most_nodes)
    assert solver.limits[1]["seconds"] == 150
    assert 0 < search.limits[1]["seconds"] < 600


def test_a_depth_alone_does_not_let_the_solver_run_for_ever() -> None:
    solver, search = probes()
    first = SolveFirst(solver, search, share=0.5, cost=ENDGAME.cost)
    assert first.run(position(6, 1), depth=1).depth == 1
    assert not solver.limits
    assert first.run(position(28, 1), depth=1).proven
    assert solver.limits[0]["nodes"] <= 500_000


def test_neither_solver_nor_search_gets_less_from_a_larger_limit() -> None:
    state = position(24, 1)
    estimate = ENDGAME.cost.nodes(state)
    for unit, name in ((1.0, "nodes"), (1 / ENDGAME.cost.nodes_s, "seconds")):
        shares = []
        for part in range(1, 40):
            solver, search = Probe(FindsNothing()), Probe(FindsNothing())
            limit = part / 8 * estimate * unit
            limits: dict[str, Any] = {name: int(limit) if name == "nodes" else limit}
            SolveFirst(solver, search, share=0.75, cost=ENDGAME.cost).run(state, **limits)
            shares.append((solver.limits[0][name] if solver.limits else 0, search.limits[0][name]))
        of_solver, of_search = zip(*shares, strict=True)
        assert of_solver[7] == 0 < of_solver[8]  # it starts at its estimated cost
        assert list(of_solver) == sorted(of_solver)
        if name == "nodes":  # the clock runs
            assert list(of_search) == sorted(of_search)


class FindsNothing:
    """A solver that its limit stops before it knows anything, and a search."""

    def run(self, state: Any, **limits: Any) -> Any:
        move = SimpleNamespace(move="this", lower=-1, upper=1)
        return SimpleNamespace(proven=False, nodes=limits["nodes"], best=move, moves=[move])

    def forget(self) -> None: ...


class RefutesThis(FindsNothing):
    """A solver that was stopped after it had found that one move loses and another draws."""

    def run(self, state: Any, **limits: Any) -> Any:
        draw, loss = (
            SimpleNamespace(move=move, lower=lower, upper=lower) for move, lower in (("that", 0), ("this", -1))
        )
        return SimpleNamespace(proven=False, nodes=7, best=draw, moves=[draw, loss])


class PrefersThis(FindsNothing):
    """A search that prefers the move that loses."""

    def run(self, state: Any, **limits: Any) -> Any:
        moves = [SimpleNamespace(move=move, lower=-1, upper=1) for move in ("this", "that")]
        return SimpleNamespace(proven=False, nodes=7, depth=1, iterations=0, best=moves[0], moves=moves)


def test_what_an_unfinished_solver_knows_rules_out_moves() -> None:
    found = SolveFirst(RefutesThis(), PrefersThis(), share=0.5, cost=ENDGAME.cost).run(position(28, 1), nodes=10**6)
    assert [judged.move for judged in found.moves] == ["that", "this"]
    assert (found.best.lower, found.proven) == (0, False)


def test_a_loss_is_proven_only_by_all_moves() -> None:
    # A draw. With 24,000 nodes the search has seen that several moves lose, and not yet all moves.
    state = new("avalam", ".B/c.../..dD.c/......../ABA.C.d./aBbA.C../.a...D/aB.c/a.")
    for nodes in range(14_000, 40_000, 2_000):
        analysis = searcher(f"avalam:nodes={nodes},solve_share=0", game="avalam").analyze(state, lines=1)
        assert not analysis.exact or analysis.verdict == "draws"
        assert analysis.moves[0].verdict != "loses"


class ProvesAWin(FindsNothing):
    """A solver that was stopped after it had found a move that wins."""

    def run(self, state: Any, **limits: Any) -> Any:
        win = SimpleNamespace(move="this", lower=1, upper=1)
        return SimpleNamespace(proven=False, nodes=7, best=win, moves=[win])


def test_a_win_is_played_whether_or_not_its_margin_is_known() -> None:
    _, search = probes()
    first = SolveFirst(ProvesAWin(), search, share=0.5, cost=ENDGAME.cost)
    assert first.run(position(28, 1), nodes=10**6).moves[0].move == "this"
    assert not search.limits


def test_the_solver_is_not_asked_where_it_has_no_chance_and_the_search_not_where_it_had() -> None:
    early, late = position(10, 1), position(30, 1)
    solver, search = probes()
    first = SolveFirst(solver, search, share=0.5, cost=ENDGAME.cost)
    assert not first.run(early, nodes=1000).proven
    assert not first.run(early, seconds=0.01).proven
    assert not solver.limits
    assert first.run(late, nodes=1_000_000).proven
    assert len(search.limits) == 2


def test_the_engine_is_whom_to_ask() -> None:
    assert adviser("avalam") == "avalam"
    assert adviser("connect4") == "perfect"
    assert adviser("tictactoe") is None


def test_without_a_share_nothing_is_solved() -> None:
    solver, search = probes()
    SolveFirst(solver, search, share=0, cost=ENDGAME.cost).run(position(30, 1), nodes=1000)
    assert not solver.limits


def test_a_solver_that_is_stopped_is_followed_by_a_glance_of_the_search() -> None:
    solver, search = probes()
    flag = StopFlag()
    flag.set()
    state = position(20, 1)
    result = SolveFirst(solver, search, share=0.5, cost=ENDGAME.cost).run(state, nodes=10**9, stop=flag)
    assert solver.limits
    assert result.depth == 1
    assert result.nodes == len(state.legal_moves)


@pytest.mark.parametrize("spec", ["avalam:nodes=3000", "avalam:nodes=3000,solve_share=0", "avalam-uct:iterations=60"])
def test_the_same_limits_give_the_same_game(spec: str) -> None:
    first, second = (play_game("avalam", spec, "avalam-greedy", seed=3) for _ in range(2))
    assert [str(move.move) for move in first.moves] == [str(move.move) for move in second.moves]


def test_the_engine_beats_the_course_s_greedy_player_and_a_plain_tree_search() -> None:
    assert play_match("avalam", "avalam:nodes=2000", "avalam-greedy", games=10, seed=1).score == 1
    assert play_match("avalam", "avalam:nodes=5000", "avalam-mcts:iterations=300", games=10, seed=1).score >= 0.8
