"""Avalam's endgames solved exactly: one core, an empty memory before each position."""

from __future__ import annotations

import random
import statistics
import time

import joute
from joute._core import Avalam
from joute.games.avalam.agents.solver import solver_options

POSITIONS = 20
# Median seconds to reach, by ply; none for what is only reported.
GOALS = {24: 1.0, 22: 10.0, 20: None}
# The most seconds for a position of the earliest plies.
LIMIT = 30
# The strong positions are those of games between tree searches that see about as much as the course's clock gives
# a fast program in a second.
PLAYER = "mcts:iterations=4000,c=0.7"


def run(repeats: int) -> None:
    print(f"\nAvalam solved exactly: {POSITIONS} positions a row, each once, {LIMIT} s at most")
    print(f"  {'positions':<16} {'solved':>6} {'median':>10} {'most':>10} {'nodes':>10} {'Mnodes/s':>9}")
    for ply, goal in GOALS.items():
        _row(f"random, ply {ply}", [_random_position(ply, seed) for seed in range(POSITIONS)], goal)
    games = [_strong_game(seed) for seed in range(POSITIONS)]
    for ply in GOALS:
        _row(f"strong, ply {ply}", [game[ply] for game in games], None)


def _random_position(ply: int, seed: int) -> joute.State:
    rng = random.Random(1000 * ply + seed)
    while True:
        state = joute.new("avalam")
        while state.ply < ply and not state.is_terminal:
            state = state.play(rng.choice(state.legal_moves))
        if not state.is_terminal:
            return state


def _strong_game(seed: int) -> dict[int, joute.State]:
    """Four random plies, then tree search: the positions by ply."""
    rng = random.Random(seed)
    player = joute.agent(PLAYER, seed=seed)
    state = joute.new("avalam")
    positions = {}
    while state.ply <= max(GOALS) and not state.is_terminal:
        positions[state.ply] = state
        move = rng.choice(state.legal_moves) if state.ply < 4 else player.choose(state, joute.Clock())
        state = state.play(move)
    return positions


def _row(name: str, positions: list[joute.State], goal: float | None) -> None:
    search = Avalam.search(solver_options(memory_mb=1024, lines=1))
    times, nodes, solved = [], 0, 0
    for state in positions:
        search.forget()
        began = time.perf_counter()
        result = search.run(state, seconds=LIMIT)
        times.append(time.perf_counter() - began)
        nodes += result.nodes
        solved += result.proven
    median = statistics.median(times)
    verdict = "" if goal is None else f"   (goal < {goal:g} s: {'reached' if median < goal else 'MISSED'})"
    print(
        f"  {name:<16} {solved:>6} {1000 * median:>7.1f} ms {max(times):>8.2f} s {nodes / 1e6:>8.1f} M "
        f"{nodes / sum(times) / 1e6:>9.2f}{verdict}"
    )
