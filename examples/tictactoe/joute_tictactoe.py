"""Tic-tac-toe as a plug-in: a complete game in Python that Joute finds through its entry point.

Cells are numbered as on paper, and a move is the number of a cell:

    1 2 3
    4 5 6
    7 8 9

A position is the nine cells in that order, `X...O....`; X moves first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from joute import Result, State
from joute.errors import NotationError
from joute.games import Moves
from joute.games.scene import BOARD, EMPTY, PLAYERS, Path, Rect, Scene, Shape, Target

_LINES = ("012", "345", "678", "036", "147", "258", "048", "246")
_GRID = "M1 .1v2.8M2 .1v2.8M.1 1h2.8M.1 2h2.8"
_MARKS = {
    "X": "M-.3-.18-.18-.3 0-.12 .18-.3 .3-.18 .12 0 .3 .18 .18 .3 0 .12-.18 .3-.3 .18-.12 0Z",
    "O": "M-.32 0a.32 .32 0 1 0 .64 0a.32 .32 0 1 0-.64 0ZM-.15 0a.15 .15 0 1 0 .3 0a.15 .15 0 1 0-.3 0Z",
}


@dataclass(frozen=True, repr=False)
class TicTacToe(State):
    """A tic-tac-toe position."""

    cells: str = "." * 9

    game: ClassVar[str] = "tictactoe"
    title: ClassVar[str] = "Tic-tac-toe"
    players: ClassVar[tuple[str, str]] = ("first (X)", "second (O)")
    opening_plies: ClassVar[int] = 1

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Self:
        """The empty board, or the position that the text describes."""
        cells = "." * 9 if position is None else position
        marks = (cells.count("X"), cells.count("O"))
        if len(cells) != 9 or set(cells) - set("XO.") or marks[0] - marks[1] not in (0, 1):
            raise NotationError(f"'{cells}' is not a tictactoe position such as X...O....")
        return cls(cells)

    @property
    def position(self) -> str:
        """The nine cells, the text of the position."""
        return self.cells

    @property
    def ply(self) -> int:
        """The number of marks on the board."""
        return 9 - self.cells.count(".")

    @property
    def to_move(self) -> int:
        """0 for X, 1 for O."""
        return self.ply % 2

    @property
    def legal_moves(self) -> Moves[int]:
        """The empty cells. `Moves` is a list in which `in` also finds a move by its text."""
        if self.is_terminal:
            return Moves()
        return Moves(cell + 1 for cell, mark in enumerate(self.cells) if mark == ".")

    def after(self, move: int) -> Self:
        """The position after a mark on a cell."""
        return type(self)(self.cells[: move - 1] + "XO"[self.to_move] + self.cells[move:])

    @property
    def result(self) -> Result | None:
        """Three in a row wins; a full board is a draw."""
        for line in _LINES:
            marks = {self.cells[int(cell)] for cell in line}
            if marks in ({"X"}, {"O"}):
                outcome = 1 if marks == {"X"} else -1
                return Result(outcome, score=outcome, margin=outcome, decided_by="three in a row")
        return None if "." in self.cells else Result(0, decided_by="full board")

    def diagram(self) -> str:
        """Three rows of marks."""
        return "\n".join(" ".join(self.cells[row : row + 3]) for row in (0, 3, 6))

    # Learners see two planes, the marks of the player to move and those of the other, and know a move by the index of
    # its cell. All four members are optional.
    observation_shape: ClassVar[tuple[int, int, int]] = (2, 3, 3)
    action_count: ClassVar[int] = 9

    def observe(self) -> bytes:
        """The planes, row by row."""
        own, other = "XO" if self.to_move == 0 else "OX"
        return bytes(mark == shown for shown in (own, other) for mark in self.cells)

    def action_of(self, move: int) -> int:
        """The number of a move."""
        return move - 1

    def scene(self, last_move: Any = None) -> Scene:
        """Draw the marks, a ring around the cell of the last one, and an area to click for each move."""
        shapes: list[Shape] = [Rect(0, 0, 3, 3, BOARD, 0.2), Path(_GRID, "none", stroke=EMPTY)]
        for cell, mark in enumerate(self.cells, start=1):
            row, column = divmod(cell - 1, 3)
            if str(cell) == str(last_move):
                shapes.append(Rect(column + 0.1, row + 0.1, 0.8, 0.8, "none", 0.1, highlight=True))
            if mark != ".":
                shapes.append(Path(_MARKS[mark], PLAYERS["XO".index(mark)], column + 0.5, row + 0.5, key=str(cell)))
        targets = (
            Target((move - 1) % 3, (move - 1) // 3, 1, 1, str(move), label=f"cell {move}") for move in self.legal_moves
        )
        return Scene(3, 3, tuple(shapes), tuple(targets), title=f"{self.title}, {self.status}")
