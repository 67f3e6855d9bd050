"""The interface of the Avalam course (Polytechnique Montréal, INF8215, autumn 2022): percepts and moves.

Percepts are the board's attributes: ``m``, a 9 by 9 list of rows from the top with the height of each tower, positive
for yellow, negative for red and 0 where there is none; ``rows``, ``columns`` and ``max_height``. Yellow is player 1,
red is -1; steps count from 1. A move is four numbers: row and column of the tower that moves, then of the tower that
it lands on.
"""

from __future__ import annotations

from typing import Any, ClassVar

from joute._core import one_line
from joute.errors import IllegalMoveError, NotationError
from joute.games import Move, State
from joute.games.avalam.state import Avalam
from joute.protocol.course import CourseError, ServerCourse

_SIZE = 9
_MAX_HEIGHT = 5
_ATTRIBUTES = {"rows": _SIZE, "columns": _SIZE, "max_height": _MAX_HEIGHT}
_START = Avalam.new()
# The columns of the cells in each row: every cell holds a counter at the start.
_ROWS = [[column for column in range(_SIZE) if _START.tower_at(row, column)] for row in range(_SIZE)]
_COUNTERS = sum(map(len, _ROWS))
_NUMBERS = (1, -1)


class AvalamCourse(ServerCourse):
    """The percepts and moves of Avalam's course."""

    game: ClassVar[str] = Avalam.game

    def number(self, player: int) -> int:
        """Return 1 for yellow, -1 for red."""
        return _NUMBERS[player]

    def percepts(self, state: State) -> dict[str, Any]:
        """Return the board as signed heights."""
        assert isinstance(state, Avalam)
        return {"m": [[state.tower_at(row, column) for column in range(_SIZE)] for row in range(_SIZE)], **_ATTRIBUTES}

    def state(self, percepts: Any, player: Any, step: Any, *, rules: str | None = None) -> State:
        """Return the position with that player to move at that step; CourseError if it is not a valid one."""
        towers = _towers(percepts)
        position = "/".join("".join(map(_letter, row)) for row in towers)
        state = Avalam.new(position, self.rules if rules is None else rules)
        if type(player) is not int or player not in _NUMBERS:
            raise CourseError(f"player must be 1 or -1, not {one_line(player)}")
        count = sum(tower != 0 for row in towers for tower in row)
        if player != _NUMBERS[state.to_move]:
            raise CourseError(f"with {count} towers it is player {_NUMBERS[state.to_move]}'s turn, not {player}'s")
        if type(step) is not int or step != state.ply + 1:
            raise CourseError(f"with {count} towers the step is {state.ply + 1}, not {one_line(step)}")
        return state

    def action(self, state: State, move: Move) -> list[Any]:
        """Return row and column of both cells, from 0."""
        text = str(move)
        return [place for cell in (text[:2], text[2:]) for place in (int(cell[1]) - 1, ord(cell[0]) - ord("a"))]

    def move(self, state: State, action: Any) -> Move:
        """Return the move of four numbers, in a list or a tuple."""
        assert isinstance(state, Avalam)
        illegal = f"illegal move {one_line(action)} at ply {state.ply} of {self.game}"
        if type(action) not in (list, tuple) or len(action) != 4 or any(type(part) is not int for part in action):
            raise IllegalMoveError(f"{illegal}: a move is four whole numbers, row, column, row, column")
        if not all(0 <= part < _SIZE for part in action):
            raise IllegalMoveError(f"{illegal}: rows and columns must be 0 to {_SIZE - 1}")
        try:
            move: Move = state.parse_move(",".join(map(str, action)))
        except NotationError as error:
            raise IllegalMoveError(f"{illegal}: {str(error).rpartition(': ')[2]}") from error
        if not state.is_legal(move):
            mover, under = (abs(state.tower_at(*cell)) for cell in (action[:2], action[2:]))
            raise IllegalMoveError(f"{illegal}: no tower of height {mover} can land on one of height {under}")
        return move


def _towers(percepts: Any) -> list[list[int]]:
    """Return the towers of the existing cells, row by row; CourseError if the board is not a valid Avalam board."""
    if not isinstance(percepts, dict) or "m" not in percepts:
        raise CourseError("percepts must be a dictionary with the board's rows as m")
    for name, value in _ATTRIBUTES.items():
        found = percepts.get(name, value)
        if type(found) is not int or found != value:
            raise CourseError(f"{name} must be {value}, not {one_line(found)}")
    board = percepts["m"]
    if not (_is_list(board) and all(map(_is_list, board))):
        raise CourseError(f"m must be {_SIZE} lists of {_SIZE} whole numbers")
    for row, towers in enumerate(board):
        for column, tower in enumerate(towers):
            place = f"row {row}, column {column}"
            if type(tower) is not int or abs(tower) > _MAX_HEIGHT:
                raise CourseError(f"towers are whole numbers from -5 to 5, not {one_line(tower)} at {place}")
            if tower and column not in _ROWS[row]:
                what = "the centre stays empty" if row == column == _SIZE // 2 else "there is no cell"
                raise CourseError(f"{what} at {place}, so there is no tower {tower}")
    counters = sum(abs(tower) for towers in board for tower in towers)
    if counters != _COUNTERS:
        raise CourseError(f"the towers contain {counters} counters, but there are always {_COUNTERS}")
    return [[board[row][column] for column in columns] for row, columns in enumerate(_ROWS)]


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == _SIZE


def _letter(tower: int) -> str:
    letter = ".ABCDE"[abs(tower)]
    return letter if tower > 0 else letter.lower()


COURSE = AvalamCourse()
