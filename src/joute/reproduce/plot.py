"""Pictures for the report: dots with whiskers, lines, and grids of small plots, as SVG files or as parts of a page.

The charts of a tournament's report (pages/charts.py) take width and style from their page. These pictures have a fixed
size, because they are also files that other pages show as images. Both use the same axes.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from joute.pages.charts import COLOURS, Axis
from joute.pages.page_parts import colours
from joute.text import html_text

WIDTH = 760
_LEFT, _RIGHT, _TOP, _BOTTOM = 82, 24, 14, 44
_PANEL_HEIGHT = 250
_MARK_HEIGHT = 15
_TEXT_LINE = 16
# Mean width of a letter in pixels. It reserves room for labels, as SVG text cannot be measured here.
_LETTER = 7.6
#: Longer labels are broken into lines.
LABEL_LETTERS = 36
_KEY = 30
# A line with more points than this has no marks.
_MARKED_POINTS = 24
# Horizontal distance between the whiskers of neighbouring lines.
_DODGE = 6
# A grid of small plots: columns, the height of a plot, the space between plots.
_GRID_COLUMNS, _GRID_HEIGHT, _GRID_GAP = 3, 110, 22
# Room for the text of a mark, to the right of the axis.
_MARK_TEXT = 60


@dataclass(frozen=True)
class Series:
    """An entry of the legend. `place` selects colour and shape; published marks are hollow."""

    name: str
    place: int
    is_published: bool = False

    @property
    def kind(self) -> str:
        """The CSS class of its colour."""
        return "f-published" if self.is_published else f"f-s{self.place % COLOURS}"


@dataclass(frozen=True)
class Mark:
    """A number in a row, with the bounds of its interval: nan without interval, infinite if open.

    `text` is written beside it.
    """

    series: Series
    value: float
    low: float = math.nan
    high: float = math.nan
    text: str = ""


@dataclass(frozen=True)
class Row:
    """The numbers under one label."""

    label: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Point:
    """A point of a line, with the bounds of its vertical interval."""

    x: float
    y: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Curve:
    """Points, joined by a line unless they are published numbers."""

    series: Series
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Panel:
    """A part of a picture with its height."""

    height: float
    body: str


def rows_panel(rows: Sequence[Row], axis: Axis, label: str, *, strong: float | None = None) -> Panel:
    """A panel with one row per label and a horizontal axis."""
    labels = [[line for part in row.label.split("\n") for line in textwrap.wrap(part, LABEL_LETTERS)] for row in rows]
    left = max(90.0, 28 + _LETTER * max(len(line) for lines in labels for line in lines))
    has_texts = any(mark.text for row in rows for mark in row.marks)
    scale = _Scale(axis, left, WIDTH - _RIGHT - (_MARK_TEXT if has_texts else 0))
    heights = [
        max(_MARK_HEIGHT * len(row.marks), _TEXT_LINE * len(lines)) + 12
        for row, lines in zip(rows, labels, strict=True)
    ]
    bottom = _TOP + sum(heights)
    parts = [*_across(axis, scale, _TOP, bottom, label, strong)]
    top = float(_TOP)
    for row, lines, height in zip(rows, labels, heights, strict=True):
        middle = top + height / 2
        if top > _TOP:
            parts.append(_line("f-rule", 0, WIDTH, top, top))
        for number, line in enumerate(lines):
            y = middle + (number - (len(lines) - 1) / 2) * _TEXT_LINE + 4.5
            parts.append(_text("f-label f-end", left - 14, y, line))
        for number, mark in enumerate(row.marks):
            y = middle + (number - (len(row.marks) - 1) / 2) * _MARK_HEIGHT
            parts.append(_row_mark(mark, scale, y))
        top += height
    return Panel(bottom + _BOTTOM, "".join(parts))


def curves_panel(
    curves: Sequence[Curve], across: Axis, up: Axis, labels: tuple[str, str], *, strong: float | None = None
) -> Panel:
    """A panel with lines; `labels` are those of the horizontal and the vertical axis."""
    frame = _Frame(_LEFT, WIDTH - _RIGHT, _TOP, _TOP + _PANEL_HEIGHT)
    x, y = frame.scales(across, up)
    parts = [*_levels(up, y, frame, strong), *_level_texts(up, y, frame), _up_label(labels[1], frame.top, frame.bottom)]
    parts += _across_text(across, x, frame.bottom, labels[0])
    whiskers = [curve for curve in curves if any(not math.isnan(point.low) for point in curve.points)]
    for curve in curves:
        shift = _DODGE * (whiskers.index(curve) - (len(whiskers) - 1) / 2) if curve in whiskers else 0.0
        parts.append(_curve(curve, x, y, shift))
    return Panel(frame.bottom + _BOTTOM, "".join(parts))


def grid_panel(
    curves: Sequence[Curve], across: Axis, up: Axis, labels: tuple[str, str], *, strong: float | None = None
) -> Panel:
    """A grid of small plots with the same axes: each shows one line, and all others faintly behind it.

    It replaces `curves_panel` where many lines would hide each other, and needs no legend.
    """
    width = (WIDTH - _RIGHT - _LEFT - (_GRID_COLUMNS - 1) * _GRID_GAP) / _GRID_COLUMNS
    titles = [textwrap.wrap(curve.series.name, int(width / _LETTER)) for curve in curves]
    title_height = 6 + _TEXT_LINE * max(map(len, titles))
    height = title_height + _GRID_HEIGHT + _GRID_GAP
    ends = Axis(across.low, across.high, (across.ticks[0], across.ticks[-1]), across.text, across.is_log)
    rows = math.ceil(len(curves) / _GRID_COLUMNS)
    bottom = _TOP + rows * height - _GRID_GAP
    parts = [_up_label(labels[1], _TOP, bottom)]
    for number, curve in enumerate(curves):
        row, column = divmod(number, _GRID_COLUMNS)
        left, top = _LEFT + column * (width + _GRID_GAP), _TOP + row * height + title_height
        frame = _Frame(left, left + width, top, top + _GRID_HEIGHT)
        x, y = frame.scales(across, up)
        for line, words in enumerate(reversed(titles[number])):
            parts.append(_text("f-label", left, top - 8 - _TEXT_LINE * line, words))
        parts += _levels(up, y, frame, strong)
        if column == 0:
            parts += _level_texts(up, y, frame)
        if number + _GRID_COLUMNS >= len(curves):  # no plot below
            parts += _across_text(ends, x, frame.bottom, "")
        others = [other for other in curves if other is not curve and not other.series.is_published]
        parts += [_polyline("f-line f-faint", other, x, y) for other in others]
        parts.append(_curve(replace(curve, series=replace(curve.series, place=0)), x, y, 0.0))
    parts.append(_text("f-tick f-middle", (_LEFT + WIDTH - _RIGHT) / 2, bottom + 36, labels[0]))
    return Panel(bottom + _BOTTOM, "".join(parts))


def legend_panel(series: Sequence[Series], title: str = "", *, is_line: bool = False) -> Panel:
    """A panel with the title and the legend, wrapped to as many lines as needed."""
    parts = [_text("f-title", 12, 20, title)]
    x, y = 12.0, 44.0 if title else 20.0
    for each in series:
        width = _KEY + _LETTER * len(each.name) + 22
        if x + width > WIDTH and x > 12:
            x, y = 12.0, y + 20
        key = _line(f"f-line {_line_kind(each)}", x, x + 22, y - 4, y - 4) if is_line and not each.is_published else ""
        parts.append(key + _shape(each, x + 11, y - 4) + _text("f-label", x + _KEY, y, each.name))
        x += width
    return Panel(y + 8 if series else 28, "".join(parts))


@dataclass(frozen=True)
class Picture:
    """Panels stacked vertically; `label` describes the picture in a sentence for screen readers."""

    label: str
    panels: tuple[Panel, ...]

    def inline(self) -> str:
        """SVG for a page that includes style and colours."""
        return f'<svg class="f-picture" {self._frame}>{"".join(self._body())}</svg>'

    def standalone(self) -> str:
        """SVG as a file with its own background, legible on pages of any colour."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="f-picture" {self._frame}>\n'
            f"<style>{colours()}{picture_style()}</style>\n"
            f'<rect class="f-ground" width="100%" height="100%"/>\n{"".join(self._body())}\n</svg>\n'
        )

    @property
    def _frame(self) -> str:
        height = math.ceil(sum(panel.height for panel in self.panels))
        size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        return f'{size} role="img" aria-label="{html_text(self.label)}"'

    def _body(self) -> Iterator[str]:
        top = 0.0
        for panel in self.panels:
            yield f'<g transform="translate(0 {top:g})">{panel.body}</g>'
            top += panel.height


def picture_style() -> str:
    """The style of all pictures; its classes begin with ``f-`` to avoid conflicts with a page's classes."""
    return resources.files("joute.reproduce").joinpath("figures.css").read_text("utf-8")


@dataclass(frozen=True)
class _Scale:
    """Maps values of an axis to coordinates of a picture."""

    axis: Axis
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (self.end - self.start) * self.axis.place(value)


@dataclass(frozen=True)
class _Frame:
    """The area of a plot within its panel."""

    left: float
    right: float
    top: float
    bottom: float

    def scales(self, across: Axis, up: Axis) -> tuple[_Scale, _Scale]:
        return _Scale(across, self.left, self.right), _Scale(up, self.bottom, self.top)


def _levels(up: Axis, y: _Scale, frame: _Frame, strong: float | None) -> Iterator[str]:
    """Horizontal lines at the ticks of a vertical axis."""
    for tick in up.ticks:
        kind = "f-strong" if tick == strong else "f-grid"
        yield _line(kind, frame.left, frame.right, y.at(tick), y.at(tick))


def _level_texts(up: Axis, y: _Scale, frame: _Frame) -> Iterator[str]:
    for tick in up.ticks:
        yield _text("f-tick f-end", frame.left - 8, y.at(tick) + 4, up.text(tick))


def _up_label(label: str, top: float, bottom: float) -> str:
    """The label of a vertical axis, read from below."""
    x, y = 16, f"{(top + bottom) / 2:.1f}"
    return f'<text class="f-tick f-middle" x="{x}" y="{y}" transform="rotate(-90 {x} {y})">{html_text(label)}</text>'


def _across(axis: Axis, scale: _Scale, top: float, bottom: float, label: str, strong: float | None) -> Iterator[str]:
    for tick in axis.ticks:
        kind = "f-strong" if tick == strong else "f-grid"
        yield _line(kind, scale.at(tick), scale.at(tick), top, bottom)
    yield from _across_text(axis, scale, bottom, label)


def _across_text(axis: Axis, scale: _Scale, bottom: float, label: str) -> Iterator[str]:
    for tick in axis.ticks:
        yield _text("f-tick f-middle", scale.at(tick), bottom + 18, axis.text(tick))
    yield _text("f-tick f-middle", (scale.start + scale.end) / 2, bottom + 36, label)


def _row_mark(mark: Mark, scale: _Scale, y: float) -> str:
    parts = []
    if not (math.isnan(mark.low) or math.isnan(mark.high)):
        low, high = (scale.at(max(min(end, scale.axis.high), scale.axis.low)) for end in (mark.low, mark.high))
        parts.append(_line(f"f-whisker {mark.series.kind}", low, high, y, y))
        for x, end, direction in ((low, mark.low, -1), (high, mark.high, 1)):
            path = f"M{-6 * direction} -4 L0 0 L{-6 * direction} 4" if math.isinf(end) else "M0 -3.5 V3.5"
            parts.append(
                f'<path class="f-whisker {mark.series.kind}" transform="translate({x:.1f} {y:.1f})" d="{path}"/>'
            )
    if math.isfinite(mark.value):
        place = scale.at(mark.value)
        parts.append(_shape(mark.series, place, y) + _text("f-tick", place + 10, y + 4, mark.text))
    return "".join(parts)


def _curve(curve: Curve, x: _Scale, y: _Scale, shift: float) -> str:
    series = curve.series
    parts = [] if series.is_published else [_polyline(f"f-line {_line_kind(series)}", curve, x, y, shift)]
    for point in curve.points:
        across, up = x.at(point.x) + shift, y.at(point.y)
        if not (math.isnan(point.low) or math.isnan(point.high)):
            parts.append(_line(f"f-whisker {series.kind}", across, across, y.at(point.low), y.at(point.high)))
        if len(curve.points) <= _MARKED_POINTS:
            parts.append(_shape(series, across, up))
    return "".join(parts)


def _polyline(kind: str, curve: Curve, x: _Scale, y: _Scale, shift: float = 0.0) -> str:
    path = " ".join(f"{x.at(point.x) + shift:.1f},{y.at(point.y):.1f}" for point in curve.points)
    return f'<polyline class="{kind}" points="{path}"><title>{html_text(curve.series.name)}</title></polyline>'


def _line_kind(series: Series) -> str:
    """The CSS classes of a line: dashed after the fourth and dotted after the eighth, as colours repeat."""
    dashes = ("", " f-dashed", " f-dotted")[min(2, series.place // (COLOURS // 2))]
    return series.kind + dashes


def _shape(series: Series, x: float, y: float) -> str:
    """A mark: circle, square or triangle by `place`, a hollow diamond for published numbers."""
    kind = f'class="f-mark {series.kind}"'
    if series.is_published:
        return f'<path {kind} d="M{x:.1f} {y - 5.5:.1f} l5.5 5.5 l-5.5 5.5 l-5.5 -5.5 z"/>'
    if series.place % 3 == 0:
        return f'<circle {kind} cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    if series.place % 3 == 1:
        return f'<rect {kind} x="{x - 3.75:.1f}" y="{y - 3.75:.1f}" width="7.5" height="7.5"/>'
    return f'<path {kind} d="M{x:.1f} {y - 4.5:.1f} l4.5 8 h-9 z"/>'


def _line(kind: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _text(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{html_text(words)}</text>' if words else ""
