"""A board of Quoridor that a referee needs, in plain Python: nothing of Joute's is in it."""

from __future__ import annotations

from typing import Any

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Board:
    """The board of the Quoridor course, by its attributes. That walls leave a way is not looked at."""

    def __init__(self) -> None:
        self.pawns = [[0, 4], [8, 4]]
        self.nb_walls = [10, 10]
        self.horiz_walls: list[list[int]] = []
        self.verti_walls: list[list[int]] = []

    def percepts(self) -> dict[str, Any]:
        fixed = {"size": 9, "rows": 9, "cols": 9, "starting_walls": 10, "goals": [8, 0]}
        return {**fixed, **vars(self)}

    def is_open(self, cell: list[int], down: int, right: int) -> bool:
        """Whether a pawn can go from a cell to its neighbour, as if there were no other."""
        row, column = cell
        if not (0 <= row + down < 9 and 0 <= column + right < 9):
            return False
        if down:
            return not any([row + min(down, 0), column - back] in self.horiz_walls for back in (0, 1))
        return not any([row - back, column + min(right, 0)] in self.verti_walls for back in (0, 1))

    def play(self, player: int, action: Any) -> None:
        """Play an action that looks legal; AssertionError if it cannot be."""
        kind, row, column = action
        assert type(kind) is str
        assert type(row) is type(column) is int
        if kind == "P":
            own, other = self.pawns[player], self.pawns[1 - player]
            assert [row, column] in self.reached(own, other)
            self.pawns[player] = [row, column]
            return
        walls = {"WH": self.horiz_walls, "WV": self.verti_walls}[kind]
        along = (0, 1) if kind == "WH" else (1, 0)
        assert self.nb_walls[player] > 0
        assert 0 <= row < 8
        assert 0 <= column < 8
        for sign in (-1, 0, 1):
            assert [row + sign * along[0], column + sign * along[1]] not in walls
        assert [row, column] not in self.horiz_walls + self.verti_walls
        walls.append([row, column])
        self.nb_walls[player] -= 1

    def reached(self, own: list[int], other: list[int]) -> list[list[int]]:
        cells = []
        for down, right in STEPS:
            if not self.is_open(own, down, right):
                continue
            near = [own[0] + down, own[1] + right]
            if near != other:
                cells.append(near)
            elif self.is_open(near, down, right):
                cells.append([near[0] + down, near[1] + right])
            else:
                aside = [step for step in STEPS if (step[0] == 0) != (down == 0) and self.is_open(near, *step)]
                cells += [[near[0] + step[0], near[1] + step[1]] for step in aside]
        return cells
