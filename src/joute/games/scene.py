"""A scene describes the drawing of a position, once for the web page, notebooks and reports.

Lengths are in cells; (0, 0) is the top left corner, x grows to the right and y down. A game lists its shapes from back
to front, and click targets with the move of each, so that a page can draw and play any game without game-specific code.

A move takes one click or two. With one click, the user clicks the move's target. A move from one place to another takes
two clicks: its target has a `source`, the place to click first. The page follows two rules:

- Before a click, the targets without a source and all sources can be clicked.
- A click on a source selects it; then the targets with that source can be clicked. Any other click cancels the
  selection and counts as a first click.

All games share one visual language. A scene is transparent around the board and has its own colours on it, so that it
looks the same on white and on dark pages. `HIGHLIGHT` marks the last move, as a ring around its piece or cell, and
nothing else. Pieces differ in shape or lightness and never in hue alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from joute.text import html_text

# One palette for all games: the two players, the board, its holes and its ink.
RED = "#d64541"
YELLOW = "#f4c22f"
PLAYERS = (RED, YELLOW)  # the default colours of the players
WHITE, BLACK = "#fbfaf5", "#17181b"  # the colours of players called so
BOARD = "#2b4c7e"
EMPTY = "#eef2f7"
INK = "#1f2933"
# The ring of the last move is white in a dark casing: it stands out on every board, with every colour blindness and in
# print.
HIGHLIGHT = "#ffffff"
CASING = "#10151b"
# A scene is transparent around the board: this grey has a contrast of at least 4 on white and on dark pages.
COORDINATE = "#757b83"

_RING_WIDTH, _CASING_WIDTH = 0.07, 0.13


def _key() -> str:
    """The name of a piece, for pages that move it; empty for anything else. Keys do not affect equality.

    Neighbouring shapes with the same key are one piece.
    """
    return field(default="", compare=False, kw_only=True)


def _stroke(colour: str, width: float) -> str:
    return f' stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"' if colour else ""


def _ringed(shape: str, outline: str, highlight: bool, scale: float = 1.0) -> str:
    """A shape, with the ring of the last move around it if it is highlighted. `outline` is its geometry."""
    if not highlight:
        return shape
    casing, ring = (
        outline.format(f' fill="none"{_stroke(colour, round(width / scale, 4))}')
        for colour, width in ((CASING, _CASING_WIDTH), (HIGHLIGHT, _RING_WIDTH))
    )
    return f"<g>{shape}{casing}{ring}</g>"


@dataclass(frozen=True)
class Rect:
    """A rectangle: a board, a cell, a wall. `fill` may be ``none``; `highlight` draws the ring of the last move."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0
    highlight: bool = False
    stroke: str = ""
    stroke_width: float = 0.04
    key: str = _key()

    def svg(self) -> str:
        """The shape as an SVG element."""
        outline = (
            f'<rect x="{self.x:g}" y="{self.y:g}" width="{self.width:g}" height="{self.height:g}" '
            f'rx="{self.radius:g}"{{}}/>'
        )
        painted = outline.format(f' fill="{self.fill}"{_stroke(self.stroke, self.stroke_width)}')
        return _ringed(painted, outline, self.highlight)


@dataclass(frozen=True)
class Disc:
    """A circle: a piece or a hole. `fill` may be ``none``; `highlight` draws the ring of the last move."""

    x: float
    y: float
    radius: float
    fill: str
    highlight: bool = False
    stroke: str = ""
    stroke_width: float = 0.04
    key: str = _key()

    def svg(self) -> str:
        """The shape as an SVG element."""
        outline = f'<circle cx="{self.x:g}" cy="{self.y:g}" r="{self.radius:g}"{{}}/>'
        painted = outline.format(f' fill="{self.fill}"{_stroke(self.stroke, self.stroke_width)}')
        return _ringed(painted, outline, self.highlight)


@dataclass(frozen=True)
class Path:
    """An outline in SVG path data, moved to (x, y) and scaled; areas that are enclosed twice are holes."""

    data: str
    fill: str
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    stroke: str = ""
    stroke_width: float = 0.04
    opacity: float = 1.0
    highlight: bool = False
    key: str = _key()

    def svg(self) -> str:
        """The shape as an SVG element."""
        moved = f' transform="translate({self.x:g} {self.y:g})' if self.x or self.y or self.scale != 1 else ""
        if moved:
            moved += f' scale({self.scale:g})"' if self.scale != 1 else '"'
        outline = f'<path d="{self.data}"{moved}{{}}/>'
        opacity = f' opacity="{self.opacity:g}"' if self.opacity != 1 else ""
        stroke = _stroke(self.stroke, round(self.stroke_width / self.scale, 4))
        painted = outline.format(f' fill="{self.fill}" fill-rule="evenodd"{stroke}{opacity}')
        return _ringed(painted, outline, self.highlight, self.scale)


@dataclass(frozen=True)
class Pile:
    """A stack of round counters, seen from slightly above. The top counter shows the height if it is above 1.

    `side` is the colour of the counters below the top, and of its rim; `ink` is the colour of the number.
    """

    x: float
    y: float
    radius: float
    fill: str
    height: int
    highlight: bool = False
    side: str = INK
    ink: str = INK
    key: str = _key()

    def svg(self) -> str:
        """The shape as an SVG element; scene.js must draw the same."""
        rise = 0.22 * self.radius
        base = self.y + rise * (self.height - 1) / 2
        top = base - rise * (self.height - 1)
        lines = [
            Disc(self.x, base - rise * level, self.radius, self.side, False, INK, 0.03).svg()
            for level in range(self.height - 1)
        ]
        lines += [
            Disc(self.x, top, self.radius, self.fill, self.highlight, INK, 0.03).svg(),
            Disc(self.x, top, 0.78 * self.radius, "none", False, self.side, 0.035).svg(),
        ]
        if self.height > 1:
            lines.append(Label(self.x, top, str(self.height), 1.15 * self.radius, self.ink, bold=True).svg())
        return "".join(["<g>", *lines, "</g>"])


@dataclass(frozen=True)
class Label:
    """Text centred on a point, or starting there."""

    x: float
    y: float
    text: str
    size: float = 0.4
    fill: str = INK
    centred: bool = True
    monospace: bool = False
    bold: bool = False
    key: str = _key()

    def svg(self) -> str:
        """The shape as an SVG element."""
        anchor = ' text-anchor="middle"' if self.centred else ""
        weight = ' font-weight="bold"' if self.bold else ""
        family = "monospace" if self.monospace else "sans-serif"
        return (
            f'<text x="{self.x:g}" y="{self.y:g}" font-size="{self.size:g}" font-family="{family}"{weight} '
            f'dominant-baseline="central"{anchor} xml:space="preserve" fill="{self.fill}">{html_text(self.text)}</text>'
        )


def coordinate(x: float, y: float, text: str, size: float = 0.4) -> Label:
    """The name of a row or a column, beside the board."""
    return Label(x, y, text, size, COORDINATE)


def turn_marker(x: float, y: float, *, is_turn: bool) -> tuple[Path, ...]:
    """A triangle that points to the right at a player's plate, if it is that player's turn."""
    return (Path("M-.12-.16 .16 0-.12 .16Z", COORDINATE, x, y),) if is_turn else ()


#: The shapes of a scene.
Shape: TypeAlias = Rect | Disc | Path | Pile | Label


class Area(NamedTuple):
    """A rectangle that can be clicked."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Target:
    """A rectangle to click to play a move; if it has a source, the user clicks the source first.

    A page may show a move before it is played, as an arrow or a preview. It begins at `source` or else at `origin`, the
    place of a piece that needs no click. It ends at `place`, or at the rectangle itself if that is None.
    """

    x: float
    y: float
    width: float
    height: float
    move: str
    source: Area | None = None
    #: The move and its source in a few words, for people who do not see the drawing.
    label: str = ""
    source_label: str = ""
    origin: Area | None = None
    place: Area | None = None

    @property
    def begins(self) -> Area | None:
        """The place that a piece leaves; None if the move puts a new piece on the board."""
        return self.source or self.origin

    @property
    def ends(self) -> Area:
        """The place that the move changes."""
        return self.place or Area(self.x, self.y, self.width, self.height)


@dataclass(frozen=True)
class Scene:
    """Shapes from back to front, and the click targets of the moves."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    targets: tuple[Target, ...] = ()
    title: str = ""

    def svg(self, cell_px: int = 48) -> str:
        """Return the scene as an SVG picture."""
        size = f'width="{self.width * cell_px:g}" height="{self.height * cell_px:g}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" {size} '
            f'role="img" aria-label="{html_text(self.title)}">',
            f"<title>{html_text(self.title)}</title>",
            *(shape.svg() for shape in self.shapes),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def text_scene(text: str, *, title: str = "") -> Scene:
    """Return lines of text as a scene: the default drawing of a game."""
    lines = text.split("\n")
    size = 0.4
    width = 0.8 + 0.65 * size * max(map(len, lines))
    height = 0.8 + 1.3 * size * len(lines)
    labels = [
        Label(0.4, 0.4 + 1.3 * size * (row + 0.5), line, size, centred=False, monospace=True)
        for row, line in enumerate(lines)
    ]
    panel = Rect(0.02, 0.02, width - 0.04, height - 0.04, EMPTY, 0.2, stroke=COORDINATE)
    return Scene(width, height, (panel, *labels), title=title)
