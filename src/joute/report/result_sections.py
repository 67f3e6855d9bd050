"""The page's sections about strength: schedule, standings, ratings, cross table, likelihoods, pairings."""

from __future__ import annotations

import math
from collections.abc import Iterator

from joute.arena.columns import PAGE, listed
from joute.numbers import (
    elo_interval,
    elo_text,
    points_text,
    superiority_text,
)
from joute.pages import charts
from joute.pages.page_parts import Section, table
from joute.report.data import AgentRow, Report
from joute.text import html_text

# With more agents than the first number, cells show only points; with more than the second, only colours.
_DENSE, _TINY = 16, 40
# The places that the podium shows.
_PODIUM = 3


def main_sections(report: Report) -> list[Section]:
    """The sections that every reader looks for first: the table and the cross table."""
    return [
        Section("standings", "Standings", _standings(report)),
        Section("cross-table", "Who beat whom", _cross_table(report)),
    ]


def strength_sections(report: Report) -> list[Section]:
    """The sections on the strength of the agents, beyond points."""
    return [
        Section("ratings", "Ratings", _ratings(report)),
        Section("superiority", "Who is stronger", _superiority(report)),
        Section("pairings", "Pairings", _pairings(report)),
    ]


def podium(report: Report) -> str:
    """The best three agents with their points, as HTML; empty without games."""
    places = [
        f'<li><b>{rank}</b><span class="who">{html_text(row.name)}</span>'
        f'<span class="points">{points_text(row.standing.points)}<small>/{row.standing.games:,}</small></span></li>'
        for rank, row in enumerate(report.playing[:_PODIUM], start=1)
        if row.standing.games
    ]
    return f'<ol class="podium" aria-label="The best, with their points">{"".join(places)}</ol>' if places else ""


def schedule_section(report: Report) -> Iterator[Section]:
    """The results in the form of the schedule: a ranking, a bracket, a decision."""
    if report.schedule_lines:
        title = report.schedule[:1].upper() + report.schedule[1:]
        text = "\n".join(map(_schedule_line, report.schedule_lines))
        lines = f'<pre class="scroll" tabindex="0" role="region" aria-label="{html_text(title)}">{text}</pre>'
        yield Section("tournament", "Tournament", f"<p>{html_text(title)}.</p>{lines}")


def _schedule_line(line: str) -> str:
    """A line as HTML. Indented lines are columns, which must not wrap; the others are sentences, which may."""
    return f'<span class="columns">{html_text(line)}</span>' if line.startswith(" ") else html_text(line)


def _standings(report: Report) -> str:
    columns = listed(PAGE, report.rows)
    header = [(column.kind, column.header) for column in columns]
    rows = list(zip(*(column.cells for column in columns), strict=True))
    return table("The strongest first", header, rows) + f'<p class="note">{html_text(report.ratings_note)}</p>'


def _ratings(report: Report) -> str:
    known = [row.rating for row in report.agents if not math.isnan(row.rating.elo)]
    ends = [value for rating in known for value in (rating.low, rating.elo, rating.high) if math.isfinite(value)]
    if not ends:
        return "<p>There are no ratings yet.</p>"
    room = max(50.0, 0.1 * (max(ends) - min(ends)))  # for the arrows of open intervals
    low = min(ends) - room * any(math.isinf(rating.low) for rating in known)
    high = max(ends) + room * any(math.isinf(rating.high) for rating in known)
    axis = charts.linear_axis(low, high, steps=6, text=elo_text)
    rows = []
    for row in report.agents:
        label = f"{row.name}: {elo_text(row.rating.elo)} Elo, {elo_interval(row.rating.low, row.rating.high)}"
        name = html_text(row.name)
        rows.append(
            f'<li><span class="who"><b>{report.rank_text(row)}</b> <span title="{name}">{name}</span></span>'
            f'{charts.interval_row(row.rating, axis, label)}<span class="value">{elo_text(row.rating.elo)}</span></li>'
        )
    has_arrows = any(math.isinf(end) for rating in known for end in (rating.low, rating.high))
    arrows = (
        " An arrow means that the agent won, or lost, all rated games, so the interval is open there."
        if has_arrows
        else ""
    )
    has_anchors = any(row.rating.low == row.rating.high for row in report.agents)
    anchors = " A dot without a bar is a fixed rating, the reference of the others." if has_anchors else ""
    return (
        f"<p>The dot is the rating, the bar its 95% interval.{arrows}{anchors} The table “Who is stronger” "
        "shows whether two agents differ; overlapping bars do not.</p>"
        f'<ol class="rows">{"".join(rows)}<li class="axis-item" aria-hidden="true"><span class="who"></span>'
        f'{charts.axis_row(axis)}<span class="value">Elo</span></li></ol>'
    )


def _ranked_header(report: Report) -> list[tuple[str, str]]:
    return [("number", ""), ("name", "agent"), *(("cell", str(rank)) for rank in range(1, len(report.agents) + 1))]


def _map_kind(report: Report) -> str:
    count = len(report.agents)
    return "map tiny" if count > _TINY else "map dense" if count > _DENSE else "map"


def _map_name(row: AgentRow) -> str:
    return f'<span title="{html_text(row.name)}">{html_text(row.name)}</span>'


def _cross_table(report: Report) -> str:
    is_dense = len(report.agents) > _DENSE
    rows = []
    for rank, row in enumerate(report.agents, start=1):
        cells = [str(rank), _map_name(row)]
        for column in report.agents:
            met = report.points(row, column)
            if met is None:
                cells.append('<td class="cell same"></td>' if row is column else '<td class="cell none"></td>')
                continue
            points, games = met
            said = f"{points_text(points)}/{games}"
            shown = points_text(points) if is_dense else said
            title = html_text(f"{row.name} against {column.name}: {said}")
            cells.append(f'<td class="cell {charts.heat(points / games)}" title="{title}">{shown}</td>')
        rows.append(cells)
    caption = "Points of the row against the column" + (" / games" if not is_dense else "")
    return table(caption, _ranked_header(report), rows, kind=_map_kind(report))


def _superiority(report: Report) -> str:
    rows = []
    for rank, row in enumerate(report.agents, start=1):
        cells = [str(rank), _map_name(row)]
        for column in report.agents:
            chance = report.superiority(row, column)
            if row is column:
                cells.append('<td class="cell same"></td>')
                continue
            said = html_text(superiority_text(chance))
            title = html_text(f"that {row.name} is stronger than {column.name}: {superiority_text(chance)}%")
            sure = " sure" if chance is not None and not 0.025 < chance < 0.975 else ""
            cells.append(f'<td class="cell {charts.heat(chance)}{sure}" title="{title}">{said}</td>')
        rows.append(cells)
    return (
        "<p>The chance that the row is stronger than the column, in percent, from all games together. Above 97.5 or "
        "below 2.5 (bold), the difference is established at 95%; 50 means that the games show no difference.</p>"
        + table(
            "Chance that the row is stronger than the column, %", _ranked_header(report), rows, kind=_map_kind(report)
        )
    )


def _pairings(report: Report) -> str:
    names, texts = report.pairing_table
    kinds = {"A": "name", "B": "name", "verdict": "detail"}
    header = [(kinds.get(name, "number"), name) for name in names]
    rows = [list(map(html_text, row)) for row in texts]
    few = f"<p>{html_text(report.undecided_text)}</p>" if report.undecided_text else ""
    if not rows:
        return few
    listing = table("Each two agents that met; + = −, score, Elo and LOS are A’s", header, rows)
    return f"<p>{html_text(report.pairings_note)}</p>{few}{listing}"
