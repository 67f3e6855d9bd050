"""The figures of an experiment, by the names that its file gives."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from joute.match.statistics import wilson_interval
from joute.numbers import duration, elo_text
from joute.pages.charts import Axis, linear_axis, log_axis
from joute.reproduce.experiments import OPENINGS, START, Experiment
from joute.reproduce.grids import PROTOCOL_NAMES, elo_of
from joute.reproduce.measures import share
from joute.reproduce.plot import (
    LABEL_LETTERS,
    Curve,
    Mark,
    Panel,
    Picture,
    Point,
    Row,
    Series,
    curves_panel,
    grid_panel,
    legend_panel,
    rows_panel,
)
from joute.reproduce.results import AgentResult, PairingResult
from joute.reproduce.tables import FEW_GAMES, ExperimentTable, are_totals
from joute.reproduce.verdicts import published_interval, published_share
from joute.spec import look_up

# An axis is logarithmic if its largest value exceeds its smallest by more than this factor.
_LOG_SPAN = 10
# Shares by ply are grouped into about this many points.
_PLY_GROUPS = 10
# More lines than this are drawn as a grid of small plots, because they would hide each other.
_MOST_LINES = 4

_PUBLISHED = Series("published", 0, is_published=True)
_PLACES = {OPENINGS: 0, START: 1}


@dataclass(frozen=True)
class Figure:
    """A picture with its caption; `file` is its name beside the report, without extension."""

    file: str
    caption: str
    picture: Picture


def figures_of(table: ExperimentTable, prefix: str) -> Iterator[Figure]:
    """The figures that an experiment lists and that its results allow; file names begin with `prefix`."""
    for name in table.experiment.figures:
        caption, draw = look_up(f"figure of experiment {table.experiment.name}", name, FIGURES)
        if panels := draw(caption, table):
            picture = Picture(f"{table.experiment.title}: {caption[0].lower()}{caption[1:]}", tuple(panels))
            yield Figure(f"{prefix}-{name}", caption, picture)


def _scores(title: str, table: ExperimentTable) -> list[Panel]:
    """Scores of both protocols; with too few games, a dot without an interval."""
    rows: dict[tuple[str, str], list[Mark]] = {}
    for protocol, row in sorted(table.rows.items(), key=lambda item: _PLACES[item[0]]):
        for pairing in row.pairings:
            rows.setdefault((pairing.a, pairing.b), []).append(_score_mark(pairing, _series(protocol)))
    if not rows:
        return []
    theirs = {names: list(_published_scores(table.experiment, *names)) for names in rows}
    drawn = [
        Row(_against(a, b), (*marks, *(Mark(_PUBLISHED, *score) for score in theirs[a, b])))
        for (a, b), marks in rows.items()
    ]
    used = [_series(protocol) for protocol in _PLACES if protocol in table.rows]
    return [
        legend_panel([*used, *([_PUBLISHED] if any(theirs.values()) else [])], title),
        rows_panel(drawn, _share_axis(), "score, with its 95% interval", strong=0.5),
    ]


def _against(a: str, b: str) -> str:
    """The label of a pairing, broken into two lines if it is long."""
    label = f"{a} against {b}"
    return label if len(label) <= LABEL_LETTERS else f"{a}\nagainst {b}"


def _series(protocol: str) -> Series:
    return Series(f"ours, {PROTOCOL_NAMES[protocol]}", _PLACES[protocol])


def _score_mark(pairing: PairingResult, series: Series) -> Mark:
    if pairing.distinct < FEW_GAMES:
        return Mark(series, pairing.score)
    return Mark(series, pairing.score, pairing.low, pairing.high)


def _batches(title: str, table: ExperimentTable) -> list[Panel]:
    pairings = [pairing for pairing in table.main.pairings if pairing.batches]
    if not pairings:
        return []
    scores: list[Curve] = []
    times: list[Curve] = []
    names = [name for pairing in pairings for name in (pairing.a, pairing.b)]
    for pairing in pairings:
        played, points = 0, []
        by_side: tuple[list[Point], list[Point]] = ([], [])
        for batch in pairing.batches:
            played += batch.games
            score = batch.points / batch.games
            points.append(Point(played, score, *wilson_interval(score, batch.games)))
            for side, time_s in zip(by_side, batch.time_s, strict=True):
                side.append(Point(played, time_s))
        scores.append(Curve(Series(f"{pairing.a} against {pairing.b}", len(scores)), tuple(points)))
        for name, other, side in ((pairing.a, pairing.b, by_side[0]), (pairing.b, pairing.a, by_side[1])):
            label = name if names.count(name) == 1 else f"{name} (against {other})"
            times.append(Curve(Series(label, len(times)), tuple(side)))
    last = max(point.x for curve in scores for point in curve.points)
    across = linear_axis(0, last, tight=True, whole=True)
    return [
        *_curves(title, scores, across, _share_axis(), ("games", "score"), strong=0.5),
        *_curves("Time a move by batch of games", times, across, _time_axis(_heights(times)), ("games", "time a move")),
    ]


def _depth(title: str, table: ExperimentTable) -> list[Panel]:
    told = _by_ply(table.main.agents, lambda ply: ply.depth)
    if not told:
        return []
    top = max(point.y for curve in told for point in curve.points)
    return _curves(title, told, _ply_axis(told), linear_axis(0, top), ("ply", "completed depth"))


def _time(title: str, table: ExperimentTable) -> list[Panel]:
    told = _by_ply(table.main.agents, lambda ply: ply.time_s)
    return _curves(title, told, _ply_axis(told), _time_axis(_heights(told)), ("ply", "time a move")) if told else []


def _by_ply(agents: Sequence[AgentResult], read: Callable[..., float | None]) -> list[Curve]:
    """A line for each agent with data; plies are counted from 1."""
    curves: list[Curve] = []
    for agent in agents:
        points = tuple(Point(ply.ply + 1, value) for ply in agent.plies if (value := read(ply)) is not None)
        if points:
            curves.append(Curve(Series(agent.name, len(curves)), points))
    return curves


def _curve(title: str, table: ExperimentTable) -> list[Panel]:
    """Score against the agents' `x`. Pairings whose names differ only in a final number share a line."""
    experiment = table.experiment
    lines: dict[str, list[Point]] = {}
    published: list[Point] = []
    for pairing in table.main.pairings:
        a, b = experiment.agent(pairing.a), experiment.agent(pairing.b)
        is_a = a.x is not None
        x = a.x if is_a else b.x
        if x is None:
            continue
        one, other = (a, b) if is_a else (b, a)
        ends = (pairing.score, pairing.low, pairing.high)
        point = Point(x, *(ends if is_a else (1 - ends[0], 1 - ends[2], 1 - ends[1])))
        lines.setdefault(f"{_stem(one.name)} against {_stem(other.name)}", []).append(point)
        published += (Point(x, *score) for score in _published_scores(experiment, one.name, other.name))
    if not lines:
        return []
    curves = [
        Curve(Series(name, place), tuple(sorted(points, key=lambda point: point.x)))
        for place, (name, points) in enumerate(lines.items())
    ]
    if published:
        curves.append(Curve(_PUBLISHED, tuple(published)))
    places = sorted({point.x for curve in curves for point in curve.points})
    return _curves(title, curves, _x_axis(places), _share_axis(), (experiment.x_label, "score"), strong=0.5)


def _stem(name: str) -> str:
    """A name without the number it ends with."""
    return re.sub(r"[\s:=]+[\d.,]+$", "", name)


def _published_scores(experiment: Experiment, one: str, other: str) -> Iterator[tuple[float, float, float]]:
    """Published scores of a pairing with their intervals, from the view of `one`."""
    for finding in experiment.findings:
        if finding.measure != "score" or set(finding.of) != {one, other}:
            continue
        found, interval = published_share(finding), published_interval(finding)
        if not found or not interval:
            continue
        score, (low, high) = found[0], interval
        yield (score, low, high) if finding.of[0] == one else (1 - score, 1 - high, 1 - low)


def _points(title: str, table: ExperimentTable) -> list[Panel]:
    """Points per game; published totals are scaled to the same sum, as the tournament had another length."""
    found = [row for row in table.findings if row.finding.measure == "points"]
    if not found:
        return []
    numbers = {
        row.what: float(row.finding.published) for row in found if isinstance(row.finding.published, int | float)
    }
    totals = are_totals(table.experiment)
    factor = sum(row.cell.seen.value for row in found if row.what in numbers) / sum(numbers.values()) if totals else 1.0
    ours = Series(f"ours, {PROTOCOL_NAMES[table.main.protocol]}", 0)
    theirs = Series("published totals, scaled to the same sum" if totals else "published", 0, is_published=True)
    rows = []
    for row in found:
        seen = row.cell.seen
        marks = [Mark(ours, seen.value, seen.low, seen.high)]
        if row.what in numbers:
            marks.append(Mark(theirs, factor * numbers[row.what]))
        rows.append(Row(row.finding.of[0], tuple(marks)))
    ends = [end for row in rows for mark in row.marks for end in (mark.value, mark.high) if end > 0]
    axis = linear_axis(0, max(ends, default=0))
    return [legend_panel([ours, *([theirs] if numbers else [])], title), rows_panel(rows, axis, "points a game")]


def _ratings(title: str, table: ExperimentTable) -> list[Panel]:
    rated = [(agent, elo_of(agent)) for agent in table.main.agents if agent.elo]
    ends = [end for _, elo in rated for end in elo if math.isfinite(end)]
    if not ends:
        return []
    ours = Series("ours", 0)
    best_first = sorted(rated, key=lambda entry: -entry[1][0] if not math.isnan(entry[1][0]) else math.inf)
    rows = [Row(agent.name, (Mark(ours, *elo),)) for agent, elo in best_first]
    room = 0.05 * (max(ends) - min(ends))  # for the arrows of open intervals
    axis = linear_axis(min(ends) - room, max(ends) + room, steps=6, text=elo_text)
    return [legend_panel([], title), rows_panel(rows, axis, "Elo, with its 95% interval", strong=0.0)]


def _failures(title: str, table: ExperimentTable) -> list[Panel]:
    """Failure shares of all positions and by ply."""
    asked = [agent for agent in table.main.agents if agent.failures_by_ply and agent.moves]
    if not asked:
        return []
    rows, curves = [], []
    plies = sorted({int(ply) for agent in asked for ply in agent.failures_by_ply})
    width = math.ceil((plies[-1] - plies[0] + 1) / _PLY_GROUPS)
    for place, agent in enumerate(asked):
        # In a grid of small plots, all lines have the same colour, and so do the rows above it.
        series = Series(agent.name, place if len(asked) <= _MOST_LINES else 0)
        seen = share(agent.failures, agent.moves)
        rows.append(Row(agent.name, (Mark(series, seen.value, seen.low, seen.high),)))
        curves.append(Curve(series, tuple(_failures_by_ply(agent, plies[0], width))))
    step = f", {width} to a point" if width > 1 else ""
    across = linear_axis(plies[0] - 1, plies[-1] + 1, steps=8, tight=True, whole=True)
    most = max(mark.high for row in rows for mark in row.marks)
    highest = max([most, *(max(point.y, point.high) for curve in curves for point in curve.points)])
    labels = f"plies played{step}", "share failed"
    return [
        legend_panel([], title),
        rows_panel(rows, linear_axis(0, most, text=_percent), "share failed in all, with its 95% interval"),
        *_curves(f"{title}, by ply", curves, across, linear_axis(0, highest, text=_percent), labels),
    ]


def _failures_by_ply(agent: AgentResult, first: int, width: int) -> Iterator[Point]:
    """The failure share of each group of `width` plies."""
    groups: dict[int, tuple[int, int]] = {}
    for ply, (asked, failed) in agent.failures_by_ply.items():
        group = (int(ply) - first) // width
        before = groups.get(group, (0, 0))
        groups[group] = (before[0] + asked, before[1] + failed)
    for group, (asked, failed) in sorted(groups.items()):
        seen = share(failed, asked)
        if seen.count:
            yield Point(first + group * width + (width - 1) / 2, seen.value, seen.low, seen.high)


def _times(title: str, table: ExperimentTable) -> list[Panel]:
    timed = [(agent, agent.time_s / agent.moves) for agent in table.main.agents if agent.moves and agent.time_s > 0]
    if not timed:
        return []
    series = Series("", 0)
    rows = [Row(agent.name, (Mark(series, time_s, text=duration(time_s)),)) for agent, time_s in timed]
    times = [time_s for _, time_s in timed]
    # Dots, not bars: the length of a bar tells nothing on a logarithmic axis, which has no zero.
    return [legend_panel([], title), rows_panel(rows, _time_axis(times), "time a move")]


#: The title and the drawing function of each figure; the function returns no panels if the results lack the data.
FIGURES: Mapping[str, tuple[str, Callable[[str, ExperimentTable], list[Panel]]]] = {
    "scores": ("Score of each pairing", _scores),
    "batches": ("Score by batch of games", _batches),
    "depth": ("Completed depth by ply", _depth),
    "time": ("Time a move by ply", _time),
    "curve": ("Score as the agents' budget grows", _curve),
    "points": ("Points a game", _points),
    "ratings": ("Ratings", _ratings),
    "failures": ("Share of positions failed", _failures),
    "times": ("Time a move", _times),
}


def _curves(
    title: str,
    curves: Sequence[Curve],
    across: Axis,
    up: Axis,
    labels: tuple[str, str],
    *,
    strong: float | None = None,
) -> list[Panel]:
    """Lines in one plot with a legend, or in a grid of small plots if there are many."""
    if len(curves) > _MOST_LINES:
        return [legend_panel([], title), grid_panel(curves, across, up, labels, strong=strong)]
    return [
        legend_panel([curve.series for curve in curves], title, is_line=True),
        curves_panel(curves, across, up, labels, strong=strong),
    ]


def _share_axis() -> Axis:
    return Axis(0, 1, (0.0, 0.25, 0.5, 0.75, 1.0), _percent)


def _percent(value: float) -> str:
    return f"{100 * value:g}%"


def _ply_axis(curves: Sequence[Curve]) -> Axis:
    return linear_axis(1, max(point.x for curve in curves for point in curve.points), steps=8, tight=True, whole=True)


def _heights(curves: Sequence[Curve]) -> list[float]:
    return [point.y for curve in curves for point in curve.points]


def _time_axis(times: Sequence[float]) -> Axis:
    shown = [time_s for time_s in times if time_s > 0]
    if shown and max(shown) > _LOG_SPAN * min(shown):
        return log_axis(min(shown), max(shown), text=_short_time)
    unit, factor = ("s", 1.0) if max(times) >= 1 else ("ms", 1e3) if max(times) >= 1e-3 else ("µs", 1e6)
    return linear_axis(0, max(times), text=lambda seconds: f"{factor * seconds:g} {unit}")


def _short_time(seconds: float) -> str:
    """A time on an axis, without trailing zeros."""
    return re.sub(r"\.0+ ", " ", duration(seconds))


def _x_axis(places: Sequence[float]) -> Axis:
    """An axis with ticks at the played values."""
    is_log = places[0] > 0 and places[-1] > _LOG_SPAN * places[0]
    room = (places[-1] / places[0]) ** 0.04 if is_log else 0.04 * (places[-1] - places[0] or 1)
    low, high = (places[0] / room, places[-1] * room) if is_log else (places[0] - room, places[-1] + room)
    return Axis(low, high, tuple(places), "{:,g}".format, is_log=is_log)
