"""Orders, cells and battles as named tuples, which the core creates (core/games/vampires/bind.hpp)."""

from typing import NamedTuple


class Order(NamedTuple):
    """An order of a turn: units of the cell x.y go to a neighbour."""

    x: int
    y: int
    units: int
    target_x: int
    target_y: int


class Cell(NamedTuple):
    """An occupied cell; the species is v for vampires, w for werewolves, h for humans, whose number is `units` too."""

    x: int
    y: int
    species: str
    units: int


class Battle(NamedTuple):
    """A pending battle: `species` is that of the defenders, `win` the probability that the attackers win."""

    x: int
    y: int
    attackers: int
    defenders: int
    species: str
    win: float
