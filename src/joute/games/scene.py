"""A scene: what there is to draw of a position, described once for page, notebook and report.

Lengths are in cells; (0, 0) is the top left corner, x grows to the right and y down. A game lists
shapes from back to front, and click targets with the move that each stands for, so that a page can
draw and play any game without knowing it.

A move takes one click or two. One is a click on its target. Two are for moves that go from somewhere to somewhere: such
a target has a `source`, the place to click first. A page that follows this needs to know no game:

- Before a click, the places to click are the targets without a source, and the sources.
- A click on a source selects it, and the places to click are now the targets that have it. Any other click undoes
  the selection, and counts as a first click.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import NamedTuple, TypeAlias

# One palette for all games: the two players, the board, its holes and its ink.
RED = "#d64541"
YELLOW = "#f4c22f"
PLAYERS = (RED, YELLOW)  # where the game does not say otherwise
BOARD = "#2b4c7e"
EMPTY = "#eef2f7"
INK = "#1f2933"
HIGHLIGHT = "#ffffff"
# Beside the board a scene is transparent: this grey has a contrast of 4 or more on white and on a dark page.
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
    """A filled circle: a piece or a hole. A highlighted one carries a ring."""

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
    """Round counters on top of each other, seen a little from above, their number on the topmost unless it is alone."""

    x: float
    y: float
    radius: float
    fill: str
    height: int
    highlight: bool = False

    def svg(self) -> str:
        """The shape as an SVG element: scene.js draws the same."""
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
            f'dominant-baseline="central"{anchor} xml:space="preserve" fill="{self.fill}">{escape(self.text)}</text>'
        )


def coordinate(x: float, y: float, text: str, size: float = 0.4) -> Label:
    """The name of a row or a column, beside the board."""
    return Label(x, y, text, size, COORDINATE)


#: All that a drawing is made of.
Shape: TypeAlias = Rect | Disc | Pile | Label


class Area(NamedTuple):
    """A rectangle that can be clicked."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Target:
    """A rectangle that stands for a move when it is clicked: at once or, where it has a source, after that one."""

    x: float
    y: float
    width: float
    height: float
    move: str
    source: Area | None = None


@dataclass(frozen=True)
class Scene:
    """Shapes from back to front, and where to click for which move."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    targets: tuple[Target, ...] = ()
    title: str = ""

    def svg(self, cell_px: int = 48) -> str:
        """The scene as one SVG picture."""
        size = f'width="{self.width * cell_px:g}" height="{self.height * cell_px:g}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" {size} '
            f'role="img" aria-label="{escape(self.title)}">',
            f"<title>{escape(self.title)}</title>",
            *(shape.svg() for shape in self.shapes),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def text_scene(text: str, *, title: str = "") -> Scene:
    """Lines of text as a scene: the drawing of a game that describes no other."""
    lines = text.split("\n")
    size = 0.4
    width = 0.6 + 0.65 * size * max(map(len, lines))
    height = 0.6 + 1.3 * size * len(lines)
    labels = [
        Label(0.3, 0.3 + 1.3 * size * (row + 0.5), line, size, centred=False, monospace=True)
        for row, line in enumerate(lines)
    ]
    return Scene(width, height, (Rect(0, 0, width, height, EMPTY), *labels), title=title)
