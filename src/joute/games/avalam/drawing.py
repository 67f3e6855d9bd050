"""The drawing of an Avalam position: towers as stacks of counters on a board with wells."""

from __future__ import annotations

import functools
from typing import Any

from joute import _core
from joute.games.outline import outline
from joute.games.scene import (
    BOARD,
    INK,
    RED,
    WHITE,
    YELLOW,
    Area,
    Disc,
    Label,
    Path,
    Pile,
    Rect,
    Scene,
    Shape,
    Target,
    coordinate,
    turn_marker,
)

_SIZE = 9
# Binary fractions: their sums are exact.
_LEFT = 0.625  # room for the coordinates
_RIM = 0.125  # of the board around its cells
_BOTTOM = 0.8
_WIDTH, _HEIGHT = _LEFT + _SIZE + 2 * _RIM, _SIZE + 2 * _RIM + _BOTTOM
_EDGE = "#1d3559"

# A tower that can still move stands in a round well, one that cannot on a square tile, and one of five on a dark tile.
_OPEN, _FROZEN, _FULL = "#213f6b", "#7595c4", "#10151b"
_WELL, _TILE, _RADIUS = 0.45, 0.94, 0.37  # two radii and a width

# The fill, the sides and the number of a player's towers.
_COLOURS = ((YELLOW, "#a8760c", INK), (RED, "#8c2522", WHITE))

# The plates of both players lie beside the board, where it has no cells: yellow's below, red's above.
_PLATE_WIDTH, _PLATE_HEIGHT = 2.95, 0.9
_PLATES = (
    (_LEFT + 0.5, _SIZE + 2 * _RIM - _PLATE_HEIGHT - 0.02),
    (_WIDTH - _PLATE_WIDTH - 0.02, 0.02),
)

# The cells in the order of a position's text. Every cell has a tower at the start.
_CELLS = tuple(
    f"{chr(ord('a') + column)}{row + 1}"
    for row in range(_SIZE)
    for column in range(_SIZE)
    if _core.Avalam().tower_at(row, column)
)


def _corner(name: str) -> tuple[float, float]:
    """Return the top left corner of a cell such as ``c1``."""
    return _LEFT + _RIM + ord(name[0]) - ord("a"), _RIM + int(name[1]) - 1


def _area(name: str) -> Area:
    return Area(*_corner(name), 1, 1)


_GROUND: tuple[Shape, ...] = (
    Path(
        outline(
            [(int(name[1]) - 1, ord(name[0]) - ord("a")) for name in _CELLS],
            _LEFT + _RIM,
            _RIM,
            rim=_RIM - 0.02,  # room for the edge
            radius=0.3,
        ),
        BOARD,
        stroke=_EDGE,
    ),
    *(coordinate(_corner(f"{letter}1")[0] + 0.5, _HEIGHT - 0.35, letter) for letter in "abcdefghi"),
    *(coordinate(_LEFT / 2 - 0.05, _corner(f"a{row}")[1] + 0.5, str(row)) for row in range(1, _SIZE + 1)),
)


def scene(state: _core.Avalam, last_move: Any, title: str) -> Scene:
    """Draw towers as stacks with their height; rings mark where the last tower came from and where it stands.

    A tower stands in a well while it can move, on a tile once it is frozen, and on a dark tile once it has height 5.
    """
    moves = [str(move) for move in state.legal_moves]
    movable = {move[:2] for move in moves}
    last = str(state.parse_move(str(last_move))) if last_move is not None else ""
    towers = state.position.replace("/", "")
    at = dict(zip(_CELLS, towers, strict=True))
    shapes: list[Shape] = list(_GROUND)
    for name, tower in at.items():
        shapes += _cell(name, tower, name in movable, name in (last[:2], last[2:]))
    to_move = towers.count(".") % 2  # every move removes a tower
    for player in (0, 1):
        own = [tower for tower in towers if tower != "." and tower.isupper() == (player == 0)]
        is_turn = not state.is_terminal and player == to_move
        shapes += _plate(player, len(own), sum(tower in "eE" for tower in own), is_turn)
    targets = tuple(_target(move, at[move[:2]]) for move in moves)
    return Scene(_WIDTH, _HEIGHT, tuple(shapes), targets, title=title)


@functools.cache  # a report draws thousands of boards, and creating shapes takes most of the time
def _cell(name: str, tower: str, movable: bool, highlight: bool) -> tuple[Shape, ...]:
    """Return the ground of a cell and its tower; `tower` is its character in a position's text."""
    x, y = (corner + 0.5 for corner in _corner(name))
    height = _height(tower)
    if not height:
        return (Disc(x, y, _RADIUS, _OPEN, highlight),)
    ground: Shape = Disc(x, y, _WELL, _OPEN)
    if not movable:
        fill = _FULL if height == 5 else _FROZEN
        ground = Rect(x - _TILE / 2, y - _TILE / 2, _TILE, _TILE, fill, 0.2)
    return ground, _pile(x, y, _RADIUS, 0 if tower.isupper() else 1, height, highlight, name)


def _pile(x: float, y: float, radius: float, player: int, height: int, highlight: bool = False, key: str = "") -> Pile:
    fill, side, ink = _COLOURS[player]
    return Pile(x, y, radius, fill, height, highlight, side, ink, key=key)


def _height(tower: str) -> int:
    return 0 if tower == "." else ord(tower.lower()) - ord("a") + 1


@functools.cache
def _plate(player: int, towers: int, fives: int, is_turn: bool) -> tuple[Shape, ...]:
    """Return a player's plate: the number of towers and, of these, of fives."""
    x, y = _PLATES[player]
    middle = y + _PLATE_HEIGHT / 2
    return (
        *turn_marker(x - 0.25, middle, is_turn=is_turn),
        Rect(x, y, _PLATE_WIDTH, _PLATE_HEIGHT, BOARD, 0.3, stroke=_EDGE),
        _pile(x + 0.45, middle, 0.27, player, 1),
        Label(x + 1.1, middle, str(towers), 0.5, WHITE, bold=True),
        _pile(x + 1.9, middle, 0.27, player, 5),
        Label(x + 2.47, middle, str(fives), 0.5, WHITE, bold=True),
    )


@functools.cache
def _target(move: str, tower: str) -> Target:
    """Return the click target of a move: click the tower, then its destination."""
    source, target = move[:2], move[2:]
    colour = "yellow" if tower.isupper() else "red"
    return Target(
        *_area(target),
        move,
        source=_area(source),
        label=f"{colour} tower {source} onto {target}",
        source_label=f"{colour} tower {source}, height {_height(tower)}",
    )
