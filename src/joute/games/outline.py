"""The outline of a board whose cells do not fill a rectangle, as SVG path data."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import copysign

Cell = tuple[int, int]
Point = tuple[float, float]

# The directions right, down, left and up: clockwise, because y grows downwards.
_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def outline(cells: Collection[Cell], left: float, top: float, *, rim: float, radius: float) -> str:
    """Return the outline of cells (row, column) of size 1, widened by a rim, with rounded corners.

    The corner of row 0 and column 0 is at (left, top). Holes are filled. The cells must be connected by their sides.

    >>> outline([(0, 0)], 1, 1, rim=0.5, radius=0.25)
    'M0.75 0.5H2.25Q2.5 0.5 2.5 0.75V2.25Q2.5 2.5 2.25 2.5H0.75Q0.5 2.5 0.5 2.25V0.75Q0.5 0.5 0.75 0.5Z'
    """
    corners = [(left + x + rim * out_x, top + y + rim * out_y) for (x, y), (out_x, out_y) in _corners(set(cells))]
    parts = [f"M{corners[0][0] + radius:g} {corners[0][1]:g}"]
    for at in range(1, len(corners) + 1):
        before, corner, after = (corners[(at + by) % len(corners)] for by in (-1, 0, 1))
        (x, y), (end_x, end_y) = _towards(corner, before, radius), _towards(corner, after, radius)
        parts.append(f"H{x:g}" if at % 2 else f"V{y:g}")  # the first side is the top one
        parts.append(f"Q{corner[0]:g} {corner[1]:g} {end_x:g} {end_y:g}")
    return "".join(parts) + "Z"


def _corners(cells: set[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield the corners clockwise from the top left one, as (x, y), each with the diagonal out of the board there."""
    row, column = min(cells)
    yield (column, row), (-1, -1)
    x, y, heading = column, row, 0
    while True:
        dx, dy = _STEPS[heading]
        x, y = x + dx, y + dy
        if _cell_beside(x, y, dx + dy, dy - dx) in cells:  # ahead on the left
            turned = (heading - 1) % 4
        elif _cell_beside(x, y, dx - dy, dy + dx) in cells:  # ahead on the right
            continue
        else:
            turned = (heading + 1) % 4
        heading = turned
        if (x, y, heading) == (column, row, 0):
            return
        # The outsides of both sides are on their left.
        after_x, after_y = _STEPS[heading]
        yield (x, y), (dy + after_y, -dx - after_x)


def _cell_beside(x: int, y: int, dx: int, dy: int) -> Cell:
    """The (row, column) of the cell that touches a grid point in a diagonal direction."""
    return y + (dy - 1) // 2, x + (dx - 1) // 2


def _towards(corner: Point, other: Point, length: float) -> Point:
    """The point that far from a corner towards another one, which is on the same row or column."""
    x, y = (at + copysign(length, to - at) if at != to else at for at, to in zip(corner, other, strict=True))
    return x, y
