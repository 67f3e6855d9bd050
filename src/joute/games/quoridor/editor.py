"""Edits Quoridor positions. Every change leads to a legal position or is refused, so drafts are positions' texts.

A wall that is put on the board comes from the hand with more walls, and goes back to the hand with fewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from joute.games.editor import Brush, EditError, Editor, Field, grid, spots
from joute.games.quoridor.records import Wall
from joute.games.quoridor.state import Quoridor
from joute.games.scene import Area

_SIZE, _WALLS_EACH = 9, 10
_MOST_PLIES = 10_000

Place = tuple[int, int]


def _name(place: Place) -> str:
    return f"{'abcdefghi'[place[1]]}{place[0] + 1}"


@dataclass(frozen=True)
class _Board:
    """The parts of a position's text."""

    walls: tuple[Wall, ...]
    pawns: tuple[Place, Place]
    hands: tuple[int, int]
    ply: int

    @staticmethod
    def of(state: Quoridor) -> _Board:
        first, second = state.walls_in_hand
        return _Board(state.walls, state.pawns, (first, second), state.ply)

    @property
    def position(self) -> str:
        level, upright = ("".join(_name(wall[:2]) for wall in self.walls if wall[2] == kind) for kind in (True, False))
        first, second = self.hands
        return f"{level}/{upright}/{''.join(map(_name, self.pawns))}/{first}-{second}/{self.ply}"

    def with_pawn(self, player: int, place: Place) -> _Board:
        if self.pawns[1 - player] == place:
            raise EditError(f"the other pawn is on {_name(place)}")
        return replace(self, pawns=(place, self.pawns[1]) if player == 0 else (self.pawns[0], place))

    def with_wall(self, wall: Wall) -> _Board:
        if not any(self.hands):
            raise EditError("all 20 walls are on the board")
        first, second = self.hands
        return replace(
            self, walls=(*self.walls, wall), hands=(first - 1, second) if first >= second else (first, second - 1)
        )

    def without_wall(self, place: Place) -> _Board:
        first, second = self.hands
        kept = tuple(wall for wall in self.walls if wall[:2] != place)
        return replace(self, walls=kept, hands=(first + 1, second) if first <= second else (first, second + 1))


class QuoridorEditor(Editor):
    """Brushes for the pawns and the walls; fields for the hands and the plies."""

    def empty(self) -> str:
        """The start: every position has two pawns."""
        return type(self.start).new(rules=self.start.rules).position

    def brushes(self, draft: str) -> tuple[Brush, ...]:
        """The two pawns, walls in both directions, and one that takes walls away."""
        board = self._board(draft)
        cells = spots((_name((row, column)), _CELL(row, column)) for row in range(_SIZE) for column in range(_SIZE))
        crossings = [(row, column) for row in range(_SIZE - 1) for column in range(_SIZE - 1)]
        taken = {wall[:2] for wall in board.walls}
        free = spots((_name(place), _crossing(place)) for place in crossings if place not in taken)
        first, second = self.start.players
        return (
            Brush("first", f"{first} pawn", cells, "e5"),
            Brush("second", f"{second} pawn", cells, "e5"),
            Brush("h", "horizontal wall", free, "d4"),
            Brush("v", "vertical wall", free, "d4"),
            Brush("remove", "remove a wall", spots((_name(place), _crossing(place)) for place in sorted(taken))),
        )

    def paint(self, draft: str, brush: str, spot: str, amount: int) -> str:
        """Move a pawn, or put or remove a wall; EditError if the position would not be legal."""
        board, place = self._board(draft), (int(spot[1]) - 1, "abcdefghi".index(spot[0]))
        match brush:
            case "first" | "second":
                board = board.with_pawn(int(brush == "second"), place)
            case "remove":
                board = board.without_wall(place)
            case _:
                board = board.with_wall(Wall(*place, brush == "h"))
        return self.legal(board.position)

    def fields(self, draft: str) -> tuple[Field, ...]:
        """The player to move, the walls in both hands, and the plies."""
        board = self._board(draft)
        total = sum(board.hands)
        low, high = max(0, total - _WALLS_EACH), min(_WALLS_EACH, total)
        first, second = self.start.players
        return (
            Field("to_move", "to move", board.ply % 2, 0, 1, (first, second)),
            Field("first_walls", f"walls in hand: {first}", board.hands[0], low, high),
            Field("second_walls", f"walls in hand: {second}", board.hands[1], low, high),
            Field("ply", "plies played", board.ply, 0, _MOST_PLIES),
        )

    def set(self, draft: str, field: str, value: int) -> str:
        """The draft with another player to move, other hands or plies; EditError if it would not be legal."""
        board = self._board(draft)
        total = sum(board.hands)
        changes: Mapping[str, _Board] = {
            "to_move": replace(board, ply=board.ply + (value - board.ply % 2)),
            "first_walls": replace(board, hands=(value, total - value)),
            "second_walls": replace(board, hands=(total - value, value)),
            "ply": replace(board, ply=value),
        }
        return self.legal(changes[field].position)

    def _board(self, draft: str) -> _Board:
        self.legal(draft)
        state = self.state(draft)
        assert isinstance(state, Quoridor)
        return _Board.of(state)


def _cells() -> Mapping[Place, Area]:
    """The areas of cells that the first pawn can enter from e1 and e2."""
    starts = [Quoridor.new(f"//{cell}e9/10-10/0") for cell in ("e1", "e2")]
    steps = [target for start in starts for target in start.scene().targets if len(target.move) == 2]
    return {
        (int(step.move[1]) - 1, "abcdefghi".index(step.move[0])): Area(step.x, step.y, step.width, step.height)
        for step in steps
    }


_CELL = grid(_cells())


def _crossing(place: Place) -> Area:
    return _CELL(place[0] + 0.5, place[1] + 0.5)
