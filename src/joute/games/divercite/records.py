"""The pieces on the board as named tuples, which the core creates (core/games/divercite/bind.hpp)."""

from typing import NamedTuple


class City(NamedTuple):
    """A city on the board: owner 0 is White, `points` are those it scores now, and `around` is the number of red,
    green, blue and yellow resources that touch it.
    """

    row: int
    column: int
    colour: str
    owner: int
    points: int
    around: tuple[int, int, int, int]


class Resource(NamedTuple):
    """A resource on the board; its colour is R, G, B or Y."""

    row: int
    column: int
    colour: str
