"""Compact encoding of the drawn positions of many games: shapes are stored once, positions as differences.

A drawing of Connect Four has 50 shapes, and a move changes two of them, so a position takes a few numbers where its
SVG takes four kilobytes. scene.js decodes this; tests/report/test_report_page.py has an independent decoder.

- ``shapes``: every distinct shape of the report, as its kind and its fields in the order of games/scene.py, without
  `key` and without the last fields that have their default values.
- ``keys``: the keys of pieces by the numbers of their shapes; only in a table made with `keys`.
- ``frames``: every distinct (width, height, title) of a scene.
- a position: ``[frame, edit, edit, …]``, with the edits of games/scene_edits.py; shapes are ordered from back to front.
  The first position of a game is a difference to ``base``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from joute.games.scene import Scene, Shape
from joute.games.scene_edits import edits


class BoardTable:
    """The distinct shapes and frames of a report's positions."""

    def __init__(self, *, keys: bool = False) -> None:
        self._has_keys = keys
        self._shapes: dict[Shape, int] = {}
        # Numbers of shapes by `id`: games often return the same shape objects, and this saves hashing them. Ids stay
        # valid because `_shapes` keeps the objects alive.
        self._known: dict[int, int] = {}
        self._frames: dict[tuple[float, float, str], int] = {}
        self._base: list[int] | None = None

    def encode(self, scenes: Iterator[Scene]) -> list[list[Any]]:
        """Encode the positions of one game."""
        positions: list[list[Any]] = []
        before = self._base or []
        for scene in scenes:
            after = [self._shape(shape) for shape in scene.shapes]
            if self._base is None:
                self._base = before = after
            frame = (scene.width, scene.height, scene.title)
            positions.append([self._frames.setdefault(frame, len(self._frames)), *edits(before, after)])
            before = after
        return positions

    @property
    def fills(self) -> frozenset[str]:
        """The colours of the shapes so far."""
        return frozenset(shape.fill for shape in self._shapes)

    def as_data(self) -> dict[str, Any]:
        """The table as JSON."""
        data: dict[str, Any] = {
            "shapes": [_shape_data(shape) for shape in self._shapes],
            "frames": [[_short(width), _short(height), title] for width, height, title in self._frames],
            "base": self._base or [],
        }
        if self._has_keys:
            data["keys"] = {number: shape.key for number, shape in enumerate(self._shapes) if shape.key}
        return data

    def _shape(self, shape: Shape) -> int:
        if (number := self._known.get(id(shape))) is not None:
            return number
        if (number := self._shapes.get(shape)) is None:
            number = self._shapes[shape] = self._known[id(shape)] = len(self._shapes)
        return number


def _shape_data(shape: Shape) -> list[Any]:
    fields = [field for field in dataclasses.fields(shape) if field.compare]
    while getattr(shape, fields[-1].name) == fields[-1].default:
        fields.pop()
    return [type(shape).__name__, *(_short(getattr(shape, field.name)) for field in fields)]


def _short(value: Any) -> Any:
    """Round a float to four decimals, and to an integer if it is whole."""
    if isinstance(value, bool) or not isinstance(value, float):
        return value
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded
