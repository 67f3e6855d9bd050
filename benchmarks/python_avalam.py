"""Random games of Avalam in the Python that both the interpreter and Numba run: arrays, and a full list every ply."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.random_games import Counts
from joute.games.avalam.state import Avalam

SIZE = 9


def play_games(start: Sequence[int], neighbours: Sequence[Sequence[int]], games: int, seed: int) -> Counts:
    """`start` is the board as signed heights; `neighbours` of a cell end with -1."""
    random.seed(seed)
    board = [0] * len(start)
    sources = [0] * 292
    targets = [0] * 292
    plies = first_wins = draws = 0
    for _ in range(games):
        for cell in range(len(start)):
            board[cell] = start[cell]
        while True:
            count = 0
            for cell in range(len(start)):
                height = abs(board[cell])
                if height == 0:
                    continue
                for other in neighbours[cell]:
                    if other < 0:
                        break
                    below = abs(board[other])
                    if below > 0 and height + below <= 5:
                        sources[count] = cell
                        targets[count] = other
                        count += 1
            if count == 0:
                break
            chosen = int(random.random() * count)
            source, target = sources[chosen], targets[chosen]
            height = abs(board[source]) + abs(board[target])
            board[target] = height if board[source] > 0 else -height
            board[source] = 0
            plies += 1
        margin = fives = 0
        for tower in board:
            if tower > 0:
                margin += 1
            elif tower < 0:
                margin -= 1
            if tower == 5:
                fives += 1
            elif tower == -5:
                fives -= 1
        score = margin if margin != 0 else fives
        if score > 0:
            first_wins += 1
        elif score == 0:
            draws += 1
    return plies, first_wins, draws


def tables() -> tuple[list[int], list[list[int]]]:
    """The start, and the neighbours of each of the 81 squares: eight at most, then -1."""
    state = Avalam.new()
    start = [state.tower_at(row, column) for row in range(SIZE) for column in range(SIZE)]
    neighbours = []
    for row in range(SIZE):
        for column in range(SIZE):
            around = [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
            cells = [r * SIZE + c for r, c in around if 0 <= r < SIZE and 0 <= c < SIZE and start[r * SIZE + c]]
            neighbours.append(cells + [-1] * (9 - len(cells)))
    return start, neighbours


def interpreted() -> Callable[[int, int], Counts]:
    start, neighbours = tables()
    return lambda games, seed: play_games(start, neighbours, games, seed)


def compiled() -> Callable[[int, int], Counts] | None:
    """The same loop by Numba; None where Numba is not installed."""
    try:
        from numba import njit
    except ImportError:
        return None
    start, neighbours = (np.array(table, dtype=np.int64) for table in tables())
    fast: Any = njit(play_games)
    return lambda games, seed: fast(start, neighbours, games, seed)
