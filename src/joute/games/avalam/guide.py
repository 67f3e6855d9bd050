"""The cheat sheet of Avalam."""

from joute.games.avalam.state import Avalam
from joute.games.guide import Guide


def heuristic(state: Avalam, player: int) -> float:
    """Count my towers minus the opponent's; a tower that can no longer change counts double."""
    total = 0
    for towers, partners in zip(state.towers, state.partners, strict=True):
        for tower, choices in zip(towers, partners, strict=True):
            worth = 1 if choices else 2
            if tower > 0:  # a tower of yellow, the first player
                total += worth
            elif tower < 0:
                total -= worth
    return total if player == 0 else -total


GUIDE = Guide(
    rules="48 towers of height one stand on a board of nine rows. A turn puts a tower of either colour on a "
    "neighbouring tower, in any of eight directions; the sum of the heights must not exceed five. A tower belongs to "
    "the player whose colour is on top. The game ends when no tower can move, and the player with more towers wins; "
    "if both have as many, towers of height five decide.",
    notation="A move names two cells, `c1d1`: the tower on c1 goes on d1. Letters are columns and digits are rows "
    "from the top. Accessors count rows and columns from 0, so c1 is row 0, column 2.",
    heuristic=heuristic,
)
