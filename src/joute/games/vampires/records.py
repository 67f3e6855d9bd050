"""Orders, cells and battles as named tuples, which the core creates (core/games/vampires/bind.hpp)."""

from typing import NamedTuple


class Order(NamedTuple):
    """An order of a turn: units of the cell x.y go to a neighbour."""

    x: int
    y: int
    count: int
    target_x: int
    target_y: int


class Cell(NamedTuple):
    """An occupied cell."""

    x: int
    y: int
    #: v for vampires, w for werewolves, h for humans.
    species: str
    count: int


class Battle(NamedTuple):
    """A pending battle."""

    x: int
    y: int
    attackers: int
    defenders: int
    #: The species of the defenders: v, w or h.
    species: str
    #: The probability that the attackers win.
    win: float
