"""Differences between the drawings of two positions, as edits of their lists of shapes.

A drawing has hundreds of shapes, given as numbers, and a move changes a few of them. An edit ``[start, removed, shape,
shape, …]`` replaces `removed` shapes from `start` on. Edits are sorted by `start`, which refers to the list before all
edits, so they are applied from last to first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence


def edits(before: Sequence[int], after: Sequence[int]) -> list[list[int]]:
    """The edits that turn one list of shapes into another.

    >>> edits([1, 2, 3, 4], [1, 5, 3, 6]), edits([1, 2, 3], [1, 7, 8, 2])
    ([[1, 1, 5], [3, 1, 6]], [[1, 0, 7, 8], [2, 1]])
    """
    found: list[list[int]] = []
    old = new = 0
    for old_end, new_end in _kept(before, after):
        if (old, new) != (old_end, new_end):
            found.append([old, old_end - old, *after[new:new_end]])
        old, new = old_end + 1, new_end + 1
    return found


def _kept(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the places of the shapes that stay, in both lists and in order, and at last the two lengths.

    A shape stays at its first place after the one before it. This is linear, and shortest if shapes keep their order.
    """
    places: dict[int, list[int]] = {}
    for place, shape in enumerate(before):
        places.setdefault(shape, []).append(place)
    free = 0
    for new, shape in enumerate(after):
        # In most positions most shapes stay where they are.
        old = free if free < len(before) and before[free] == shape else _first(places.get(shape, ()), free)
        if old is not None:
            yield old, new
            free = old + 1
    yield len(before), len(after)


def _first(places: Sequence[int], free: int) -> int | None:
    at = bisect_left(places, free)
    return places[at] if at < len(places) else None
