"""The cheat sheet of Vampires vs Werewolves."""

from joute.games.guide import Guide
from joute.games.vampires.records import Battle, Cell, Order
from joute.games.vampires.state import Vampires


def heuristic(state: Vampires, player: int) -> float:
    """Return my units minus the opponent's; a house in reach of a large enough group counts by its distance."""
    total, groups, houses = 0.0, state.groups, state.houses
    for side, sign in ((player, 1), (1 - player, -1)):
        total += sign * state.units(side)
        for house in houses:
            steps = [
                max(abs(group.x - house.x), abs(group.y - house.y))
                for group in groups[side]
                if group.units >= house.units
            ]
            if steps:
                total += sign * 0.5 * house.units / min(steps)
    return total


GUIDE = Guide(
    rules="Two species convert humans and fight each other on a grid. A turn is one order or more; each moves a "
    "number of units from a cell to one of its eight neighbours, and no cell is both left and entered. At least as "
    "many units as there are humans convert all of them. At least one and a half times as many units as there are "
    "enemies destroy them; otherwise the battle is random. A species without units has lost; at the ply limit the "
    "larger one wins.",
    notation="A move is a turn, its orders joined by `+`: `4.3-5.3x2+4.3-3.2x2` moves two units from 4.3 to 5.3 and "
    "two to 3.2. A cell is `x.y`, column before row, from 0 at the top left. `legal_moves` lists useful turns, not "
    "all; `state.turn` makes any other. After a random battle `is_chance` is true: `outcomes` has the probabilities "
    "and `resolve(i)` the positions.",
    heuristic=heuristic,
    records=(Order, Cell, Battle),
)
