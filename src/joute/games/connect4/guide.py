"""The cheat sheet of Connect Four."""

from joute.games.connect4.state import Connect4
from joute.games.guide import Guide


def heuristic(state: Connect4, player: int) -> float:
    """Count each disc by the number of lines of four through its cell, mine minus the opponent's."""
    lines_through = (
        (3, 4, 5, 5, 4, 3),
        (4, 6, 8, 8, 6, 4),
        (5, 8, 11, 11, 8, 5),
        (7, 10, 13, 13, 10, 7),
        (5, 8, 11, 11, 8, 5),
        (4, 6, 8, 8, 6, 4),
        (3, 4, 5, 5, 4, 3),
    )
    total = 0
    for column, weights in zip(state.cells, lines_through, strict=True):
        for owner, weight in zip(column, weights, strict=True):
            if owner == player:
                total += weight
            elif owner >= 0:
                total -= weight
    return total


GUIDE = Guide(
    rules="Players drop a disc into one of seven columns of six cells. Four discs of a player in a line win: "
    "horizontal, vertical or diagonal. A full board is a draw.",
    notation="A move is a column, `1` to `7`. Accessors count columns from 0, and rows from 0 at the bottom.",
    heuristic=heuristic,
)
