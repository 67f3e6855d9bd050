"""The cheat sheet of Quoridor."""

from joute.games.guide import Guide
from joute.games.quoridor.records import Wall
from joute.games.quoridor.state import Quoridor


def heuristic(state: Quoridor, player: int) -> float:
    """Return how many steps I am ahead in the race to the goals; a wall in hand is worth half a step."""
    steps, walls = state.distances, state.walls_in_hand
    lead = steps[1 - player] - steps[player]
    turn = 0.5 if state.to_move == player else -0.5  # the player to move is half a step ahead
    return lead + turn + 0.5 * (walls[player] - walls[1 - player])


GUIDE = Guide(
    rules="White starts on e1 and wins on row 9, Black starts on e9 and wins on row 1. A turn moves the pawn one "
    "step, or places one of ten walls, two cells long, which must leave both pawns a path to their goals. A pawn "
    "jumps over the other pawn if it stands in front of it; if the cell behind is blocked, it jumps around the "
    "corner.",
    notation="A move is a cell, `e2`, or a wall, `e3h` or `e3v`: above or to the right of the cell e3, where it "
    "begins. Letters are columns and digits are rows from White's side. Accessors count rows and columns from 0, so "
    "e1 is row 0, column 4.",
    heuristic=heuristic,
    records=(Wall,),
)
