"""What every position of the dice race is worth, by value iteration: what searches with chance are compared with."""

from __future__ import annotations

import functools

TARGET = 7
FACES = {0: 1 / 2, 2: 1 / 3, 3: 1 / 6}


@functools.cache
def dice_values() -> dict[tuple[int, int], dict[str, float]]:
    """For (own steps, the opponent's): the chance to win by each move. A roll of 0 goes round in circles."""
    cells = [(own, other) for own in range(TARGET) for other in range(TARGET)]
    values = {cell: {"step": 0.5, "roll": 0.5} for cell in cells}

    def after(own: int, other: int) -> float:
        return 1.0 if own >= TARGET else 1 - max(values[other, own].values())

    for _ in range(200):
        values = {
            (own, other): {
                "step": after(own + 1, other),
                "roll": sum(chance * after(own + face, other) for face, chance in FACES.items()),
            }
            for own, other in cells
        }
    return values
