"""Edits Divercité positions: brushes put a piece from a player's hand on a cell. Drafts are positions' texts.

A brush is a colour and a player: it puts a city on a cell for cities and a resource on a cell for resources. The board
does not tell whose resources are on it, only the hands do: a resource that is removed goes back to the player who has
placed more pieces, so that positions soon have both in turn again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from joute.games.divercite.records import City
from joute.games.divercite.state import Divercite
from joute.games.editor import Brush, EditError, Editor, drawn_as, spots
from joute.games.scene import Area, Scene

_SIZE = 9
_COLOURS = {"R": "red", "G": "green", "B": "blue", "Y": "yellow"}
_CITIES, _RESOURCES = 2, 3  # of each colour and player
_DIVERCITE = 5  # points
_ROWS = (1, 3, 5, 7, 9, 7, 5, 3, 1)
_DRAFT = re.compile("/".join(f"(?:[rgby.]|[RGBY]-?){{{length}}}" for length in _ROWS) + "/[0-3]{4}")
_CELL = re.compile("[rgby.]|[RGBY]-?")

Place = tuple[int, int]
#: The cells (row, column) in the order of a position's text.
_CELLS: tuple[Place, ...] = tuple(
    (row, column) for row in range(_SIZE) for column in range(_SIZE) if abs(row - 4) + abs(column - 4) <= 4
)


def _is_city(place: Place) -> bool:
    return sum(place) % 2 == 1


def _name(place: Place) -> str:
    return f"{'abcdefghi'[place[1]]}{place[0] + 1}"


@dataclass(frozen=True)
class _Board:
    """A draft, with the members of a position that its drawing reads."""

    #: The pieces as in a position's text, by the order of cells, and the resources in White's hand by colour.
    pieces: tuple[str, ...]
    resources_of_white: tuple[int, ...]
    title: str = Divercite.title
    status: str = "a position that is being edited"
    is_terminal: bool = False
    legal_moves: tuple[Any, ...] = ()

    @staticmethod
    def read(draft: str) -> _Board:
        if not _DRAFT.fullmatch(draft):
            raise EditError(
                "a draft has rows of 1, 3, 5, 7, 9, 7, 5, 3 and 1 cells, then the four numbers of resources in "
                "White's hand"
            )
        rows, hand = draft.rsplit("/", 1)
        board = _Board(tuple(_CELL.findall(rows)), tuple(map(int, hand)))
        if any(left < 0 or left > most for player in (0, 1) for left, most in board._hand(player).values()):
            raise EditError("a draft has at most two cities and three resources of each colour and player")
        return board

    @property
    def position(self) -> str:
        rest = iter(self.pieces)
        rows = ("".join(next(rest) for _ in range(length)) for length in _ROWS)
        return "/".join([*rows, "".join(map(str, self.resources_of_white))])

    def at(self, place: Place) -> str:
        """The piece on a cell as in a position's text; empty outside the board."""
        return self.pieces[_CELLS.index(place)] if place in _CELLS else ""

    def put(self, place: Place, piece: str) -> _Board:
        at = _CELLS.index(place)
        return replace(self, pieces=(*self.pieces[:at], piece, *self.pieces[at + 1 :]))

    def with_resource(self, colour: str, by_white: int) -> _Board:
        """The board with more or fewer resources of a colour in White's hand."""
        left = list(self.resources_of_white)
        left["RGBY".index(colour)] += by_white
        return replace(self, resources_of_white=tuple(left))

    def _hand(self, player: int) -> dict[str, tuple[int, int]]:
        """The pieces in a player's hand and their number at the start, by piece."""
        found = {}
        for index, colour in enumerate(_COLOURS):
            cities = self.pieces.count(colour + ("-" if player else ""))
            found[f"{colour}C"] = (_CITIES - cities, _CITIES)
            of_white = self.resources_of_white[index]
            of_black = 2 * _RESOURCES - self.pieces.count(colour.lower()) - of_white
            found[f"{colour}R"] = (of_black if player else of_white, _RESOURCES)
        return found

    def hand(self, player: int) -> dict[str, int]:
        return {piece: left for piece, (left, _) in self._hand(player).items()}

    def placed(self, player: int) -> int:
        return sum(most - left for left, most in self._hand(player).values())

    @property
    def to_move(self) -> int:
        return int(self.placed(0) > self.placed(1))

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(self.piece_at(row, column) for column in range(_SIZE)) for row in range(_SIZE))

    def piece_at(self, row: int, column: int) -> str:
        piece = self.at((row, column)).replace(".", "")
        if not piece or piece.islower():
            return f"{piece.upper()}R" if piece else ""
        return piece[0] + ("CB" if piece.endswith("-") else "CW")

    def _around(self, place: Place) -> tuple[int, ...]:
        row, column = place
        beside = [
            self.at(each) for each in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        ]
        return tuple(beside.count(colour.lower()) for colour in _COLOURS)

    def points_at(self, row: int, column: int) -> int:
        piece = self.at((row, column))
        if not piece or not piece[0].isupper():
            return 0
        around = self._around((row, column))
        return _DIVERCITE if all(around) else around["RGBY".index(piece[0])]

    @property
    def cities(self) -> tuple[City, ...]:
        return tuple(
            City(*place, piece[0], int(piece.endswith("-")), self.points_at(*place), self._around(place))  # type: ignore[arg-type]  # four numbers
            for place, piece in zip(_CELLS, self.pieces, strict=True)
            if piece[0].isupper()
        )

    @property
    def scores(self) -> tuple[int, int]:
        first, second = (sum(city.points for city in self.cities if city.owner == player) for player in (0, 1))
        return first, second


class DiverciteEditor(Editor):
    """A brush for each colour and player."""

    def empty(self) -> str:
        """The empty board with full hands."""
        return self.draft(type(self.start).new(rules=self.start.rules))

    def brushes(self, draft: str) -> tuple[Brush, ...]:
        """A colour of each player, and one that takes pieces away."""
        board = _Board.read(draft)
        taken = spots((_name(place), _AREAS[place]) for place in _CELLS if board.at(place) != ".")
        return (
            *(
                Brush(f"{colour}{player}", f"{name} of {self.start.players[player]}", _SPOTS, "e4")
                for player in (0, 1)
                for colour, name in _COLOURS.items()
            ),
            Brush("remove", "remove", taken),
        )

    def paint(self, draft: str, brush: str, spot: str, amount: int) -> str:
        """Put a piece from a hand on a cell, or back into a hand. A piece on the cell goes back first."""
        board, place = _Board.read(draft), _PLACES[spot]
        board = _taken(board, place)
        if brush == "remove":
            return board.position
        colour, player = brush[0], int(brush[1])
        kind = "city" if _is_city(place) else "resource"
        if not board.hand(player)[colour + kind[0].upper()]:
            raise EditError(f"{self.start.players[player]} has no {_COLOURS[colour]} {kind} left")
        if _is_city(place):
            return board.put(place, colour + "-" * player).position
        return board.put(place, colour.lower()).with_resource(colour, player - 1).position

    def drawing(self, draft: str) -> Scene:
        """The board with these pieces, of which one player may have placed too many."""
        return drawn_as(Divercite, _Board.read(draft))


def _taken(board: _Board, place: Place) -> _Board:
    """The board without the piece on a cell."""
    piece = board.at(place)
    without = board.put(place, ".")
    if not piece.islower():
        return without
    colour = piece.upper()
    placed = [_RESOURCES - board.hand(player)[f"{colour}R"] for player in (0, 1)]
    by_white = bool(placed[0]) and (not placed[1] or board.placed(0) > board.placed(1))
    return without.with_resource(colour, int(by_white))


def _areas() -> dict[Place, Area]:
    """The area of each cell: all are free at the start."""
    targets = Divercite().scene().targets
    found = {target.move[1:]: Area(target.x, target.y, target.width, target.height) for target in targets}
    return {place: found[_name(place)] for place in _CELLS}


_AREAS = _areas()
_PLACES = {_name(place): place for place in _CELLS}
_SPOTS = spots((_name(place), area) for place, area in _AREAS.items())
