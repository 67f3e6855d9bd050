"""The page's sections about the games: colours, openings, course, thinking, lengths and endings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from joute.arena.measures import PlyMeasure, Tally
from joute.arena.node_rows import NUMBERS, NodeRow
from joute.numbers import (
    NOTHING,
    count_of,
    elo_interval,
    elo_text,
    lengths_text,
    percent,
    percent_interval,
)
from joute.pages import charts
from joute.pages.page_parts import Section, crash_html, table
from joute.report.data import Report
from joute.text import html_text


def game_sections(report: Report) -> list[Section]:
    """The sections about the games."""
    return [
        Section("colours", "Colours", _colours(report)),
        Section("openings", "Openings", _openings(report)),
        *_course(report),
        *_thinking(report),
        Section("lengths", "Lengths", _lengths(report)),
        Section("endings", "Endings", _endings(report)),
    ]


def _colours(report: Report) -> str:
    first = report.measures.first
    bar = charts.stacked_bar(
        (("win", "first won", first.wins), ("draw", "drawn", first.draws), ("loss", "second won", first.losses)),
        label=f"The first player won {first.wins}, drew {first.draws} and lost {count_of(first.losses, 'game')}",
    )
    worth = report.first_move
    elo = (
        f" With the strengths of the agents taken into account, the first move is worth {elo_text(worth.elo)} Elo "
        f"({elo_interval(worth.low, worth.high)})."
        if math.isfinite(worth.elo)
        else ""
    )
    who = "From these openings, the first player" if report.from_openings else "The first player"
    text = (
        f"{who} won {first.wins:,}, drew {first.draws:,} and lost {count_of(first.losses, 'game')}: a score of "
        f"{percent(first.score)}, 95% interval {percent_interval(first.interval)}.{elo}"
    )
    header = [
        ("number", "rank"), ("name", "agent"), ("number", "as first"), ("number", "+ = −"), ("number", "as second"),
        ("number", "+ = −"), ("picture", "0–100%: ● first, ○ second"),
    ]  # fmt: skip
    rows = []
    for row in report.agents:
        own = report.measures.agents[row.index]
        shares = [("first", own.as_first), ("second", own.as_second)]
        picture = charts.share_row(
            [(kind, tally.score, tally.interval) for kind, tally in shares if tally.games],
            f"{row.name}: {_score(own.as_first)} as first, {_score(own.as_second)} as second",
        )
        rows.append(
            [
                report.rank_text(row),
                html_text(row.name),
                _score(own.as_first),
                _counts(own.as_first),
                _score(own.as_second),
                _counts(own.as_second),
                picture,
            ]
        )
    return f"{bar}<p>{html_text(text)}</p>" + table("Scores by colour, with 95% intervals", header, rows)


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
            f" In {len(decided) or 'none'} of them one side scored significantly more than the other (95%, each tested "
            "alone); one in twenty would by chance."
        )
    if report.note:
        text += f" Note: {report.note}."
    rows = [
        [
            f"<code>{html_text(opening.position) or 'start'}</code>",
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
    return f"<p>{html_text(text)}</p>{listing}"


def _course(report: Report) -> Iterator[Section]:
    if len(report.games) < 2:
        return
    lines = [
        # The line continues with the final score after the agent's last game.
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
        _ply_chart("Time a move, mean", times, floor=1e-7, text=tick_time),
        _ply_chart("Nodes a move, mean", nodes, floor=1),
        _ply_chart("Depth of search, mean", depth),
    ]
    if any(shown):
        told = "" if depth or nodes else "<p>No agent gave information about its search.</p>"
        yield Section("thinking", "Thinking", f'{told}<div class="charts">{"".join(shown)}</div>{charts.legend(times)}')


def _by_ply(report: Report, value: Callable[[PlyMeasure], float | None]) -> list[charts.Line]:
    """A line for each agent with this value at some ply."""
    lines = []
    for place, row in enumerate(report.agents):
        measured = ((at.ply, value(at)) for at in report.measures.agents[row.index].plies)
        if points := [(float(ply + 1), float(found)) for ply, found in measured if found is not None]:
            lines.append(charts.Line(row.name, place, points))
    return lines


def _ply_chart(
    title: str, lines: Sequence[charts.Line], *, floor: float = 0.0, text: Callable[[float], str] | None = None
) -> str:
    """A chart of values by ply. With a floor, values that differ by more than a factor of 30 get a logarithmic axis."""
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


def tick_time(seconds: float) -> str:
    """A time as the label of an axis."""
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
    return f'<p>{html_text(lengths_text(measures.lengths))}</p><div class="charts">{"".join(made)}</div>'


def _shares(title: str, what: str, counts: Counter[str]) -> str:
    """A table of counts and their shares of all games."""
    rows = [[html_text(name), f"{count:,}", percent(count / counts.total())] for name, count in counts.most_common()]
    return table(title, [("", what), ("number", "games"), ("number", "share")], rows, kind="narrow")


def _endings(report: Report) -> str:
    made = _shares("Reasons", "ended by", report.measures.reasons)
    if len(report.measures.decided_by) > 1:
        made += _shares("Games that ended by the rules of the game", "decided by", report.measures.decided_by)
    if report.lost_turns:
        made += f"<p>{html_text(report.lost_turns)}</p>"
    return made if report.problems else made + "<p>Every game ended by the rules of the game.</p>"


def problem_section(report: Report) -> Iterator[Section]:
    """The games that did not end by the rules: whose fault, why, and the traceback of one of them."""
    if not report.problems:
        return
    header = [
        ("name", "agent"),
        ("", "reason"),
        ("number", "games"),
        ("number", "example"),
        ("detail", "what happened"),
    ]
    problems = [
        [
            html_text(problem.agent) if problem.agent is not None else "<i>nobody’s fault</i>",
            html_text(problem.reason),
            count_of(problem.count, "game"),
            f'<a href="#game-{problem.game}">game {problem.game}</a>',
            html_text(problem.detail)
            + (f"<br><b>Hint:</b> {html_text(problem.hint)}" if problem.hint else "")
            + crash_html(problem.crash),
        ]
        for problem in report.problems
    ]
    yield Section(
        "problems",
        "What went wrong",
        table("Games that did not end by the rules of the game", header, problems, kind="stacked"),
    )


def node_section(report: Report) -> Iterator[Section]:
    """The nodes of the cluster that played the games: how fast each was, and what was lost with it."""
    if not report.nodes:
        return
    about = (
        "<p>At once: games in parallel. Core hours: the time of its games, times the cores of a game. Failures: how "
        "often the machine was lost; its unfinished games were played again, there or elsewhere. Speed: iterations per "
        "second of a search, measured before games with clocks. Clocks: the factor of the seconds on a machine of "
        "another speed.</p>"
    )
    yield Section("nodes", "Cluster", about + node_table(report.nodes))


def node_table(nodes: Sequence[NodeRow]) -> str:
    """The machines of a cluster, of which there is at least one."""
    rows = [row.cells for row in nodes]
    kinds = dict.fromkeys(NUMBERS, "number") | {"node": "name", "note": "detail"}
    header = [(kinds[name], name) for name in rows[0]]
    return table("The machines that played", header, [list(map(html_text, row.values())) for row in rows])
