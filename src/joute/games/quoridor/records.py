"""A wall as a named tuple, which the core creates (core/games/quoridor/bind.hpp)."""

from typing import NamedTuple


class Wall(NamedTuple):
    """A wall on the board.

    A horizontal wall lies between rows r and r + 1, along columns c and c + 1; a vertical wall lies between columns c
    and c + 1, along rows r and r + 1.
    """

    row: int
    column: int
    is_horizontal: bool
