"""Pictures for the report: dots with whiskers, bars and lines, as SVG files or as parts of a page.

The charts of a tournament's report (pages/charts.py) take width and style from their page. These pictures have a fixed
size, because they are also files that other pages show as images. Both use the same axes.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from joute.pages.charts import COLOURS, Axis
from joute.pages.page_parts import colours
from joute.text import html_text

WIDTH = 760
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 24, 14, 44
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
    """A number in a row, with the bounds of its interval: nan without interval, infinite if open."""

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


def rows_panel(
    rows: Sequence[Row], axis: Axis, label: str, *, strong: float | None = None, bars: bool = False
) -> Panel:
    """A panel with one row per label and a horizontal axis."""
    labels = [[line for part in row.label.split("\n") for line in textwrap.wrap(part, LABEL_LETTERS)] for row in rows]
    left = max(90.0, 28 + _LETTER * max(len(line) for lines in labels for line in lines))
    scale = _Scale(axis, left, WIDTH - _RIGHT - (50 if bars else 0))
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
            parts.append(_bar(mark, scale, y) if bars else _row_mark(mark, scale, y))
        top += height
    return Panel(bottom + _BOTTOM, "".join(parts))


def curves_panel(curves: Sequence[Curve], across: Axis, up: Axis, label: str, *, strong: float | None = None) -> Panel:
    """A panel with lines over a horizontal axis."""
    top = _TOP
    x, y = _Scale(across, _LEFT, WIDTH - _RIGHT), _Scale(up, top + _PANEL_HEIGHT, top)
    parts = []
    for tick in up.ticks:
        kind = "f-strong" if tick == strong else "f-grid"
        parts.append(_line(kind, _LEFT, WIDTH - _RIGHT, y.at(tick), y.at(tick)))
        parts.append(_text("f-tick f-end", _LEFT - 8, y.at(tick) + 4, up.text(tick)))
    parts += _across_text(across, x, top + _PANEL_HEIGHT, label)
    whiskers = [curve for curve in curves if any(not math.isnan(point.low) for point in curve.points)]
    for curve in curves:
        shift = _DODGE * (whiskers.index(curve) - (len(whiskers) - 1) / 2) if curve in whiskers else 0.0
        parts.append(_curve(curve, x, y, shift))
    return Panel(top + _PANEL_HEIGHT + _BOTTOM, "".join(parts))


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
        parts.append(_shape(mark.series, scale.at(mark.value), y))
    return "".join(parts)


def _bar(mark: Mark, scale: _Scale, y: float) -> str:
    start, end = scale.start, scale.at(mark.value)
    return (
        f'<rect class="f-bar {mark.series.kind}" x="{start:.1f}" y="{y - 6:.1f}" width="{max(1.0, end - start):.1f}" '
        f'height="12"/>{_text("f-tick", end + 6, y + 4, mark.text)}'
    )


def _curve(curve: Curve, x: _Scale, y: _Scale, shift: float) -> str:
    series = curve.series
    places = [(x.at(point.x) + shift, y.at(point.y)) for point in curve.points]
    parts = []
    if not series.is_published:
        path = " ".join(f"{across:.1f},{up:.1f}" for across, up in places)
        title = f"<title>{html_text(series.name)}</title>"
        parts.append(f'<polyline class="f-line {_line_kind(series)}" points="{path}">{title}</polyline>')
    for point, (across, up) in zip(curve.points, places, strict=True):
        if not (math.isnan(point.low) or math.isnan(point.high)):
            parts.append(_line(f"f-whisker {series.kind}", across, across, y.at(point.low), y.at(point.high)))
        if len(places) <= _MARKED_POINTS:
            parts.append(_shape(series, across, up))
    return "".join(parts)


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
