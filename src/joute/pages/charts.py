"""Small charts as SVG in HTML. A chart library would add megabytes to a page, or a dependency.

Horizontal positions are percentages, so that a chart is as wide as its page while its text keeps a readable size on a
phone; lines are drawn in a nested SVG that stretches. Colours and strokes come from CSS classes (charts.css), because
the content security policy of pages forbids inline styles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from joute.match.ratings import Rating
from joute.numbers import MINUS, count_of
from joute.text import html_text

#: The number of distinguishable colours; further lines are grey.
COLOURS = 8

_HEIGHT = 220
# Most points of a line; longer lines are thinned.
_POINTS = 240
# Distances at which the labels at the ends of lines do not overlap.
_LABEL_HEIGHT = 13
_LABEL_WIDTH_PERCENT = 6
# Most bars of a chart: more values are binned. With fewer than the second number, bars keep the width of that many.
_BARS, _FEWEST_BARS = 30, 6


@dataclass(frozen=True)
class Line:
    """A line of a chart: its name in the legend, its points, and its place among the lines of all charts, from 0.

    The place selects the colour; the mark is the place counted from 1.
    """

    name: str
    place: int
    points: Sequence[tuple[float, float]]
    #: The interval of each point, drawn as a bar; empty without intervals.
    intervals: Sequence[tuple[float, float]] = ()

    @property
    def mark(self) -> str:
        """The label at its end."""
        return str(self.place + 1)

    @property
    def series(self) -> str:
        """The CSS class of its colour; grey after the last colour."""
        return f"s{self.place}" if self.place < COLOURS else "other"


@dataclass(frozen=True)
class Axis:
    """Maps values from `low` to `high` to the range 0 to 1; `ticks` are the labelled values."""

    low: float
    high: float
    ticks: tuple[float, ...]
    text: Callable[[float], str] = "{:,g}".format
    is_log: bool = False

    def place(self, value: float) -> float:
        """The position of a value, clamped to 0 and 1."""
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, self.low))
        return min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.5


def linear_axis(
    low: float,
    high: float,
    *,
    steps: int = 5,
    text: Callable[[float], str] | None = None,
    tight: bool = False,
    whole: bool = False,
) -> Axis:
    """An axis with about `steps` round ticks, integers only if `whole`; it ends at ticks unless `tight`.

    >>> linear_axis(0, 47).ticks
    (0.0, 10.0, 20.0, 30.0, 40.0, 50.0)
    """
    if high <= low:
        low, high = low - 0.5, high + 0.5
    step = max(_round_step((high - low) / steps), 1.0 if whole else 0.0)
    if not tight:
        low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple(round(step * number, 10) for number in range(first, last + 1))
    return Axis(low, high, ticks, text or _plain)


def log_axis(low: float, high: float, *, text: Callable[[float], str] | None = None) -> Axis:
    """An axis of powers of ten.

    >>> log_axis(3, 450).ticks
    (1.0, 10.0, 100.0, 1000.0)
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    last = max(last, first + 1)
    stride = math.ceil((last - first) / 6)
    ticks = tuple(10.0**power for power in range(first, last + 1, stride))
    return Axis(10.0**first, 10.0**last, ticks, text or _plain, is_log=True)


def line_chart(title: str, lines: Sequence[Line], across: Axis, up: Axis, *, across_label: str) -> str:
    """A line chart; `legend` names the lines. Grey lines are drawn behind the others."""
    paths = "".join(_polyline(line, across, up) for line in sorted(lines, key=lambda line: -line.place))
    stretched = (
        f'<svg class="stretch" width="100%" height="{_HEIGHT}" viewBox="0 0 1000 1000" preserveAspectRatio="none">'
        f"{paths}</svg>"
    )
    bars = "".join(_interval_bars(line, across, up) for line in lines)
    marks = _end_marks([line for line in lines if line.place < COLOURS], across, up)
    return _figure(title, stretched + bars + marks, across, up, across_label)


def legend(lines: Sequence[Line]) -> str:
    """The legend of one or more line charts."""
    items = [
        f"<li>{_key(line.series)}<b>{html_text(line.mark)}</b> {html_text(line.name)}</li>"
        for line in lines
        if line.place < COLOURS
    ]
    if others := len(lines) - len(items):
        items.append(f"<li>{_key('other')}{count_of(others, 'other')}</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def bar_chart(title: str, counts: Mapping[int, int], *, across_label: str) -> str:
    """A histogram of integers, binned if there are many."""
    low, high = min(counts), max(counts)
    width = next(step for step in _whole_steps() if (high - low) // step < _BARS)
    first = low // width
    bins = [0] * (high // width - first + 1)
    for value, count in counts.items():
        bins[value // width - first] += count
    up = linear_axis(0, max(bins), steps=4, whole=True)
    share = 100 / max(len(bins), _FEWEST_BARS)
    left = (100 - share * len(bins)) / 2
    every = math.ceil(len(bins) / 8)
    bars = []
    for number, count in enumerate(bins):
        start = (first + number) * width
        name = str(start) if width == 1 else f"{start}–{start + width - 1}"
        height = _HEIGHT * up.place(count)
        bars.append(
            f'<rect class="bar" x="{left + share * (number + 0.08):.3f}%" width="{0.84 * share:.3f}%" '
            f'y="{_HEIGHT - height:.1f}" height="{height:.1f}"><title>{name}: {count:,}</title></rect>'
        )
        if number % every == 0:
            bars.append(
                f'<text class="tick middle" x="{left + share * (number + 0.5):.3f}%" y="{_HEIGHT + 18}">{start}</text>'
            )
    step = f", {width} to a bar" if width > 1 else ""
    return _figure(title, "".join(bars), Axis(0, 1, ()), up, across_label + step)


def interval_row(rating: Rating, axis: Axis, label: str) -> str:
    """A row of a ratings plot: a dot in its interval, with an arrow at an open end; only a dot for a fixed rating.

    Nothing for an unknown rating.
    """
    grid = _row_grid(axis)
    if math.isnan(rating.elo):
        return f'<svg class="row" width="100%" height="24" role="img" aria-label="{html_text(label)}">{grid}</svg>'
    dot = f'<circle class="dot" cx="{100 * axis.place(rating.elo):.2f}%" cy="12" r="4.5"/>'
    return (
        f'<svg class="row" width="100%" height="24" role="img" aria-label="{html_text(label)}">{grid}'
        f"{_interval(rating, axis) if rating.low < rating.high else ''}"
        f"{dot if math.isfinite(rating.elo) else ''}</svg>"
    )


def axis_row(axis: Axis) -> str:
    """The axis labels below a plot of rows."""
    return f'<svg class="row axis-row" width="100%" height="22" aria-hidden="true">{_across_ticks(axis, 14)}</svg>'


def share_row(shares: Sequence[tuple[str, float, tuple[float, float]]], label: str) -> str:
    """Scores from 0 to 100% with intervals in one row: (CSS class, score, interval)."""
    axis = Axis(0, 1, (0.0, 0.5, 1.0))
    parts = [_row_grid(axis, strong=0.5)]
    for number, (kind, share, (low, high)) in enumerate(shares):
        y = 12 if len(shares) == 1 else 7 + 10 * number
        parts.append(
            f'<line class="interval {kind}" x1="{100 * low:.2f}%" x2="{100 * high:.2f}%" y1="{y}" y2="{y}"/>'
            f'<circle class="dot {kind}" cx="{100 * share:.2f}%" cy="{y}" r="4"/>'
        )
    return (
        f'<svg class="row" width="100%" height="24" role="img" aria-label="{html_text(label)}">{"".join(parts)}</svg>'
    )


def stacked_bar(parts: Sequence[tuple[str, str, int]], *, label: str) -> str:
    """A bar divided in proportion to counts: (CSS class, name, count)."""
    total = sum(count for _, _, count in parts) or 1
    begin, rects = 0.0, []
    for kind, name, count in parts:
        share = 100 * count / total
        text = (
            f'<text class="in-bar {kind}" x="{begin + share / 2:.2f}%" y="16">{html_text(name)} {count:,}</text>'
            if share > 14
            else ""
        )
        rects.append(
            f'<rect class="{kind}" x="{begin:.3f}%" width="{share:.3f}%" y="0" height="24">'
            f"<title>{html_text(name)}: {count:,}</title></rect>{text}"
        )
        begin += share
    return (
        f'<svg class="stack" width="100%" height="24" role="img" aria-label="{html_text(label)}">{"".join(rects)}</svg>'
    )


def heat(share: float | None) -> str:
    """The CSS class of a cell's colour, from h0 (weak) over h5 (even) to h10 (strong)."""
    return "none" if share is None else f"h{round(10 * share)}"


def _key(kind: str) -> str:
    return (
        '<svg class="key" width="22" height="10" aria-hidden="true">'
        f'<line class="line {kind}" x1="0" x2="22" y1="5" y2="5"/></svg>'
    )


def _polyline(line: Line, across: Axis, up: Axis) -> str:
    points = " ".join(f"{1000 * across.place(x):.1f},{1000 * (1 - up.place(y)):.1f}" for x, y in _thinned(line.points))
    return f'<polyline class="line {line.series}" points="{points}"><title>{html_text(line.name)}</title></polyline>'


def _interval_bars(line: Line, across: Axis, up: Axis) -> str:
    """A vertical bar with a point for each interval. The bars of each line are shifted, so that none covers another."""
    parts = []
    for (x, y), (low, high) in zip(line.points, line.intervals, strict=False):
        at = f"{100 * across.place(x):.2f}%"
        bottom, top, middle = (_HEIGHT * (1 - up.place(value)) for value in (low, high, y))
        parts.append(
            f'<line class="line {line.series}" x1="{at}" x2="{at}" y1="{bottom:.1f}" y2="{top:.1f}">'
            f"<title>{html_text(line.name)}: {html_text(up.text(y))} ({html_text(up.text(low))} to "
            f'{html_text(up.text(high))})</title></line><circle class="point {line.series}" cx="{at}" '
            f'cy="{middle:.1f}" r="3"/>'
        )
    shift = 5 * ((line.place + 1) // 2) * (-1 if line.place % 2 else 1)
    return f'<g transform="translate({shift},0)">{"".join(parts)}</g>' if parts else ""


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most `_POINTS` points, including the first and the last."""
    if len(points) <= _POINTS:
        return list(points)
    return [points[index * (len(points) - 1) // (_POINTS - 1)] for index in range(_POINTS)]


def _end_marks(lines: Sequence[Line], across: Axis, up: Axis) -> str:
    """The labels at the ends of lines, moved apart where lines end close to each other."""
    ends = sorted(((100 * across.place(line.points[-1][0]), line) for line in lines), key=lambda end: end[0])
    groups: list[list[tuple[float, Line]]] = []
    for x, line in ends:
        if groups and x - groups[-1][-1][0] < _LABEL_WIDTH_PERCENT:
            groups[-1].append((x, line))
        else:
            groups.append([(x, line)])
    texts = []
    for group in groups:
        placed = sorted(
            ((_HEIGHT * (1 - up.place(line.points[-1][1])), x, line) for x, line in group), key=lambda at: at[0]
        )
        for (y, x, line), place in zip(placed, apart([y for y, _, _ in placed], _LABEL_HEIGHT), strict=True):
            if not line.intervals:
                texts.append(f'<circle class="point {line.series}" cx="{x:.2f}%" cy="{y:.1f}" r="2.5"/>')
            texts.append(
                f'<text class="end-mark {line.series}" x="{x:.2f}%" dx="7" y="{place + 4:.1f}">{line.mark}</text>'
            )
    return "".join(texts)


def apart(places: Sequence[float], distance: float) -> list[float]:
    """Move sorted places at least `distance` apart, with least squared displacement, by isotonic regression.

    >>> apart([10, 12, 40], 10)
    [6.0, 16.0, 40.0]
    """
    blocks: list[tuple[float, int]] = []  # (sum of place - number * distance, count)
    for number, place in enumerate(places):
        total, count = place - number * distance, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before, others = blocks.pop()
            total, count = total + before, count + others
        blocks.append((total, count))
    levels = [total / count for total, count in blocks for _ in range(count)]
    return [level + number * distance for number, level in enumerate(levels)]


def _figure(title: str, drawing: str, across: Axis, up: Axis, across_label: str) -> str:
    places = {tick: _HEIGHT * (1 - up.place(tick)) + 4 for tick in up.ticks}
    ticks = "".join(
        f'<text class="tick right" x="44" y="{y:.1f}">{html_text(up.text(tick))}</text>' for tick, y in places.items()
    )
    grid = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        for y in (_HEIGHT * (1 - up.place(tick)) for tick in up.ticks)
    )
    height = _HEIGHT + 26
    return (
        f'<figure class="chart"><figcaption>{html_text(title)}</figcaption><div class="plot">'
        f'<svg class="axis" width="50" height="{height}" aria-hidden="true">{ticks}</svg>'
        f'<svg class="area" width="100%" height="{height}" role="img" aria-label="{html_text(title)}">{grid}{drawing}'
        f"{_across_ticks(across, _HEIGHT + 18)}</svg></div>"
        f'<p class="across">{html_text(across_label)}</p></figure>'
    )


def _across_ticks(axis: Axis, y: float) -> str:
    texts = []
    for number, tick in enumerate(axis.ticks):
        place = axis.place(tick)
        every_other = " minor" if number % 2 else ""  # hidden on narrow screens
        anchor = "left" if place < 0.02 else "right" if place > 0.98 else "middle"
        text = html_text(axis.text(tick))
        texts.append(f'<text class="tick {anchor}{every_other}" x="{100 * place:.2f}%" y="{y:g}">{text}</text>')
    return "".join(texts)


def _row_grid(axis: Axis, *, strong: float = 0.0) -> str:
    return "".join(
        f'<line class="{"zero" if tick == strong else "grid"}" x1="{100 * axis.place(tick):.2f}%" '
        f'x2="{100 * axis.place(tick):.2f}%" y1="0" y2="24"/>'
        for tick in axis.ticks
    )


def _interval(rating: Rating, axis: Axis) -> str:
    low, high = 100 * axis.place(rating.low), 100 * axis.place(rating.high)
    ends = _end(low, -1, is_open=math.isinf(rating.low)) + _end(high, 1, is_open=math.isinf(rating.high))
    return f'<line class="interval" x1="{low:.2f}%" x2="{high:.2f}%" y1="12" y2="12"/>{ends}'


def _end(place: float, direction: int, *, is_open: bool) -> str:
    """The end of an interval: a cap or an arrow. The nested SVG places a path in pixels at a percentage."""
    path = f"M{-7 * direction} -5 L0 0 L{-7 * direction} 5" if is_open else "M0 -4 V4"
    kind = "arrow" if is_open else "cap"
    return f'<svg x="{place:.2f}%" y="12" overflow="visible"><path class="{kind}" d="{path}"/></svg>'


def _round_step(step: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= step * (1 - 1e-9))


def _whole_steps() -> Sequence[int]:
    return [factor * 10**power for power in range(9) for factor in (1, 2, 5)]


def _plain(value: float) -> str:
    """A number in short form: 0.001, 20, 10k, 3M."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            unit = 1e3 if letter == "k" else limit
            return f"{value / unit:g}{letter}".replace("-", MINUS)
    return f"{value:g}".replace("-", MINUS)
