"""What a turn of Vampires vs Werewolves does: conversions, battles, threats, and groups brought out of danger.

A group is in danger if the enemies beside it are certain to destroy it together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from joute import _core
from joute.games.effects import Effect
from joute.games.vampires.records import Battle, Cell
from joute.games.vampires.state import SPECIES, Vampires
from joute.numbers import percent

_HUMANS = "h"
_SINGULARS = {"vampires": "vampire", "werewolves": "werewolf"}


def effects(state: Vampires, move: _core.VampiresMove) -> list[Effect]:
    """Return the effects of a turn."""
    player = state.to_move
    after = state.play(move)
    occupants = {(cell.x, cell.y): cell for cell in state.cells}
    arriving: Counter[tuple[int, int]] = Counter()
    for order in move.orders:
        arriving[order.target_x, order.target_y] += order.units
    found = []
    for place, units in sorted(arriving.items()):
        cell = occupants.get(place)
        if cell is not None and cell.species != state.species(player):
            found.append(_taken(state, after, cell, units))
    if after.is_chance or after.is_terminal:
        return found
    found += _saved(state, after, player)
    found += _threatened(state, after, player)
    found += _approached(state, after, player)
    return found


def _taken(state: Vampires, after: Vampires, cell: Cell, units: int) -> Effect:
    what = _described(cell)
    if state.is_sure_to_take(units, cell.x, cell.y):
        verb, doing = ("converts", "converting") if cell.species == _HUMANS else ("destroys", "destroying")
        return Effect(f"{verb} {what}", f"{doing} {what}", kind=f"takes {cell.x}.{cell.y}", is_threat=True)
    win = next((battle.win for battle in _battles(after) if (battle.x, battle.y) == (cell.x, cell.y)), None)
    odds = "" if win is None else f" and wins with {percent(win)}"
    return Effect(f"attacks {what}{odds}", f"attacking {what}", kind=f"fights {cell.x}.{cell.y}")


def _battles(state: Vampires) -> Iterator[Battle]:
    """Yield the pending battles, each with its likeliest result before the next; each is on a cell of its own."""
    while state.is_chance:
        assert state.battle is not None
        yield state.battle
        likely = max(range(len(state.outcomes)), key=state.outcomes.__getitem__)
        state = state.resolve(likely)


def _saved(state: Vampires, after: Vampires, player: int) -> Iterator[Effect]:
    """The group that was in danger before the turn, if none is after it: the largest."""
    in_danger = list(_endangered(state, player))
    if in_danger and not list(_endangered(after, player)):
        group = max(in_danger, key=lambda cell: cell.units)
        enemies = _beside(state, group, 1 - player)
        own, other = SPECIES[group.species], state.players[1 - player]
        words = f"{_counted(group.units, own)} out of the reach of {_counted(enemies, other)}"
        yield Effect(f"brings {words}", f"bringing {words}", kind="saves", is_guard=True)


def _threatened(state: Vampires, after: Vampires, player: int) -> Iterator[Effect]:
    known = {(cell.x, cell.y, cell.units) for cell in _endangered(state, 1 - player)}
    for cell in _endangered(after, 1 - player):
        if (cell.x, cell.y, cell.units) not in known:
            words = _described(cell)
            yield Effect(f"threatens {words}", f"threatening {words}", kind=f"threatens {cell.x}.{cell.y}")


def _approached(state: Vampires, after: Vampires, player: int) -> Iterator[Effect]:
    """The largest house that the player can convert next turn, and could not this turn."""
    fresh = [house for house in after.houses if _can_take(after, house, player) and not _can_take(state, house, player)]
    if fresh:
        house = max(fresh, key=lambda cell: cell.units)
        words = _described(house)
        yield Effect(
            f"gets enough units next to {words}", f"coming next to {words}", kind=f"next to {house.x}.{house.y}"
        )


def _endangered(state: Vampires, player: int) -> Iterator[Cell]:
    return (group for group in state.groups[player] if _can_take(state, group, 1 - player))


def _can_take(state: Vampires, cell: Cell, player: int) -> bool:
    """Whether the player's units beside a cell are certain to take it together."""
    units = _beside(state, cell, player)
    return units > 0 and state.is_sure_to_take(units, cell.x, cell.y)


def _beside(state: Vampires, cell: Cell, player: int) -> int:
    return sum(group.units for group in state.groups[player] if max(abs(group.x - cell.x), abs(group.y - cell.y)) == 1)


def _described(cell: Cell) -> str:
    if cell.species == _HUMANS:
        return f"the house of {cell.units} at {cell.x}.{cell.y}"
    return f"the {_counted(cell.units, SPECIES[cell.species])} at {cell.x}.{cell.y}"


def _counted(units: int, species: str) -> str:
    return f"{units} {_SINGULARS[species] if units == 1 else species}"
