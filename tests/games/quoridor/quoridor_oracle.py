"""Quoridor as a beginner would write it, from the rules alone: what the core is compared with."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterable

#: Row and column, from 0 on White's side and on the left; of a cell, or of the cell below and left of a wall's middle.
Cell = tuple[int, int]
SIZE = 9
CELLS: tuple[Cell, ...] = tuple((row, column) for row in range(SIZE) for column in range(SIZE))
ANCHORS: tuple[Cell, ...] = tuple((row, column) for row in range(SIZE - 1) for column in range(SIZE - 1))
GOALS = (SIZE - 1, 0)
PLY_LIMIT = 300

STANDARD, COURSE, NULL_MOVE = "quoridor", "quoridor:rules=course", "quoridor:rules=course,null_move=yes"


def name(cell: Cell) -> str:
    return f"{'abcdefghi'[cell[1]]}{cell[0] + 1}"


def place(text: str) -> Cell:
    return int(text[1]) - 1, "abcdefghi".index(text[0])


#: In the core's order.
EVERY_MOVE = [*map(name, CELLS), *(name(anchor) + direction for direction in "hv" for anchor in ANCHORS)]


def kata(move: str) -> str:
    """A cell or a wall as KataQuoridor and OpenSpiel write it, whose rows count from Black's side."""
    return f"{move[0]}{10 - int(move[1])}" if len(move) == 2 else f"{move[0]}{9 - int(move[1])}{move[2]}"


def turned(position: str) -> str:
    """The same for the other player: the board upside down, and one ply later."""
    *walls, pawns, hands, ply = position.split("/")
    images = [
        sorted((kata(names[at : at + 2] + "h")[:2] for at in range(0, len(names), 2)), key=place) for names in walls
    ]
    white, black = hands.split("-")
    return "/".join([*map("".join, images), kata(pawns[2:]) + kata(pawns[:2]), f"{black}-{white}", str(int(ply) + 1)])


@functools.cache
def closed_by(wall: str) -> frozenset[frozenset[Cell]]:
    """The two pairs of neighbours that a wall parts."""
    row, column = place(wall)
    if wall[2] == "h":
        return frozenset(frozenset({(row, at), (row + 1, at)}) for at in (column, column + 1))
    return frozenset(frozenset({(at, column), (at, column + 1)}) for at in (row, row + 1))


@functools.cache
def beside(cell: Cell) -> list[tuple[Cell, frozenset[Cell]]]:
    """The cells beside one on an empty board, each with the pair that a wall would part."""
    row, column = cell
    cells = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    return [(after, frozenset({cell, after})) for after in cells if 0 <= after[0] < SIZE and 0 <= after[1] < SIZE]


class SlowQuoridor:
    """Two pawns, the walls as written (``e3h``), the walls in hand, the plies played."""

    def __init__(self, spec: str = STANDARD) -> None:
        self.pawns: list[Cell] = [(0, 4), (8, 4)]
        self.walls: set[str] = set()
        self.hands = [10, 10]
        self.ply = 0
        self.course, self.null_move = spec != STANDARD, spec == NULL_MOVE

    @classmethod
    def of(cls, spec: str, position: str) -> SlowQuoridor:
        """From the text of a position."""
        horizontal, vertical, pawns, hands, ply = position.split("/")
        slow = cls(spec)
        for names, direction in ((horizontal, "h"), (vertical, "v")):
            slow.walls |= {names[at : at + 2] + direction for at in range(0, len(names), 2)}
        slow.pawns = [place(pawns[:2]), place(pawns[2:])]
        slow.hands = list(map(int, hands.split("-")))
        slow.ply = int(ply)
        return slow

    @property
    def mover(self) -> int:
        return self.ply % 2

    # --- Ways ---

    def closed(self, more: Iterable[str] = ()) -> set[frozenset[Cell]]:
        """The neighbours that walls part."""
        return {pair for wall in (*self.walls, *more) for pair in closed_by(wall)}

    @staticmethod
    def neighbours(cell: Cell, closed: set[frozenset[Cell]]) -> list[Cell]:
        return [after for after, pair in beside(cell) if pair not in closed]

    def steps_and_jumps(self, cell: Cell, other: Cell, closed: set[frozenset[Cell]]) -> list[Cell]:
        """Where a pawn may go while the other stands there."""
        found = []
        for after in self.neighbours(cell, closed):
            if after != other:
                found.append(after)
                continue
            beyond = self.neighbours(other, closed)
            straight = 2 * other[0] - cell[0], 2 * other[1] - cell[1]
            found += [straight] if straight in beyond else [corner for corner in beyond if corner != cell]
        return found

    def distance(self, player: int, closed: set[frozenset[Cell]], *, through_pawn: bool = True) -> int | None:
        """Steps to the goal; the course's program does not look through the other pawn, but jumps over it."""
        other = self.pawns[1 - player]
        distances = {self.pawns[player]: 0}
        queue = deque(distances)
        while queue:
            cell = queue.popleft()
            if cell[0] == GOALS[player]:
                return distances[cell]
            ahead = self.neighbours(cell, closed) if through_pawn else self.steps_and_jumps(cell, other, closed)
            for after in ahead:
                if after not in distances:
                    distances[after] = distances[cell] + 1
                    queue.append(after)
        return None

    # --- Moves ---

    def pawn_moves(self) -> list[str]:
        cells = self.steps_and_jumps(self.pawns[self.mover], self.pawns[1 - self.mover], self.closed())
        return list(map(name, sorted(cells)))

    def fits(self, wall: str) -> bool:
        """Whether a wall neither crosses nor overlaps another."""
        row, column = place(wall)
        across = f"{wall[:2]}{'v' if wall[2] == 'h' else 'h'}"
        along = [(row, column - 1), (row, column + 1)] if wall[2] == "h" else [(row - 1, column), (row + 1, column)]
        overlapping = {wall, *(name(anchor) + wall[2] for anchor in along if min(anchor) >= 0)}
        return across not in self.walls and not overlapping & self.walls

    def leaves_ways(self, wall: str, *, through_pawn: bool) -> bool:
        closed = self.closed([wall])
        return all(self.distance(player, closed, through_pawn=through_pawn) is not None for player in (0, 1))

    def placeable(self, *, through_pawn: bool | None = None) -> list[str]:
        """The walls that one with walls in hand may place."""
        if through_pawn is None:
            through_pawn = not self.course
        walls = [name(anchor) + direction for direction in "hv" for anchor in ANCHORS]
        return [wall for wall in walls if self.fits(wall) and self.leaves_ways(wall, through_pawn=through_pawn)]

    def legal(self) -> list[str]:
        """In the core's order; every wall that does nothing is one of them."""
        if self.is_over():
            return []
        walls = self.placeable() if self.hands[self.mover] or self.null_move else []
        return self.pawn_moves() + walls

    def play(self, move: str) -> None:
        if len(move) == 2:
            self.pawns[self.mover] = place(move)
        elif self.hands[self.mover]:
            self.walls.add(move)
            self.hands[self.mover] -= 1
        self.ply += 1

    # --- The end ---

    def winner(self) -> int | None:
        return next((player for player in (0, 1) if self.pawns[player][0] == GOALS[player]), None)

    def is_over(self) -> bool:
        return self.winner() is not None or (self.ply >= PLY_LIMIT and not self.course)

    def position(self) -> str:
        walls = [
            "".join(name(anchor) for anchor in ANCHORS if name(anchor) + direction in self.walls) for direction in "hv"
        ]
        return "/".join([*walls, "".join(map(name, self.pawns)), "-".join(map(str, self.hands)), str(self.ply)])
