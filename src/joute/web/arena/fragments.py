"""Tables and plots of a tournament as HTML, in the reader's language, from the data and charts of the report.

All text of others is escaped by `html_text`; there are no styles and no scripts in the HTML, as the policy of the page
demands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from joute.arena.columns import PAGE, listed
from joute.numbers import elo_interval, elo_text, points_text, superiority_text
from joute.pages import charts
from joute.pages.page_parts import table
from joute.report.data import Report
from joute.text import LONGEST_TEXT, html_text, message

# With more agents, cells of the cross table show only points.
_DENSE = 12
# Lines of the plot of scores.
_LINES = charts.COLOURS
# A difference is established if the likelihood of superiority lies beyond these.
_SURE = 0.975

Labels = Mapping[str, str]


def fragments(report: Report, labels: Labels) -> dict[str, Any]:
    """The parts of a tournament's page."""
    has_games = bool(report.games)
    return {
        "verdict": _verdict(report, labels),
        "leaders": [
            {
                "name": message(row.name),
                "points": points_text(row.standing.points),
                "games": row.standing.games,
                "elo": elo_text(row.rating.elo) if not math.isnan(row.rating.elo) else "",
                "interval": _interval(elo_interval(row.rating.low, row.rating.high), labels),
            }
            for row in report.playing[:3]
            if row.standing.games
        ],
        "standings": _standings(report, labels) if has_games else "",
        "ratings": _ratings(report, labels) if has_games else "",
        "cross": _cross(report, labels) if has_games else "",
        "course": _course(report, labels) if len(report.games) > 1 else "",
        "lines": [message(line) for line in report.schedule_lines],
        "problems": [
            {
                "agent": "" if problem.agent is None else message(problem.agent),
                "reason": problem.reason,
                "count": problem.count,
                "game": problem.game,
                "detail": message(problem.detail),
            }
            for problem in report.problems[:50]
        ],
        "facts": [
            [_label(labels, "fact", name), message(text[:LONGEST_TEXT]), name.lower()] for name, text in report.facts
        ],
    }


def _label(labels: Labels, kind: str, text: str) -> str:
    """The translation of one of Joute's own words, or the word if it has none."""
    key = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "presumed"
    return labels.get(f"arena.{kind}.{key}", text)


def _interval(text: str, labels: Labels) -> str:
    """An interval with its words translated."""
    return re.sub(r"[a-z]+", lambda found: labels.get(f"arena.word.{found[0]}", found[0]), text)


def _verdict(report: Report, labels: Labels) -> dict[str, Any]:
    """The result in a sentence: its key in the catalogue and what to fill in."""
    ranked = [row for row in report.playing if row.standing.games]
    if not report.games or not ranked:
        return {"key": "arena.verdict.none", "values": {}}
    if report.is_sequential:
        return {"key": "arena.verdict.sequential", "values": {"line": message(report.schedule_lines[0])}}
    is_over = report.length is not None and len(report.games) >= report.length
    if len(ranked) < 2:
        return {"key": "arena.verdict.leads", "values": {"first": message(ranked[0].name)}}
    chance = report.superiority(ranked[0], ranked[1])
    names = {"first": message(ranked[0].name), "second": message(ranked[1].name)}
    if chance is None:
        return {"key": "arena.verdict.leads", "values": names}
    key = "sure" if chance > _SURE else "unsure"
    return {
        "key": f"arena.verdict.{key}{'_over' if is_over else ''}",
        "values": {**names, "chance": superiority_text(chance)},
    }


def _standings(report: Report, labels: Labels) -> str:
    columns = listed(PAGE, report.rows)
    header = [(column.kind, _label(labels, "column", column.header)) for column in columns]
    cells = [
        [_interval(cell, labels) for cell in column.cells] if "interval" in column.header else column.cells
        for column in columns
    ]
    rows = list(zip(*cells, strict=True))
    return table(labels["arena.standings_caption"], header, rows)


def _ratings(report: Report, labels: Labels) -> str:
    """The rating of each agent with its interval."""
    known = [row.rating for row in report.agents if not math.isnan(row.rating.elo)]
    ends = [value for rating in known for value in (rating.low, rating.elo, rating.high) if math.isfinite(value)]
    if not ends:
        return ""
    room = max(50.0, 0.1 * (max(ends) - min(ends)))  # for the arrows of open intervals
    low = min(ends) - room * any(math.isinf(rating.low) for rating in known)
    high = max(ends) + room * any(math.isinf(rating.high) for rating in known)
    axis = charts.linear_axis(low, high, steps=6, text=elo_text)
    rows = []
    for row in report.agents:
        interval = elo_interval(row.rating.low, row.rating.high)
        label = f"{row.name}: {elo_text(row.rating.elo)} Elo, {_interval(interval, labels)}"
        name = html_text(row.name)
        rows.append(
            f'<li><span class="who"><b>{report.rank_text(row)}</b> <span title="{name}">{name}</span></span>'
            f'{charts.interval_row(row.rating, axis, label)}<span class="value">{elo_text(row.rating.elo)}</span></li>'
        )
    return (
        f'<ol class="rows">{"".join(rows)}<li class="axis-item" aria-hidden="true"><span class="who"></span>'
        f'{charts.axis_row(axis)}<span class="value">Elo</span></li></ol>'
    )


def _cross(report: Report, labels: Labels) -> str:
    """The points of each two agents."""
    is_dense = len(report.agents) > _DENSE
    rows = []
    for rank, row in enumerate(report.agents, start=1):
        cells = [str(rank), f'<span title="{html_text(row.name)}">{html_text(row.name)}</span>']
        for column in report.agents:
            met = report.points(row, column)
            if met is None:
                cells.append('<td class="cell same"></td>' if row is column else '<td class="cell none"></td>')
                continue
            points, games = met
            said = f"{points_text(points)}/{games}"
            title = html_text(f"{row.name} – {column.name}: {said}")
            shown = points_text(points) if is_dense else said
            cells.append(f'<td class="cell {charts.heat(points / games)}" title="{title}">{shown}</td>')
        rows.append(cells)
    ranks = (("cell", str(rank)) for rank in range(1, len(report.agents) + 1))
    header = [("number", _label(labels, "column", "rank")), ("name", _label(labels, "column", "agent")), *ranks]
    return table(labels["arena.cross_caption"], header, rows, kind="map dense" if is_dense else "map")


def _course(report: Report, labels: Labels) -> str:
    """The score of the best agents so far, game by game."""
    lines = [
        charts.Line(row.name, place, [*course, (len(report.games), course[-1][1])])
        for place, row in enumerate(report.agents[:_LINES])
        if (course := report.measures.agents[row.index].course)
    ]
    if not lines:
        return ""
    across = charts.linear_axis(1, len(report.games), tight=True, whole=True, text="{:,.0f}".format)
    up = charts.linear_axis(0, 1, steps=4, text="{:.0%}".format)
    chart = charts.line_chart(
        labels["arena.course_title"], lines, across, up, across_label=labels["arena.course_across"]
    )
    return chart + charts.legend(lines)
