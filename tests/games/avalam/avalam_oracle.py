"""Avalam as a beginner would write it, from the rules alone: what the core is compared with."""

from __future__ import annotations

# Existing columns of each row; the centre is no cell.
COLUMNS = (
    (2, 3),
    (1, 2, 3, 4),
    (1, 2, 3, 4, 5, 6),
    (1, 2, 3, 4, 5, 6, 7, 8),
    (0, 1, 2, 3, 5, 6, 7, 8),
    (0, 1, 2, 3, 4, 5, 6, 7),
    (2, 3, 4, 5, 6, 7),
    (4, 5, 6, 7),
    (5, 6),
)
Cell = tuple[int, int]
CELLS: tuple[Cell, ...] = tuple((row, column) for row, columns in enumerate(COLUMNS) for column in columns)


def neighbours(cell: Cell) -> list[Cell]:
    row, column = cell
    around = [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
    return [other for other in around if other in CELLS]


def move_text(source: Cell, target: Cell) -> str:
    return "".join("abcdefghi"[column] + str(row + 1) for row, column in (source, target))


class SlowAvalam:
    """Towers as signed heights, positive for yellow; no tower, no entry."""

    def __init__(self) -> None:
        self.towers = {(row, column): 1 if (row + column) % 2 == 0 else -1 for row, column in CELLS}
        self.mover = 0

    def legal(self) -> dict[str, tuple[Cell, Cell]]:
        return {
            move_text(source, target): (source, target)
            for source, tower in self.towers.items()
            for target in neighbours(source)
            if target in self.towers and abs(tower) + abs(self.towers[target]) <= 5
        }

    def play(self, source: Cell, target: Cell) -> None:
        moved = self.towers.pop(source)
        height = abs(moved) + abs(self.towers[target])
        self.towers[target] = height if moved > 0 else -height
        self.mover = 1 - self.mover

    def counts(self) -> tuple[int, int]:
        """Yellow's towers less red's, and the same of fives."""
        heights = list(self.towers.values())
        towers = sum(height > 0 for height in heights) - sum(height < 0 for height in heights)
        return towers, heights.count(5) - heights.count(-5)

    def position(self) -> str:
        """The text of the position."""
        letters = {0: "."} | {h: "ABCDE"[h - 1] for h in range(1, 6)} | {-h: "abcde"[h - 1] for h in range(1, 6)}
        return "/".join(
            "".join(letters[self.towers.get((row, column), 0)] for column in columns)
            for row, columns in enumerate(COLUMNS)
        )
