"""Convert positions, pieces and actions between Joute and seahorse, the framework of the Divercité course.

A piece on the board has three letters: its colour (R, G, B, Y), C for a city or R for a resource, and W or B for the
player who placed it. A piece in hand has the first two. A cell is (row, column) on a board of 9 by 9. White begins; the
number of moves played, called a step in the framework, determines the player to move. An action places a piece:
``{"piece": "RC", "position": (3, 4)}``. The order of the keys matters, because the framework compares actions by it.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joute._core import one_line
from joute.errors import NotationError
from joute.games import Move
from joute.games.divercite.state import Divercite
from joute.protocol.course import CourseError

#: The rules of the course's program, with its tie-break.
GAME = f"{Divercite.game}:rules=framework"

SIDE = 9
STEPS = 40
LETTERS = ("W", "B")
COLOURS = "RGBY"
#: The kinds of pieces in hand, in the order in which the course's program lists them and generates actions.
PIECES = tuple(f"{colour}{kind}" for colour in COLOURS for kind in "CR")
#: The number of each kind in a player's hand at the start.
HAND = {piece: 2 if piece[1] == "C" else 3 for piece in PIECES}

Cell = tuple[int, int]


def kind_of(row: int, column: int) -> str:
    """Return C for a cell of cities, R for one of resources, and empty text outside the board."""
    if abs(row - SIDE // 2) + abs(column - SIDE // 2) > SIDE // 2:
        return ""
    return "C" if (row + column) % 2 else "R"


#: The cells of the board, row by row.
CELLS = tuple((row, column) for row in range(SIDE) for column in range(SIDE) if kind_of(row, column))


@dataclass(frozen=True)
class Shown:
    """A position as the framework passes it to a player; hands are White's and Black's."""

    pieces: Mapping[Cell, str]
    hands: tuple[Mapping[str, int], Mapping[str, int]]
    step: int


def shown_by(current_state: Any) -> Shown:
    """Read a state object of any version of the framework; may raise any exception if it is not one."""
    env = current_state.get_rep().get_env()
    ids = [player.get_id() for player in current_state.get_players()]
    hands = {str(key): hand for key, hand in current_state.players_pieces_left.items()}
    white, black = (hands[str(each)] for each in ids)
    return Shown({cell: piece.get_type() for cell, piece in env.items()}, (white, black), current_state.step)


def state_of(shown: Shown) -> Divercite:
    """Return the position; CourseError if it is not a valid position of the game."""
    for cell, piece in shown.pieces.items():
        _check_piece(cell, piece)
    letters = [_letter(shown.pieces.get(cell, "")) for cell in CELLS]
    rows = ["".join(letters[i] for i, cell in enumerate(CELLS) if cell[0] == row) for row in range(SIDE)]
    # In a position's text, cities have an owner and resources do not; it therefore lists White's remaining resources.
    left = "".join(str(_left(shown.hands[0], f"{colour}R")) for colour in COLOURS)
    try:
        state = Divercite.new("/".join([*rows, left]), GAME.partition(":")[2])
    except NotationError as error:
        raise CourseError(f"the state is not a position of the game: {error}") from error
    if type(shown.step) is not int or shown.step != state.ply:
        raise CourseError(f"with {state.ply} pieces on the board the step is {state.ply}, not {one_line(shown.step)}")
    for player, name in enumerate(Divercite.players):
        for piece, count in state.hand(player).items():
            if (told := _left(shown.hands[player], piece)) != count:
                raise CourseError(f"by the board {name} has {count} {piece} left, not {told}")
    return state


def _check_piece(cell: object, piece: object) -> None:
    """Raise CourseError unless it is a piece in a cell of its kind."""
    is_cell = isinstance(cell, tuple) and cell in CELLS
    is_piece = isinstance(piece, str) and piece[:2] in PIECES and piece[2:] in LETTERS
    if not is_cell or not is_piece:
        raise CourseError(f"there can be no piece {one_line(piece)} at {one_line(cell)}")
    assert isinstance(cell, tuple)
    assert isinstance(piece, str)
    if piece[1] != kind_of(*cell):
        kind = {"C": "cities", "R": "resources"}[kind_of(*cell)]
        raise CourseError(f"there can be no piece {piece} at {cell}, which is for {kind}")


def _letter(piece: str) -> str:
    """Return a cell of a position's text: lower case for resources, upper case for cities, a dash after Black's."""
    if not piece:
        return "."
    if piece[1] == "R":
        return piece[0].lower()
    return piece[0] if piece[2] == LETTERS[0] else f"{piece[0]}-"


def _left(hand: Any, piece: str) -> int:
    count = hand.get(piece) if isinstance(hand, Mapping) else None
    if type(count) is not int or not 0 <= count <= HAND[piece]:
        raise CourseError(f"a player has 0 to {HAND[piece]} {piece} left, not {one_line(count)}")
    return count


def action_data(move: Move) -> dict[str, Any]:
    """Convert a move to the data of an action."""
    colour, column, row = tuple(str(move))
    kind = "C" if colour.isupper() else "R"
    return {"piece": f"{colour.upper()}{kind}", "position": (int(row) - 1, ord(column) - ord("a"))}


def move_text(data: Any) -> str:
    """Convert the data of an action to text that `parse_move` reads; for other data, return a description."""
    if not isinstance(data, Mapping) or "piece" not in data or "position" not in data:
        return one_line(data)
    position = data["position"]
    if isinstance(position, list | tuple) and len(position) == 2:
        position = ",".join(one_line(_as_whole(part)) for part in position)
    return f"{one_line(data['piece'])},{one_line(position)}"


def _as_whole(part: Any) -> Any:
    """Return a row or column as an int if it equals one: the framework compares values, so NumPy's integers count."""
    try:
        return operator.index(part)
    except TypeError:
        return int(part) if isinstance(part, float) and part.is_integer() else part
