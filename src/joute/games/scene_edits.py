"""Differences between the drawings of two positions, as edits of their lists of shapes.

A drawing has hundreds of shapes, given as numbers, and a move changes a few of them. An edit ``[start, removed, shape,
shape, …]`` replaces `removed` shapes from `start` on. Edits are sorted by `start`, which refers to the list before all
edits, so they are applied from last to first.
"""

from __future__ import annotations

from collections.abc import Sequence


def edits(before: Sequence[int], after: Sequence[int]) -> list[list[int]]:
    """The edits that turn one list of shapes into another.

    >>> edits([1, 2, 3, 4], [1, 5, 3, 6]), edits([1, 2], [1, 7, 8, 2])
    ([[1, 1, 5], [3, 1, 6]], [[1, 0, 7, 8]])
    """
    if len(before) != len(after):
        return [_one_edit(before, after)]
    found: list[list[int]] = []
    end = -1
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            continue
        if index == end:
            found[-1][1] += 1
            found[-1].append(new)
        else:
            found.append([index, 1, new])
        end = index + 1
    return found


def _one_edit(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """One edit that replaces everything between the common prefix and the common suffix."""
    shorter = min(len(before), len(after))
    start = next((index for index in range(shorter) if before[index] != after[index]), shorter)
    room = shorter - start
    same = next((index for index in range(room) if before[-1 - index] != after[-1 - index]), room)
    return [start, len(before) - start - same, *after[start : len(after) - same]]
