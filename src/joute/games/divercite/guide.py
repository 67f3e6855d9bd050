"""The cheat sheet of Divercité."""

from joute.games.divercite.records import City, Resource
from joute.games.divercite.state import Divercite
from joute.games.guide import Guide


def heuristic(state: Divercite, player: int) -> float:
    """Add up the points of my cities, with a bonus for a Divercité in the making, minus the opponent's."""
    total = 0.0
    for city in state.cities:
        worth = float(city.points)
        if city.points < 5 and max(city.around) <= 1:  # no colour twice: four colours are still possible
            worth += 0.5 * sum(city.around)
        total += worth if city.owner == player else -worth
    return total


GUIDE = Guide(
    rules="Each player has two cities and three resources of each of four colours (R, G, B, Y) and places one piece "
    "a turn: cities on city cells, resources on resource cells. A city with four different colours around it is a "
    "Divercité and scores 5. Any other city scores one point for each resource of its own colour that touches it. "
    "Resources belong to nobody. After 40 plies the player with more points wins; the rules option says how ties "
    "break.",
    notation="A move is a colour and a cell: `Re4` places a red city, `re5` a red resource. Letters are columns and "
    "digits are rows from the top. Accessors count rows and columns from 0, so e4 is row 3, column 4.",
    heuristic=heuristic,
    records=(City, Resource),
)
