"""Divercité's endgames solved exactly: one core, an empty memory before each position.

Seconds are those of the processor: the solver has one thread, and a busy machine would be counted otherwise.
"""

from __future__ import annotations

import random
import statistics
import time

import joute
from joute._core import Divercite
from joute.games.divercite.agents.solver import solver_options

POSITIONS = 20
PLIES = 40
# Median seconds to reach, by plies left; none for what is only reported.
GOALS = {12: 0.1, 14: 1.0, 16: None}
# The most seconds for a position.
LIMIT = 30
# The strong positions are those of games between searches that look four to six plies ahead.
PLAYER = "alphabeta:nodes=20000"


def run(repeats: int) -> None:
    print(f"\nDivercité solved exactly: {POSITIONS} positions a row, each once, {LIMIT} s at most")
    print(f"  {'positions':<18} {'solved':>6} {'median':>10} {'p90':>10} {'most':>10} {'nodes':>10} {'Mnodes/s':>9}")
    for left, goal in GOALS.items():
        _row(f"random, {left} plies", [_random_position(left, seed) for seed in range(POSITIONS)], goal)
    games = [_strong_game(seed) for seed in range(POSITIONS)]
    for left, goal in GOALS.items():
        _row(f"strong, {left} plies", [game[left] for game in games], goal)


def _random_position(left: int, seed: int) -> joute.State:
    rng = random.Random(1000 * left + seed)
    state = joute.new("divercite")
    while state.ply < PLIES - left:
        state = state.play(rng.choice(state.legal_moves))
    return state


def _strong_game(seed: int) -> dict[int, joute.State]:
    """Four random plies, then a search: the positions by plies left."""
    rng = random.Random(seed)
    player = joute.agent(PLAYER, seed=seed)
    state = joute.new("divercite")
    positions = {}
    while state.ply <= PLIES - min(GOALS):
        positions[PLIES - state.ply] = state
        move = rng.choice(state.legal_moves) if state.ply < 4 else player.choose(state, joute.Clock())
        state = state.play(move)
    return positions


def _row(name: str, positions: list[joute.State], goal: float | None) -> None:
    search = Divercite.search(solver_options(memory_mb=1024, lines=1))
    times, nodes, solved = [], 0, 0
    for state in positions:
        search.forget()
        began = time.process_time()
        result = search.run(state, seconds=LIMIT)
        times.append(time.process_time() - began)
        nodes += result.nodes
        solved += result.proven
    median = statistics.median(times)
    verdict = "" if goal is None else f"   (goal < {goal:g} s: {'reached' if median < goal else 'MISSED'})"
    print(
        f"  {name:<18} {solved:>6} {1000 * median:>7.1f} ms {1000 * statistics.quantiles(times, n=10)[-1]:>7.1f} ms "
        f"{max(times):>8.2f} s {nodes / 1e6:>8.1f} M {nodes / sum(times) / 1e6:>9.2f}{verdict}"
    )
