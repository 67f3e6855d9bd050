"""Divercité as a beginner would write it, from the rules alone: what the core is compared with."""

from __future__ import annotations

import functools
from itertools import permutations
from typing import NamedTuple

Cell = tuple[int, int]
# Colours, and kinds of pieces, in the order of the course's program.
COLOURS = "RGBY"
PIECES = tuple(colour + kind for colour in COLOURS for kind in "CR")
CELLS: tuple[Cell, ...] = tuple((i, j) for i in range(9) for j in range(9) if abs(i - 4) + abs(j - 4) <= 4)
CITY_CELLS = tuple((i, j) for i, j in CELLS if (i + j) % 2 == 1)
RESOURCE_CELLS = tuple((i, j) for i, j in CELLS if (i + j) % 2 == 0)
PLIES = 40


def neighbours(cell: Cell) -> list[Cell]:
    i, j = cell
    return [other for other in ((i - 1, j), (i, j - 1), (i, j + 1), (i + 1, j)) if other in CELLS]


AROUND = {city: neighbours(city) for city in CITY_CELLS}


def cell_name(cell: Cell) -> str:
    return f"{'abcdefghi'[cell[1]]}{cell[0] + 1}"


def move_text(piece: str, cell: Cell) -> str:
    return (piece[0] if piece[1] == "C" else piece[0].lower()) + cell_name(cell)


class Verdict(NamedTuple):
    """How a game ended, for White."""

    outcome: int
    margin: int
    decided_by: str


class SlowDivercite:
    """Pieces on their cells as colour, kind and who placed them, RCW; what both players have left."""

    def __init__(self) -> None:
        self.board: dict[Cell, str] = {}
        self.hands = [{piece: 2 if piece[1] == "C" else 3 for piece in PIECES} for _ in range(2)]

    @property
    def ply(self) -> int:
        return len(self.board)

    @property
    def mover(self) -> int:
        return self.ply % 2

    def legal(self) -> dict[str, tuple[str, Cell]]:
        """In the order of the course's program."""
        if self.ply == PLIES:
            return {}
        return {
            move_text(piece, cell): (piece, cell)
            for piece in PIECES
            if self.hands[self.mover][piece] > 0
            for cell in (CITY_CELLS if piece[1] == "C" else RESOURCE_CELLS)
            if cell not in self.board
        }

    def play(self, piece: str, cell: Cell) -> None:
        self.hands[self.mover][piece] -= 1
        self.board[cell] = piece + "WB"[self.mover]

    def around(self, city: Cell) -> list[str]:
        """The colours of the resources that touch a city."""
        return [self.board[cell][0] for cell in AROUND[city] if cell in self.board]

    def is_divercite(self, city: Cell) -> bool:
        return sorted(self.around(city)) == sorted(COLOURS)

    def stack(self, city: Cell) -> int:
        """How many of the city's colour touch it."""
        return self.around(city).count(self.board[city][0])

    def points_at(self, city: Cell) -> int:
        if city not in self.board or self.board[city][1] != "C":
            return 0
        return 5 if self.is_divercite(city) else self.stack(city)

    def cities(self, player: int) -> list[Cell]:
        return [cell for cell, piece in self.board.items() if piece[1:] == "C" + "WB"[player]]

    def points(self, player: int) -> int:
        return sum(self.points_at(city) for city in self.cities(player))

    def rungs(self, player: int) -> dict[str, int]:
        """What the handout compares, in its order."""
        cities = self.cities(player)
        stacks = [self.stack(city) for city in cities]
        return {
            "points": self.points(player),
            "Divercités": sum(map(self.is_divercite, cities)),
            "fours": stacks.count(4),
            "threes": stacks.count(3),
            "twos": stacks.count(2),
        }

    def decided_by(self) -> tuple[str, int]:
        """The first rung that differs, and the player who is ahead there; White at the end of the ladder."""
        white, black = self.rungs(0), self.rungs(1)
        for rung in white:
            if white[rung] != black[rung]:
                return rung, 0 if white[rung] > black[rung] else 1
        return "perfect tie", 0

    def framework_scores(self) -> tuple[int, int]:
        """The final scores as the course's program has them."""
        scores = [self.points(0), self.points(1)]
        if self.ply < PLIES or scores[0] != scores[1]:
            return scores[0], scores[1]
        rung, ahead = self.decided_by()
        if rung != "perfect tie":
            scores[ahead] += 1
        if rung in ("twos", "perfect tie"):
            scores[0] += 1
        return scores[0], scores[1]

    def verdict(self, rules: str) -> Verdict:
        rung, ahead = self.decided_by()
        margin = self.points(0) - self.points(1)
        if rung == "points":
            return Verdict(1 if margin > 0 else -1, margin, rung)
        if rules == "official":
            return Verdict(0, 0, "level")
        if rules == "handout":
            return Verdict(1 if ahead == 0 else -1, 0, rung)
        white, black = self.framework_scores()
        return Verdict((white > black) - (white < black), white - black, rung)

    def position(self) -> str:
        """The text of the position."""

        def text(cell: Cell) -> str:
            piece = self.board.get(cell)
            if piece is None:
                return "."
            return piece[0].lower() if piece[1] == "R" else piece[0] + ("-" if piece[2] == "B" else "")

        rows = ["".join(text((i, j)) for j in range(9) if (i, j) in CELLS) for i in range(9)]
        return "/".join([*rows, "".join(str(self.hands[0][colour + "R"]) for colour in COLOURS)])

    def mapped(self, turn: int, colours: dict[str, str]) -> SlowDivercite:
        """Its image under a symmetry of the board and a permutation of the colours."""
        image = SlowDivercite()
        image.board = {TURNS[turn][cell]: colours[piece[0]] + piece[1:] for cell, piece in self.board.items()}
        image.hands = [{colours[piece[0]] + piece[1]: left for piece, left in hand.items()} for hand in self.hands]
        return image


#: The eight symmetries of the square, the identity first.
TURNS = tuple(
    {
        (i, j): {
            (False, 0): (i, j),
            (False, 1): (j, 8 - i),
            (False, 2): (8 - i, 8 - j),
            (False, 3): (8 - j, i),
            (True, 0): (i, 8 - j),
            (True, 1): (j, i),
            (True, 2): (8 - i, j),
            (True, 3): (8 - j, 8 - i),
        }[mirrored, quarters]
        for i, j in CELLS
    }
    for mirrored in (False, True)
    for quarters in range(4)
)
PERMUTATIONS = tuple(dict(zip(COLOURS, images, strict=True)) for images in permutations(COLOURS))

#: What a player has left, each kind sorted: which colour it is does not matter for counting.
Hand = tuple[tuple[int, ...], tuple[int, ...]]


def hand_of(pieces: dict[str, int]) -> Hand:
    cities, resources = (sorted(left for piece, left in pieces.items() if piece[1] == kind) for kind in "CR")
    return tuple(cities), tuple(resources)


@functools.cache
def count_lines(mover: Hand, other: Hand, depth: int) -> int:
    """The lines of so many plies, by the hands alone: a move is a colour that is left and an empty cell of its kind."""
    if depth == 0:
        return 1
    lines = 0
    for kind, cells in enumerate((16, 25)):
        placed = (8, 12)[kind] * 2 - sum(mover[kind]) - sum(other[kind])
        for left in set(mover[kind]) - {0}:
            after = list(mover)
            after[kind] = tuple(sorted((*_without(mover[kind], left), left - 1)))
            ways = (cells - placed) * mover[kind].count(left)
            lines += ways * count_lines(other, (after[0], after[1]), depth - 1)
    return lines


def _without(counts: tuple[int, ...], one: int) -> tuple[int, ...]:
    at = counts.index(one)
    return counts[:at] + counts[at + 1 :]
