"""A greedy player of Vampires vs Werewolves: it sends every group to the nearest house that it can convert."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from joute.agents.agent import SearchInfo
from joute.agents.clock import Clock
from joute.agents.registry import AgentType
from joute.games import Move, State
from joute.games.vampires.state import Vampires

Place = tuple[int, int]


@dataclass(frozen=True)
class VampiresGreedyParameters:
    """The greedy player has no parameters."""


@dataclass(frozen=True)
class _Cell:
    place: Place
    species: str
    count: int

    def distance(self, place: Place) -> int:
        """Return the distance in king's moves."""
        return max(abs(self.place[0] - place[0]), abs(self.place[1] - place[1]))


class VampiresGreedyAgent:
    """Moves whole groups, the largest first, each to the nearest convertible house that no other group heads for.

    Without such a house, a group moves to the nearest enemies that it can destroy, else to the nearest own group.
    """

    info: SearchInfo | None = None

    def __init__(self, parameters: VampiresGreedyParameters, seed: int) -> None:
        pass

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the next step of every group that has a target."""
        assert isinstance(state, Vampires)
        cells = {(x, y): _Cell((x, y), species, count) for x, y, species, count in state.cells}
        own = state.species(state.to_move)
        groups = sorted((cell for cell in cells.values() if cell.species == own), key=lambda cell: -cell.count)
        sources: set[Place] = set()
        entered: set[Place] = set()
        promised: set[Place] = set()  # houses that another group heads for
        orders = []
        for group in groups:
            target = _target(group, cells, promised, state)
            if target is None or group.place in entered:
                continue
            step = _step(group, target, cells, state)
            if step is None or step in sources:
                continue
            promised.add(target)
            sources.add(group.place)
            entered.add(step)
            orders.append((*group.place, group.count, *step))
        turn = state.turn(orders)
        # The turn is illegal if no group has a target, or if too many units arrive in one cell.
        return turn if state.is_legal(turn) else state.legal_moves[0]


def _target(group: _Cell, cells: dict[Place, _Cell], promised: set[Place], state: Vampires) -> Place | None:
    others = [cell for cell in cells.values() if cell.place != group.place]
    wanted: tuple[Callable[[_Cell], bool], ...] = (
        lambda cell: cell.species == "h" and cell.place not in promised and _is_prey(group, cell, state),
        lambda cell: cell.species not in ("h", group.species) and _is_prey(group, cell, state),
        lambda cell: cell.species == group.species,
    )
    for is_wanted in wanted:
        if found := [cell for cell in others if is_wanted(cell)]:
            return min(found, key=lambda cell: (group.distance(cell.place), -cell.count, cell.place)).place
    return None


def _step(group: _Cell, target: Place, cells: dict[Place, _Cell], state: Vampires) -> Place | None:
    """Return the neighbour cell nearest to the target, except cells with units that would fight back."""
    distance = group.distance(target)
    x, y = group.place
    nearer = [
        (x + dx, y + dy)
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
        if 0 <= x + dx < state.columns and 0 <= y + dy < state.rows  # inside the grid
        if max(abs(x + dx - target[0]), abs(y + dy - target[1])) < distance
    ]
    free = [place for place in nearer if place == target or _is_harmless(group, cells.get(place), state)]
    return min(free, key=lambda place: (place[0] - target[0]) ** 2 + (place[1] - target[1]) ** 2, default=None)


def _is_prey(group: _Cell, cell: _Cell, state: Vampires) -> bool:
    return state.is_sure_to_take(group.count, *cell.place)


def _is_harmless(group: _Cell, cell: _Cell | None, state: Vampires) -> bool:
    return cell is None or cell.species == group.species or _is_prey(group, cell, state)


VAMPIRES_GREEDY = AgentType(
    "vampires-greedy",
    "sends every group to the nearest house it can convert",
    VampiresGreedyParameters,
    VampiresGreedyAgent,
    ("vampires",),
)
