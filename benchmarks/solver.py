"""The exact solver of Connect Four against bitbully: one core, no book, tables cleared before each position."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from bitbully import bitbully_core

from joute._core import Connect4Solver
from joute.games.connect4.state import Connect4

POSITIONS = 20
QUICK_WINS = 200
# The empty board takes both solvers long, so it is solved a few times, and by ours alone.
EMPTY_REPEATS = 3


def run(repeats: int) -> None:
    ours = Connect4Solver()
    theirs = bitbully_core.BitBullyCore()
    print(f"\nConnect Four solved: total time of {POSITIONS} random positions a row, median of {repeats}")
    print(f"  {'positions':<20} {'joute':>10} {'bitbully':>10} {'ratio':>7}   {'nodes':>9} {'bitbully':>9}")
    for plies in (8, 12, 16):
        _compare(f"{plies} plies", random_positions(POSITIONS, plies), ours, theirs, repeats, goal=0.6)
    _compare(f"{QUICK_WINS} quick wins", quick_wins(), ours, theirs, repeats, goal=1.0)
    print(f"\nThe empty board, exact score without a book, median of {EMPTY_REPEATS}")
    times = {threads: _empty_board(threads) for threads in (1, 2)}
    gain = times[1] / times[2]
    print(f"  two threads are {gain:.2f}× as fast as one (goal 1.6×: {'reached' if gain >= 1.6 else 'MISSED'})")


def random_positions(count: int, plies: int) -> list[Connect4]:
    """Positions of random play that are not over and have no win in one; the same in every run."""
    rng = random.Random(20240 + plies)
    found: list[Connect4] = []
    while len(found) < count:
        state = Connect4.new()
        for _ in range(plies):
            if not state.is_terminal:
                state = state.play(rng.choice(state.legal_moves))
        if not state.is_terminal and not state.winning_moves:
            found.append(state)
    return found


def quick_wins() -> list[Connect4]:
    """Positions in which the mover wins with its second, third or fourth disc from now."""
    solver = Connect4Solver(memory_mb=512)
    found: list[Connect4] = []
    for plies in range(12, 24):
        for state in random_positions(120, plies):
            own_moves = 22 - solver.score(state) - state.ply // 2
            if 2 <= own_moves <= 4:
                found.append(state)
    random.Random(1).shuffle(found)
    return found[:QUICK_WINS]


def _compare(
    name: str,
    states: list[Connect4],
    ours: Connect4Solver,
    theirs: bitbully_core.BitBullyCore,
    repeats: int,
    *,
    goal: float,
) -> None:
    boards = []
    for state in states:
        board = bitbully_core.BoardCore()
        for column in state.position:
            board.play(int(column) - 1)
        boards.append(board)

    def solve_ours() -> tuple[float, int, list[int]]:
        return _total(states, ours.clear, ours.score, lambda: ours.nodes)

    def solve_theirs() -> tuple[float, int, list[int]]:
        def clear() -> None:
            theirs.resetTranspositionTable()
            theirs.resetNodeCounter()

        return _total(boards, clear, lambda board: theirs.mtdf(board, 0), theirs.getNodeCounter)

    runs = [(solve_ours(), solve_theirs()) for _ in range(repeats)]
    (_, our_nodes, our_scores), (_, their_nodes, their_scores) = runs[0]
    assert our_scores == their_scores, "the solvers disagree"
    our_time = statistics.median(run[0][0] for run in runs)
    their_time = statistics.median(run[1][0] for run in runs)
    ratio = our_time / their_time
    verdict = "reached" if ratio <= goal else "MISSED"
    print(
        f"  {name:<20} {1000 * our_time:>7.1f} ms {1000 * their_time:>7.1f} ms {ratio:>6.2f}×   "
        f"{our_nodes / 1e6:>7.2f} M {their_nodes / 1e6:>7.2f} M   (goal ≤ {goal:g}×: {verdict})"
    )


def _total(
    positions: list[Any], clear: Callable[[], None], score: Callable[[Any], int], nodes: Callable[[], int]
) -> tuple[float, int, list[int]]:
    total, node_sum, scores = 0.0, 0, []
    for position in positions:
        clear()
        began = time.perf_counter()
        scores.append(score(position))
        total += time.perf_counter() - began
        node_sum += nodes()
    return total, node_sum, scores


def _empty_board(threads: int) -> float:
    solver = Connect4Solver(threads=threads)
    times = []
    for _ in range(EMPTY_REPEATS):
        solver.clear()
        began = time.perf_counter()
        assert solver.score(Connect4.new()) == 1
        times.append(time.perf_counter() - began)
    median = statistics.median(times)
    verdict = "reached" if median < 150 else "MISSED"
    nodes = f"{solver.nodes / 1e6:.0f} M nodes"
    print(f"  {threads} thread{'s' * (threads > 1)}: {median:.1f} s, {nodes} (goal < 150 s: {verdict})")
    return median
