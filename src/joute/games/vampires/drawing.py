"""The drawing of a position of Vampires vs Werewolves: houses and figures with their numbers on a meadow."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from joute import _core
from joute.games.scene import (
    INK,
    WHITE,
    Area,
    Label,
    Path,
    Rect,
    Scene,
    Shape,
    Target,
    coordinate,
    turn_marker,
)
from joute.games.vampires.records import Order
from joute.games.vampires.state import COLOURS

# The colours of numbers on figures.
_INKS = {"v": WHITE, "w": INK, "h": INK}
_NAMES = {"v": ("vampire", "vampires"), "w": ("werewolf", "werewolves"), "h": ("human", "humans")}

_MEADOW, _LINES, _EDGE = "#dde4cf", "#c6cfb4", "#7f8c6c"
_OUTLINE = 0.035
_MARGIN = 0.625  # room for the coordinates
_EDGE_ROOM = 0.05  # for the outline of the board

# Figures around (0, 0), at most 0.84 wide and high.
_FIGURES = {
    # A house: a roof with eaves and a chimney, and walls.
    "h": "M0-.42-.42-.06-.36.01-.32-.02V.38Q-.32.42-.28.42H.28Q.32.42.32.38V-.02L.36.01.42-.06.28-.18V-.38H.16V-.28Z",
    # A cape with a high collar, shoulders and a scalloped hem; the head is drawn behind it.
    "v": (
        "M0 .02C.12-.04.22-.14.33-.3Q.36-.12.27-.03C.38.06.42.2.42.42Q.35.34.28.41.2.34.14.41.06.34 0 .41"
        "-.06.34-.14.41-.2.34-.28.41-.35.34-.42.42C-.42.2-.38.06-.27-.03Q-.36-.12-.33-.3C-.22-.14-.12-.04 0 .02Z"
    ),
    # The head of a wolf: pointed ears, eyes as holes, tufts at the cheeks, and a muzzle.
    "w": (
        "M-.34-.42-.12-.24Q0-.28.12-.24L.34-.42Q.38-.2.34-.04L.42.08.33.12.36.22.22.24Q.16.36.07.41Q0 .44-.07.41"
        "Q-.16.36-.22.24L-.36.22-.33.12-.42.08-.34-.04Q-.38-.2-.34-.42Z"
        "M-.22-.19-.09-.12-.2-.11ZM.22-.19.09-.12.2-.11Z"
    ),
}
_FACE = "M-.15-.22Q-.15-.42 0-.42T.15-.22Q.13-.02 0 .02-.13-.02-.15-.22Z"
_HAIR = "M-.15-.22Q-.16-.42 0-.42T.15-.22Q.12-.31.08-.31L0-.22-.08-.31Q-.12-.31-.15-.22Z"
_SKIN = "#f3e2d3"
# The middle of the number below the middle of a figure, and its size with up to two digits and with three.
_NUMBERS = {"h": (0.14, 0.42, 0.34), "v": (0.2, 0.38, 0.33), "w": (0.14, 0.4, 0.32)}
# Crossed swords, for a battle that is pending.
_SWORDS = "M-.14-.14 .1 .1M.14-.14-.1 .1M-.15.06-.06.15M.15.06 .06.15M-.14.14-.11.11M.14.14 .11.11"

# The legend below the board: all species in one line where the board is wide enough, and else a line for each. It grows
# with the board, because pages scale wide boards down.
# There is room for numbers below 100 in English and French, with the wide letters of DejaVu Sans.
_LEGEND_LINE, _LEGEND_ITEM, _LEGEND_PLACES = 0.8, 3.9, (0.0, 3.1, 6.75)
_LEGEND_GAP = 0.2
_WIDE, _LARGEST_LEGEND = 10, 2.0  # columns, and a scale

# The attackers of a pending battle in a position's text.
_ATTACKERS = re.compile(r"(\d+)([vw])(\d+)\.(\d+)!")

Cell = tuple[int, int]


def scene(state: _core.Vampires, last_move: Any, title: str) -> Scene:
    """Draw the groups with their numbers; rings mark the cells of the last turn.

    To move a whole group, click it, then a neighbour cell. A turn that splits a group or moves several is typed.
    """
    rows, columns = state.rows, state.columns
    touched = _touched(state.parse_move(str(last_move)).orders) if last_move is not None else frozenset()
    attackers = {(int(x), int(y)): (letter, int(count)) for count, letter, x, y in _ATTACKERS.findall(state.position)}
    shapes: list[Shape] = [*_ground(rows, columns), *(_ring(*cell) for cell in sorted(touched))]
    for x, y, species, count in state.cells:
        shapes += _group(x, y, species, count, (x, y) in attackers)
    for (x, y), (species, count) in attackers.items():
        shapes += _attack(x, y, species, count)
    shapes += _legend(state)
    width, height = _size(rows, columns)
    return Scene(width, height, tuple(shapes), tuple(_targets(state)), title=title)


def _legend_scale(columns: int) -> float:
    return min(_LARGEST_LEGEND, max(1.0, columns / _WIDE))


def _size(rows: int, columns: int) -> tuple[float, float]:
    """The width and the height of the drawing."""
    x, y, width, height = _legend_area(rows, columns)
    return x + width + _EDGE_ROOM, y + height + _EDGE_ROOM


def _legend_area(rows: int, columns: int) -> Area:
    lines = 1 if columns >= _WIDE else len(_LEGEND_PLACES)
    height = lines * _LEGEND_LINE * _legend_scale(columns)
    return Area(_MARGIN, _MARGIN + rows + _LEGEND_GAP, max(columns, _LEGEND_ITEM), height)


def _corner(x: int, y: int) -> tuple[float, float]:
    return _MARGIN + x, _MARGIN + y


@functools.cache
def _ground(rows: int, columns: int) -> tuple[Shape, ...]:
    """The meadow with its grid, and the numbers of columns and rows."""
    lines = [f"M{_MARGIN + x:g} {_MARGIN:g}v{rows}" for x in range(1, columns)]
    lines += [f"M{_MARGIN:g} {_MARGIN + y:g}h{columns}" for y in range(1, rows)]
    return (
        Rect(_MARGIN, _MARGIN, columns, rows, _MEADOW, 0.15, stroke=_EDGE),
        Rect(*_legend_area(rows, columns), _MEADOW, 0.15, stroke=_EDGE),
        Path("".join(lines) or "M0 0", "none", stroke=_LINES, stroke_width=0.03),
        *(coordinate(_MARGIN + x + 0.5, _MARGIN / 2, str(x), 0.34) for x in range(columns)),
        *(coordinate(_MARGIN / 2, _MARGIN + y + 0.5, str(y), 0.34) for y in range(rows)),
    )


def _figure(x: float, y: float, species: str, scale: float, key: str = "") -> tuple[Shape, ...]:
    figure = Path(_FIGURES[species], COLOURS[species], x, y, scale, INK, _OUTLINE, key=key)
    if species != "v":
        return (figure,)
    return (
        Path(_FACE, _SKIN, x, y, scale, INK, _OUTLINE, key=key),
        Path(_HAIR, INK, x, y, scale, key=key),
        figure,
    )


def _numbered(x: float, y: float, species: str, count: int, scale: float, key: str) -> tuple[Shape, ...]:
    """A figure with its number on it."""
    below, size, small = (scale * length for length in _NUMBERS[species])
    size = size if count < 100 else small
    return (
        *_figure(x, y, species, scale, key),
        Label(x, y + below, str(count), size, _INKS[species], bold=True, key=key),
    )


@functools.lru_cache(maxsize=100_000)  # a report draws thousands of boards, and creating shapes takes most of the time
def _group(x: int, y: int, species: str, count: int, is_attacked: bool) -> tuple[Shape, ...]:
    """A group in its cell, or in the upper left part of the cell if it is attacked."""
    left, top = _corner(x, y)
    at, scale = (0.33, 0.6) if is_attacked else (0.5, 0.98)
    return _numbered(left + at, top + at, species, count, scale, f"{species}{x}.{y}")


@functools.lru_cache(maxsize=10_000)
def _attack(x: int, y: int, species: str, count: int) -> tuple[Shape, ...]:
    """The attackers of a cell, in its lower right part, and swords."""
    left, top = _corner(x, y)
    return (
        Path(_SWORDS, "none", left + 0.79, top + 0.21, stroke=INK, stroke_width=0.05),
        *_numbered(left + 0.68, top + 0.68, species, count, 0.6, f"{species}{x}.{y}"),
    )


@functools.lru_cache(maxsize=10_000)
def _ring(x: int, y: int) -> Rect:
    left, top = _corner(x, y)
    return Rect(left + 0.07, top + 0.07, 0.86, 0.86, "none", 0.15, highlight=True)


def _touched(orders: Iterable[Order]) -> frozenset[Cell]:
    return frozenset(cell for x, y, _, target_x, target_y in orders for cell in ((x, y), (target_x, target_y)))


def _legend(state: _core.Vampires) -> Iterator[Shape]:
    """The species with their names and numbers, and a triangle at the one that is to move."""
    is_over = state.is_terminal
    for at, (species, units) in enumerate(
        [(state.species(0), state.units(0)), (state.species(1), state.units(1)), ("h", state.humans)]
    ):
        is_turn = not is_over and species == state.species(state.to_move)
        yield from _legend_item(at, species, units, is_turn, state.rows, state.columns)


@functools.lru_cache(maxsize=10_000)
def _legend_item(at: int, species: str, units: int, is_turn: bool, rows: int, columns: int) -> tuple[Shape, ...]:
    scale = _legend_scale(columns)
    across, down = (_LEGEND_PLACES[at], 0) if columns >= _WIDE else (0.0, at)
    x = _MARGIN + across * scale
    y = _MARGIN + rows + _LEGEND_GAP + (down + 0.5) * _LEGEND_LINE * scale
    return (
        *turn_marker(x + 0.2 * scale, y, is_turn=is_turn),
        *_figure(x + 0.72 * scale, y, species, 0.7 * scale, key=f"legend {species}"),
        Label(x + 1.1 * scale, y, _count_of(units, species), 0.3 * scale, centred=False),
    )


def _count_of(units: int, species: str) -> str:
    one, many = _NAMES[species]
    return f"{units} {one if units == 1 else many}"


def _targets(state: _core.Vampires) -> Iterator[Target]:
    """Yield a target for each neighbour cell of each group."""
    if state.is_terminal or state.is_chance:
        return
    for x, y, species, count in state.groups[state.to_move]:
        units = _count_of(count, species)
        source = Area(*_corner(x, y), 1, 1)
        for to_x, to_y in _neighbours(x, y, state.columns, state.rows):
            yield Target(
                *_corner(to_x, to_y),
                1,
                1,
                str(state.turn([(x, y, count, to_x, to_y)])),
                source,
                label=f"{units} from {x}.{y} to {to_x}.{to_y}",
                source_label=f"{units} on {x}.{y}",
            )


def _neighbours(x: int, y: int, columns: int, rows: int) -> Iterator[Cell]:
    for target_y in range(max(0, y - 1), min(rows, y + 2)):
        for target_x in range(max(0, x - 1), min(columns, x + 2)):
            if (target_x, target_y) != (x, y):
                yield target_x, target_y
