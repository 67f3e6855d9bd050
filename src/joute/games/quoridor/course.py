"""The interface of the Quoridor course (Polytechnique Montréal, INF8215, autumn 2021): percepts and actions.

Percepts are the board's attributes: ``pawns``, row and column of both; ``goals``, their goal rows, 8 and 0;
``nb_walls``, both players' walls in hand; ``horiz_walls`` and ``verti_walls``, row and column of each wall; ``size``,
``rows``, ``cols`` and ``starting_walls``. Rows count from 0 on the side of player 0, who begins; steps count from 1. An
action is ``["P", row, column]`` for the pawn, ``["WH", row, column]`` or ``["WV", row, column]`` for a wall.
"""

from __future__ import annotations

from typing import Any, ClassVar

from joute._core import one_line
from joute.errors import IllegalMoveError, NotationError
from joute.games import Move, State
from joute.games.quoridor.state import Quoridor
from joute.protocol.course import CourseError, ServerCourse

_SIZE = 9
_WALLS = 10
_ATTRIBUTES = {"size": _SIZE, "rows": _SIZE, "cols": _SIZE, "starting_walls": _WALLS, "goals": [_SIZE - 1, 0]}
_KINDS = {"P": "", "WH": "h", "WV": "v"}
_NAMES = {letter: kind for kind, letter in _KINDS.items()}


class QuoridorCourse(ServerCourse):
    """The percepts and actions of Quoridor's course."""

    game: ClassVar[str] = Quoridor.game
    rules: ClassVar[str] = "rules=course"
    announces_games: ClassVar[bool] = True

    def number(self, player: int) -> int:
        """Return the player itself, 0 or 1."""
        return player

    def numbers(self, player: int) -> list[int]:
        """Return two numbers: the course's program has four players, of whom an agent plays two."""
        return [player, player + 2]

    def percepts(self, state: State) -> dict[str, Any]:
        """Return the attributes of the course's board."""
        assert isinstance(state, Quoridor)
        return {
            "pawns": [list(state.pawn(player)) for player in (0, 1)],
            "nb_walls": [state.walls_left(player) for player in (0, 1)],
            "horiz_walls": [list(anchor) for anchor in state.horizontal_walls],
            "verti_walls": [list(anchor) for anchor in state.vertical_walls],
            **_ATTRIBUTES,
        }

    def state(self, percepts: Any, player: Any, step: Any, *, rules: str | None = None) -> State:
        """Return the position with that player to move at that step; CourseError if it is not a valid one."""
        pawns, walls_left, *walls = _read(percepts)
        if type(player) is not int or player not in (0, 1):
            raise CourseError(f"player must be 0 or 1, not {one_line(player)}")
        if type(step) is not int or step < 1:
            raise CourseError(f"step must be a whole number from 1, not {one_line(step)}")
        if player != (step - 1) % 2:
            raise CourseError(f"at step {step} it is player {(step - 1) % 2}'s turn, not {player}'s")
        boards = ("".join(_cell(*place) for place in places) for places in (*walls, pawns))
        position = f"{'/'.join(boards)}/{walls_left[0]}-{walls_left[1]}/{step - 1}"
        try:
            return Quoridor.new(position, self.rules if rules is None else rules)
        except NotationError as error:
            raise CourseError(f"the percepts are not a position: {str(error).rpartition(' position: ')[2]}") from error

    def action(self, state: State, move: Move) -> list[Any]:
        """Return the kind of the move, its row and its column."""
        text = str(move)
        return [_NAMES[text[2:]], int(text[1]) - 1, ord(text[0]) - ord("a")]

    def move(self, state: State, action: Any) -> Move:
        """Return the move of a kind and two numbers, in a list or a tuple."""
        assert isinstance(state, Quoridor)
        illegal = f"illegal move {one_line(action)} at ply {state.ply} of {self.game}"
        if type(action) not in (list, tuple) or len(action) != 3 or type(action[0]) is not str:
            raise IllegalMoveError(f"{illegal}: a move is P, WH or WV, a row and a column")
        kind, *place = action
        if kind not in _KINDS or any(type(part) is not int for part in place):
            raise IllegalMoveError(f"{illegal}: a move is P, WH or WV and two whole numbers, row and column")
        last = _SIZE - 1 if kind == "P" else _SIZE - 2
        if not all(0 <= part <= last for part in place):
            what = "the board" if kind == "P" else "walls"
            raise IllegalMoveError(f"{illegal}: rows and columns of {what} are 0 to {last}")
        move: Move = state.parse_move(_cell(*place) + _KINDS[kind])
        if not state.is_legal(move):
            raise IllegalMoveError(f"{illegal}: {_why_illegal(state, kind)}")
        return move


def _why_illegal(state: Quoridor, kind: str) -> str:
    if kind == "P":
        row, column = state.pawn(state.to_move)
        return f"the pawn at row {row}, column {column} cannot go there"
    if state.walls_left(state.to_move) == 0:
        return f"player {state.to_move} has no walls left"
    return "the wall crosses or overlaps another, or blocks a pawn's last path"


def _read(percepts: Any) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Return pawns, walls in hand, horizontal and vertical walls; CourseError if a value is malformed."""
    needed = ("pawns", "nb_walls", "horiz_walls", "verti_walls")
    if not isinstance(percepts, dict) or not all(name in percepts for name in needed):
        raise CourseError(f"percepts must be a dictionary with {', '.join(needed)}")
    for name, value in _ATTRIBUTES.items():
        found = percepts.get(name, value)
        if list(found) != value if isinstance(found, list | tuple) else type(found) is not int or found != value:
            raise CourseError(f"{name} must be {value}, not {one_line(found)}")
    pawns, walls_left, *walls = (percepts[name] for name in needed)
    if not _is_list(pawns, 2) or not all(_is_place(pawn, _SIZE) for pawn in pawns):
        raise CourseError("pawns must be row and column of both, 0 to 8")
    if not _is_list(walls_left, 2) or any(type(count) is not int for count in walls_left):
        raise CourseError("nb_walls must be two whole numbers")
    for name, places in zip(needed[2:], walls, strict=True):
        if not _is_list(places) or not all(_is_place(place, _SIZE - 1) for place in places):
            raise CourseError(f"{name} must be a list of rows and columns, 0 to 7")
    return pawns, walls_left, *walls


def _is_list(value: object, length: int | None = None) -> bool:
    return isinstance(value, list | tuple) and (length is None or len(value) == length)


def _is_place(value: Any, size: int) -> bool:
    return _is_list(value, 2) and all(type(part) is int and 0 <= part < size for part in value)


def _cell(row: int, column: int) -> str:
    return f"{chr(ord('a') + column)}{row + 1}"


COURSE = QuoridorCourse()
