"""Vampires vs Werewolves: random games over the candidates on every built-in map, in the core and from Python."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import joute
from joute.games.vampires.state import map_names

_SECONDS = 0.2  # of each measurement


def run(repeats: int) -> None:
    """Games and plies a second of processor time, medians."""
    print("\nVampires vs Werewolves: random games over the candidates, medians of processor time")
    print(f"  {'map':<10}{'plies a game':>14}{'games/s':>12}{'plies/s':>12}{'from Python, plies/s':>22}{'ratio':>8}")
    for name in map_names():
        start = joute.new(f"vampires:map={name}")
        core = [_rates(partial(_in_core, start), seed) for seed in range(repeats)]
        python = [_rates(partial(_from_python, start), seed) for seed in range(repeats)]
        games = statistics.median(rate for rate, _ in core)
        plies = statistics.median(rate for _, rate in core)
        slow = statistics.median(rate for _, rate in python)
        print(f"  {name:<10}{plies / games:>14.1f}{games:>12,.0f}{plies:>12,.0f}{slow:>22,.0f}{plies / slow:>7.1f}×")


def _rates(play: Callable[[int, int], int], seed: int) -> tuple[float, float]:
    """Games and plies a second, of as many games as take long enough."""
    games = 1
    while True:
        began = time.process_time()
        plies = play(games, seed)
        seconds = time.process_time() - began
        if seconds >= _SECONDS:
            return games / seconds, plies / seconds
        games *= 2


def _in_core(start: joute.State, games: int, seed: int) -> int:
    return start.playouts(games, seed=seed).plies


def _from_python(start: joute.State, games: int, seed: int) -> int:
    """Move by move, as an agent written in Python would."""
    rng = joute.Random(seed)
    plies = 0
    for _ in range(games):
        state = start
        while not state.is_terminal:
            state = state.play(state.random_move(rng), rng)
            plies += 1
    return plies
