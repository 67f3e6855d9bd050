"""The pieces on the board as named tuples, which the core creates (core/games/divercite/bind.hpp)."""

from typing import NamedTuple


class City(NamedTuple):
    """A city on the board."""

    row: int
    column: int
    #: R, G, B or Y.
    colour: str
    #: 0 for White, 1 for Black.
    owner: int
    #: The points that it scores now, 5 for a Divercité.
    points: int
    #: The number of red, green, blue and yellow resources that touch it.
    around: tuple[int, int, int, int]


class Resource(NamedTuple):
    """A resource on the board."""

    row: int
    column: int
    #: R, G, B or Y.
    colour: str
