"""The parts of the page that need no script: tables and charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from joute.arena.measures import PlyMeasure, Tally
from joute.arena.report import charts
from joute.arena.report.data import AgentRow, Report
from joute.numbers import (
    NOTHING,
    count_of,
    duration,
    elo_interval,
    elo_text,
    lengths_text,
    percent,
    percent_interval,
    points_text,
    superiority_text,
)

# Fewer games say nothing about the first move.
_FEW_GAMES = 10
# Longer tables are folded.
_OPENINGS = 12
# Cells of larger tables have room for a number, and of still larger ones for none.
_DENSE, _TINY = 16, 40


@dataclass(frozen=True)
class Section:
    """A part of the page; `html` is safe as it is."""

    id: str
    title: str
    html: str


def sections(report: Report) -> list[Section]:
    """What there is to show; nothing before the first game."""
    if not report.games:
        return []
    return [
        Section("standings", "Standings", _standings(report)),
        Section("ratings", "Ratings", _ratings(report)),
        Section("cross-table", "Who beat whom", _cross_table(report)),
        Section("superiority", "Who is stronger", _superiority(report)),
        Section("first-move", "Colours", _colours(report)),
        Section("openings", "Openings", _openings(report)),
        *_course(report),
        *_thinking(report),
        Section("lengths", "Lengths", _lengths(report)),
        Section("endings", "Endings", _endings(report)),
    ]


def table(
    caption: str,
    header: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[str]],
    *,
    kind: str = "",
) -> str:
    """A table in a box that scrolls. Header cells are (class, text); cells of rows are safe HTML, the first heads."""
    head = "".join(f'<th scope="col" class="{name}">{escape(text)}</th>' for name, text in header)
    body = "".join(
        "<tr>"
        + "".join(
            cell if cell.startswith("<td") else f'<td class="{name}">{cell}</td>'
            for (name, _), cell in zip(header, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="{kind}">'
        f"<caption><span>{escape(caption)}</span></caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def schedule_section(report: Report) -> Iterator[Section]:
    """What the results mean in this kind of tournament, as its schedule says it: a ranking, a bracket, a decision."""
    if report.schedule_lines:
        title = report.schedule[:1].upper() + report.schedule[1:]
        text = "\n".join(map(escape, report.schedule_lines))
        yield Section("tournament", "Tournament", f"<p>{escape(title)}.</p><pre>{text}</pre>")


def _standings(report: Report) -> str:
    has_forfeits = any(row.standing.forfeits for row in report.agents)
    own_clocks = len({row.clock for row in report.agents}) > 1
    header = [
        ("number", "rank"), ("name", "agent"), ("number", "Elo"), ("number", "95% interval"), ("number", "games"),
        ("number", "won"), ("number", "drawn"), ("number", "lost"), ("number", "score"), ("number", "95% interval"),
        ("number", "time a move"),
    ]  # fmt: skip
    if has_forfeits:
        header.append(("number", "forfeits"))
    if own_clocks:
        header.append(("number", "clock"))
    rows = []
    for rank, row in enumerate(report.agents, start=1):
        standing = row.standing
        cells = [
            str(rank),
            _name(row),
            elo_text(row.rating.elo),
            elo_interval(row.rating.low, row.rating.high),
            f"{standing.games:,}",
            f"{standing.wins:,}",
            f"{standing.draws:,}",
            f"{standing.losses:,}",
            percent(standing.score) if standing.games else NOTHING,
            percent_interval(standing.interval) if standing.games else NOTHING,
            duration(standing.mean_time_s) if standing.moves else NOTHING,
        ]
        if has_forfeits:
            cells.append(str(standing.forfeits.total() or NOTHING))
        if own_clocks:
            cells.append(escape(row.clock))
        rows.append(cells)
    note = f"Elo: {report.reference}. Intervals are 95%."
    return table("The strongest first", header, rows) + f'<p class="note">{escape(note)}</p>'


def _name(row: AgentRow) -> str:
    """A name and, where it does not say it, what it stands for."""
    title = f' title="{escape(row.agent)}"' if row.agent != row.name else ""
    return f"<span{title}>{escape(row.name)}</span>"


def _ratings(report: Report) -> str:
    ends = [
        value
        for row in report.agents
        for value in (row.rating.low, row.rating.elo, row.rating.high)
        if math.isfinite(value)
    ]
    if not ends:
        return "<p>There are no ratings yet: every agent won or lost all its games, or nobody met.</p>"
    room = max(50.0, 0.1 * (max(ends) - min(ends)))  # for arrows beyond what is known
    low = min(ends) - room * any(math.isinf(row.rating.low) for row in report.agents)
    high = max(ends) + room * any(math.isinf(row.rating.high) for row in report.agents)
    axis = charts.linear_axis(low, high, steps=6, text=elo_text)
    rows = []
    for rank, row in enumerate(report.agents, start=1):
        label = f"{row.name}: {elo_text(row.rating.elo)} Elo, {elo_interval(row.rating.low, row.rating.high)}"
        rows.append(
            f'<li><span class="who"><b>{rank}</b> <span title="{escape(row.name)}">{escape(row.name)}</span></span>'
            f'{charts.interval_row(row.rating, axis, label)}<span class="value">{elo_text(row.rating.elo)}</span></li>'
        )
    has_arrows = any(math.isinf(end) for row in report.agents for end in (row.rating.low, row.rating.high))
    arrows = (
        " An arrow: the agent won, or lost, all that counts, so the interval has no end there." if has_arrows else ""
    )
    return (
        f"<p>The dot is the most likely rating, the bar its 95% interval.{arrows} Whether two agents differ is told by "
        "the map of who is stronger, not by whether their bars overlap.</p>"
        f'<ol class="rows">{"".join(rows)}<li class="axis-item" aria-hidden="true"><span class="who"></span>'
        f'{charts.axis_row(axis)}<span class="value">Elo</span></li></ol>'
    )


def _ranked_header(report: Report) -> list[tuple[str, str]]:
    return [("number", ""), ("name", "agent"), *(("cell", str(rank)) for rank in range(1, len(report.agents) + 1))]


def _map_kind(report: Report) -> str:
    count = len(report.agents)
    return "map tiny" if count > _TINY else "map dense" if count > _DENSE else "map"


def _map_name(row: AgentRow) -> str:
    return f'<span title="{escape(row.name)}">{escape(row.name)}</span>'


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
            title = escape(f"{row.name} against {column.name}: {said}")
            cells.append(f'<td class="cell {charts.heat(points / games)}" title="{title}">{shown}</td>')
        rows.append(cells)
    caption = "Points of the row against the column" + (", of so many games" if not is_dense else "")
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
            said = escape(superiority_text(chance))
            title = escape(f"that {row.name} is stronger than {column.name}: {superiority_text(chance)}%")
            sure = " sure" if chance is not None and not 0.025 < chance < 0.975 else ""
            cells.append(f'<td class="cell {charts.heat(chance)}{sure}" title="{title}">{said}</td>')
        rows.append(cells)
    return (
        "<p>The chance that the row is stronger than the column, in percent, from all games together. Where it is "
        "above 97.5 or below 2.5 (bold), the difference is established at 95%; 50 means that the games say nothing.</p>"
        + table(
            "Chance that the row is stronger than the column, %", _ranked_header(report), rows, kind=_map_kind(report)
        )
    )


def _colours(report: Report) -> str:
    first = report.measures.first
    bar = charts.stacked_bar(
        (("win", "first won", first.wins), ("draw", "drawn", first.draws), ("loss", "second won", first.losses)),
        label=f"The first player won {first.wins}, drew {first.draws} and lost {first.losses} games",
    )
    worth = report.first_move
    elo = (
        f" With the strengths of the agents taken into account, the first move is worth {elo_text(worth.elo)} Elo "
        f"({elo_interval(worth.low, worth.high)})."
        if math.isfinite(worth.elo) and report.distinct_games >= _FEW_GAMES
        else ""
    )
    text = (
        f"Whoever moved first won {first.wins:,}, drew {first.draws:,} and lost {first.losses:,} games: a score of "
        f"{percent(first.score)}, 95% interval {percent_interval(first.interval)}.{elo}"
    )
    header = [
        ("number", "rank"), ("name", "agent"), ("number", "as first"), ("number", "+ = −"), ("number", "as second"),
        ("number", "+ = −"), ("picture", "0–100%: ● first, ○ second"),
    ]  # fmt: skip
    rows = []
    for rank, row in enumerate(report.agents, start=1):
        own = report.measures.agents[row.index]
        shares = [("first", own.as_first), ("second", own.as_second)]
        picture = charts.share_row(
            [(kind, tally.score, tally.interval) for kind, tally in shares if tally.games],
            f"{row.name}: {_score(own.as_first)} as first, {_score(own.as_second)} as second",
        )
        rows.append(
            [
                str(rank),
                escape(row.name),
                _score(own.as_first),
                _counts(own.as_first),
                _score(own.as_second),
                _counts(own.as_second),
                picture,
            ]
        )
    return f"{bar}<p>{escape(text)}</p>" + table("Scores by colour, with 95% intervals", header, rows)


def _score(tally: Tally) -> str:
    return percent(tally.score) if tally.games else NOTHING


def _counts(tally: Tally) -> str:
    return f"{tally.wins} {tally.draws} {tally.losses}" if tally.games else NOTHING


def _openings(report: Report) -> str:
    openings = sorted(report.measures.openings, key=lambda opening: (-opening.first.score, -opening.first.games))
    decided = [opening for opening in openings if not opening.first.interval[0] <= 0.5 <= opening.first.interval[1]]
    text = f"Games began from {count_of(len(openings), 'position')}."
    if len(openings) > 1:
        text += (
            f" In {len(decided) or 'none'} of them one side scored more than the other at 95%, each looked at alone; "
            "one in twenty would by chance."
        )
    if report.note:
        text += f" Note: {report.note}."
    rows = [
        [
            f"<code>{escape(opening.position) or 'start'}</code>",
            f"{opening.first.games:,}",
            _counts(opening.first),
            _score(opening.first),
            charts.share_row([("first", opening.first.score, opening.first.interval)], _score(opening.first)),
        ]
        for opening in openings
    ]
    header = [
        ("opening", "position"), ("number", "games"), ("number", "+ = −"), ("number", "score"), ("picture", "0–100%"),
    ]  # fmt: skip
    listing = table("Scores of the first player by opening, with 95% intervals", header, rows)
    if len(openings) > _OPENINGS:
        listing = f"<details><summary>all {len(openings)} openings</summary>{listing}</details>"
    return f"<p>{escape(text)}</p>{listing}"


def _course(report: Report) -> Iterator[Section]:
    if len(report.games) < 2:
        return
    lines = [
        # After its last game, an agent's score stays.
        charts.Line(row.name, place, [*course, (len(report.games), course[-1][1])])
        for place, row in enumerate(report.agents)
        if (course := report.measures.agents[row.index].course)
    ]
    across = charts.linear_axis(1, len(report.games), tight=True, whole=True, text="{:,.0f}".format)
    up = charts.linear_axis(0, 1, steps=4, text="{:.0%}".format)
    chart = charts.line_chart(
        "Score of each agent so far", lines, across, up, across_label="games of the tournament finished"
    )
    yield Section("course", "Course", chart + charts.legend(lines))


def _thinking(report: Report) -> Iterator[Section]:
    depth = _by_ply(report, lambda at: at.depth)
    nodes = _by_ply(report, lambda at: at.nodes)
    times = _by_ply(report, lambda at: at.time_s)
    shown = [
        _ply_chart("Time a move, mean", times, floor=1e-7, text=_tick_time),
        _ply_chart("Nodes a move, mean", nodes, floor=1),
        _ply_chart("Depth of search, mean", depth),
    ]
    if any(shown):
        told = "" if depth or nodes else "<p>No agent told anything of its search.</p>"
        yield Section("thinking", "Thinking", f'{told}<div class="charts">{"".join(shown)}</div>{charts.legend(times)}')


def _by_ply(report: Report, value: Callable[[PlyMeasure], float | None]) -> list[charts.Line]:
    """A line for each agent that told the value anywhere."""
    lines = []
    for place, row in enumerate(report.agents):
        measured = ((at.ply, value(at)) for at in report.measures.agents[row.index].plies)
        if points := [(float(ply + 1), float(found)) for ply, found in measured if found is not None]:
            lines.append(charts.Line(row.name, place, points))
    return lines


def _ply_chart(
    title: str, lines: Sequence[charts.Line], *, floor: float = 0.0, text: Callable[[float], str] | None = None
) -> str:
    """Values by ply. With a floor, what differs a lot has a logarithmic axis: all but one would be at its bottom."""
    values = [y for line in lines for _, y in line.points]
    if not values or max(values) <= floor:
        return ""
    low, high = max(floor, min(values)), max(values)
    is_log = floor > 0 and high > 30 * low
    up = charts.log_axis(low, high, text=text) if is_log else charts.linear_axis(0, high, text=text)
    first, last = (end(x for line in lines for x, _ in line.points) for end in (min, max))
    across = charts.linear_axis(first, last, steps=6, tight=True, whole=True)
    scale = " (logarithmic)" if is_log else ""
    return charts.line_chart(f"{title}{scale}", lines, across, up, across_label="ply of the game")


def _tick_time(seconds: float) -> str:
    if seconds <= 0:
        return "0"
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit * 0.999:
            return f"{seconds / unit:g} {name}"
    return f"{seconds * 1e9:g} ns"


def _lengths(report: Report) -> str:
    measures = report.measures
    made = [
        charts.bar_chart("Games by number of plies", measures.lengths, across_label="plies, counted from the opening")
    ]
    if len(measures.margins) > 1:
        made.append(
            charts.bar_chart("Won games by margin", measures.margins, across_label="margin, in the game's own unit")
        )
    return f'<p>{escape(lengths_text(measures.lengths))}</p><div class="charts">{"".join(made)}</div>'


def _endings(report: Report) -> str:
    total = len(report.games)
    rows = [
        [escape(reason), f"{count:,}", percent(count / total)]
        for reason, count in report.measures.reasons.most_common()
    ]
    made = table("Reasons", [("", "ended by"), ("number", "games"), ("number", "share")], rows, kind="narrow")
    if not report.problems:
        return made + "<p>Every game ended by the rules of the game.</p>"
    header = [
        ("name", "agent"),
        ("", "reason"),
        ("number", "games"),
        ("number", "example"),
        ("detail", "what happened"),
    ]
    problems = [
        [
            escape(problem.agent) if problem.agent is not None else "<i>nobody’s fault</i>",
            escape(problem.reason),
            f"{problem.count:,}",
            f'<a href="#game-{problem.game}">{problem.game}</a>',
            escape(problem.detail) + (f"<br><b>Hint:</b> {escape(problem.hint)}" if problem.hint else ""),
        ]
        for problem in report.problems
    ]
    return made + table("Games that did not end by the rules of the game", header, problems)
