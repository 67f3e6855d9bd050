"""A scene describes the drawing of a position, once for the web page, notebooks and reports.

Lengths are in cells; (0, 0) is the top left corner, x grows to the right and y down. A game lists its shapes from back
to front, and click targets with the move of each, so that a page can draw and play any game without game-specific code.

A move takes one click or two. With one click, the user clicks the move's target. A move from one place to another takes
two clicks: its target has a `source`, the place to click first. The page follows two rules:

- Before a click, the targets without a source and all sources can be clicked.
- A click on a source selects it; then the targets with that source can be clicked. Any other click cancels the
  selection and counts as a first click.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from joute.text import html_text

# One palette for all games: the two players, the board, its holes and its ink.
RED = "#d64541"
YELLOW = "#f4c22f"
PLAYERS = (RED, YELLOW)  # the default colours of the players
BOARD = "#2b4c7e"
EMPTY = "#eef2f7"
INK = "#1f2933"
HIGHLIGHT = "#ffffff"
# A scene is transparent around the board: this grey has a contrast of at least 4 on white and on dark pages.
COORDINATE = "#757b83"


@dataclass(frozen=True)
class Rect:
    """A filled rectangle: a board, a cell, a wall."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0

    def svg(self) -> str:
        """The shape as an SVG element."""
        return (
            f'<rect x="{self.x:g}" y="{self.y:g}" width="{self.width:g}" height="{self.height:g}" '
            f'rx="{self.radius:g}" fill="{self.fill}"/>'
        )


@dataclass(frozen=True)
class Disc:
    """A filled circle: a piece or a hole. `highlight` draws a ring around it."""

    x: float
    y: float
    radius: float
    fill: str
    highlight: bool = False

    def svg(self) -> str:
        """The shape as an SVG element."""
        ring = f' stroke="{HIGHLIGHT}" stroke-width="0.07"' if self.highlight else ""
        return f'<circle cx="{self.x:g}" cy="{self.y:g}" r="{self.radius:g}" fill="{self.fill}"{ring}/>'


@dataclass(frozen=True)
class Pile:
    """A stack of round counters, seen from slightly above. The top counter shows the height if it is above 1."""

    x: float
    y: float
    radius: float
    fill: str
    height: int
    highlight: bool = False

    def svg(self) -> str:
        """The shape as an SVG element; scene.js must draw the same."""
        rise = 0.2 * self.radius
        base = self.y + rise * (self.height - 1) / 2
        lines = ["<g>"]
        for level in range(self.height):
            ring = HIGHLIGHT if self.highlight and level == self.height - 1 else INK
            lines.append(
                f'<circle cx="{self.x:g}" cy="{base - rise * level:g}" r="{self.radius:g}" fill="{self.fill}" '
                f'stroke="{ring}" stroke-width="{0.07 if ring == HIGHLIGHT else 0.03}"/>'
            )
        if self.height > 1:
            lines.append(Label(self.x, base - rise * (self.height - 1), str(self.height), 1.2 * self.radius).svg())
        return "".join([*lines, "</g>"])


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

    def svg(self) -> str:
        """The shape as an SVG element."""
        anchor = ' text-anchor="middle"' if self.centred else ""
        family = "monospace" if self.monospace else "sans-serif"
        return (
            f'<text x="{self.x:g}" y="{self.y:g}" font-size="{self.size:g}" font-family="{family}" '
            f'dominant-baseline="central"{anchor} xml:space="preserve" fill="{self.fill}">{html_text(self.text)}</text>'
        )


def coordinate(x: float, y: float, text: str, size: float = 0.4) -> Label:
    """The name of a row or a column, beside the board."""
    return Label(x, y, text, size, COORDINATE)


#: The shapes of a scene.
Shape: TypeAlias = Rect | Disc | Pile | Label


class Area(NamedTuple):
    """A rectangle that can be clicked."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Target:
    """A rectangle to click to play a move; if it has a source, the user clicks the source first."""

    x: float
    y: float
    width: float
    height: float
    move: str
    source: Area | None = None


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
    width = 0.6 + 0.65 * size * max(map(len, lines))
    height = 0.6 + 1.3 * size * len(lines)
    labels = [
        Label(0.3, 0.3 + 1.3 * size * (row + 0.5), line, size, centred=False, monospace=True)
        for row, line in enumerate(lines)
    ]
    return Scene(width, height, (Rect(0, 0, width, height, EMPTY), *labels), title=title)
