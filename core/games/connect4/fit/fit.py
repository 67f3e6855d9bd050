"""Fits the weights of Connect Four's evaluation `threats` (core/games/connect4/evaluate.hpp) to exact results.

Run it with the project's interpreter: ``.venv/bin/python core/games/connect4/fit/fit.py``. It draws positions of random
play, solves them, and prints the weights of a logistic regression and how often its sign is right on held-out
positions. It takes a few minutes.
"""

from __future__ import annotations

import numpy as np

import joute
from joute._core import Connect4Solver
from joute.games.connect4.book import shipped_book

POSITIONS = 100_000
SEED = 7
NAMES = ("line_of_one", "line_of_two", "win_odd", "win_even", "win_now")
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
CELLS = [(column, row) for column in range(7) for row in range(6)]
LINES = [
    [(column + i * right, row + i * up) for i in range(4)]
    for column, row in CELLS
    for right, up in DIRECTIONS
    if column + 3 * right < 7 and 0 <= row + 3 * up < 6
]


def features(state: joute.State) -> list[float]:
    """Compute the features of both players and the side to move, in the slow and obvious way."""
    owner = {(c, r): state.disc_at(c, r) for c, r in CELLS}
    height = [sum(owner[c, r] >= 0 for r in range(6)) for c in range(7)]
    found: list[float] = []
    for player, sign in ((0, 1), (1, -1)):
        lines = [line for line in LINES if all(owner[cell] != 1 - player for cell in line)]
        discs = [sum(owner[cell] == player for cell in line) for line in lines]
        wins = {
            cell for line, count in zip(lines, discs, strict=True) for cell in line if count == 3 and owner[cell] < 0
        }
        later = {(c, r) for c, r in wins if r != height[c]}
        odd = sum(r % 2 == 0 for _, r in later)  # row 0 is the first row
        counts = (discs.count(1), discs.count(2), odd, len(later) - odd, len(wins) - len(later))
        found += [sign * count for count in counts]
    cells = [0] * 24  # discs by cell: first player minus second, mirrored cells together
    for (column, row), player in owner.items():
        if player >= 0:
            cells[6 * min(column, 6 - column) + row] += 1 - 2 * player
    return [*found, 1 if state.to_move == 0 else -1, 1, *cells]


def sample() -> tuple[np.ndarray, np.ndarray]:
    """Return the features, and the results for the first player as 1, ½ or 0."""
    rng, solver = joute.Random(SEED), Connect4Solver(book=shipped_book())
    rows, results = [], []
    while len(rows) < POSITIONS:
        state = joute.new("connect4")
        for _ in range(4 + rng.below(32)):
            if not state.is_terminal:
                state = state.play(state.random_move(rng))
        if state.is_terminal or state.winning_moves:
            continue
        outcome = solver.outcome(state)
        rows.append(features(state))
        results.append((1 + (outcome if state.to_move == 0 else -outcome)) / 2)
    return np.array(rows), np.array(results)


def fit(rows: np.ndarray, results: np.ndarray) -> np.ndarray:
    """Maximize the log-likelihood by Newton's method."""
    weights = np.zeros(rows.shape[1])
    for _ in range(20):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (results - chance)
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + 1e-6 * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    return weights


def main() -> None:
    """Print the weights."""
    rows, results = sample()
    held_out = len(rows) // 5
    weights = fit(rows[held_out:], results[held_out:])
    decided = results[:held_out] != 0.5
    right = (rows[:held_out] @ weights > 0) == (results[:held_out] > 0.5)
    for name, first, second in zip(NAMES, weights[:5], weights[5:10], strict=True):
        print(f"{name:<12} first {first:6.3f}  second {second:6.3f}")
    print(f"to_move {weights[10]:.3f}  constant {weights[11]:.3f}")
    for column in range(4):
        values = ", ".join(f"{weight:.3f}" for weight in weights[12 + 6 * column : 18 + 6 * column])
        print(f"cells of column {column + 1}, from the bottom: {values}")
    print(f"right sign on {right[decided].mean():.1%} of {decided.sum()} decided positions held out")


if __name__ == "__main__":
    main()
