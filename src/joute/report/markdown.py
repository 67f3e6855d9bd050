"""The report as Markdown: tables to paste into a paper, an issue or a message."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from joute._core import one_line
from joute.arena.columns import MARKDOWN, listed
from joute.arena.measures import Tally
from joute.numbers import (
    NOTHING,
    count_of,
    elo_interval,
    elo_text,
    lengths_text,
    percent,
    percent_interval,
    points_text,
    superiority_text,
)
from joute.pages.markdown_parts import code, table, text, whole_line
from joute.report.data import Report
from joute.version import __version__

#: The beginning of the text: a comment, which is not displayed.
MARK = "<!-- joute report"

# With more openings than this, only the best and the worst for the first player are listed.
_OPENINGS = 12


def markdown_report(report: Report) -> str:
    """The report as Markdown: tables with explanations."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"{MARK}, joute {__version__} -->"
    yield f"# {text(report.title)}"
    yield ""
    for sentence in report.summary:
        yield f"- {text(sentence)}"
    yield ""
    if report.games:
        yield from _results(report)
        yield from _games(report)
        yield from _nodes(report)
    yield "## What was played"
    yield ""
    for name, fact in report.facts:
        yield f"- {name}: {text(fact)}"
    if report.command:
        yield f"- Played by: {code(report.command)}"


def _results(report: Report) -> Iterator[str]:
    if report.schedule_lines:
        yield from _section(report.schedule)
        yield from ("```text", *map(whole_line, report.schedule_lines), "```", "")
    yield from _section("Ratings", text(report.ratings_note))
    columns = listed(MARKDOWN, report.rows)
    yield from _table(
        [column.header for column in columns],
        list(zip(*(column.cells for column in columns), strict=True)),
        left=tuple(index for index, column in enumerate(columns) if column.kind == "name"),
    )
    ranks = [str(rank) for rank in range(1, len(report.agents) + 1)]
    yield from _section("Who beat whom", "Points of the row against the column / games.")
    cross = []
    for rank, row in zip(ranks, report.agents, strict=True):
        met = [report.points(row, column) for column in report.agents]
        cross.append((rank, row.name, *(f"{points_text(one[0])}/{one[1]}" if one else NOTHING for one in met)))
    yield from _table(("", "agent", *ranks), cross, left=(1,))
    yield from _section(
        "Who is stronger",
        "The chance that the row is stronger than the column, in percent. Above 97.5 or below 2.5, that is established "
        "at 95%.",
    )
    chances = []
    for rank, row in zip(ranks, report.agents, strict=True):
        chances.append(
            (rank, row.name, *(superiority_text(report.superiority(row, column)) for column in report.agents))
        )
    yield from _table(("", "agent", *ranks), chances, left=(1,))
    yield from _section("Pairings", text(report.pairings_note))
    if report.undecided_text:
        yield from (text(report.undecided_text), "")
    header, pairings = report.pairing_table
    if pairings:
        yield from _table(header, pairings, left=(0, 1, 8))


def _nodes(report: Report) -> Iterator[str]:
    if rows := [row.cells for row in report.nodes]:
        yield from _section("Cluster", "The machines that played. Games of a machine that failed were played again.")
        yield from _table(list(rows[0]), [list(row.values()) for row in rows], left=(0, len(rows[0]) - 1))


def _games(report: Report) -> Iterator[str]:
    measures = report.measures
    worth = report.first_move
    elo = (
        f"; the first move is worth {elo_text(worth.elo)} Elo ({elo_interval(worth.low, worth.high)})"
        if math.isfinite(worth.elo)
        else ""
    )
    where = " from these openings" if report.from_openings else ""
    yield from _section("Colours", f"The first player scored {_score(measures.first)}{where}{elo}.")
    by_colour = [(row, measures.agents[row.index]) for row in report.agents]
    yield from _table(
        ("agent", "as first", "+ = −", "as second", "+ = −"),
        [
            (row.name, _score(own.as_first), _counts(own.as_first), _score(own.as_second), _counts(own.as_second))
            for row, own in by_colour
        ],
        left=(0,),
    )
    openings = sorted(measures.openings, key=lambda opening: -opening.first.score)
    note = f" {report.note}." if report.note else ""
    yield from _section("Openings", f"Games began from {count_of(len(openings), 'position')}.{text(note)}")
    shown = openings if len(openings) <= _OPENINGS else [*openings[: _OPENINGS // 2], *openings[-_OPENINGS // 2 :]]
    if len(shown) < len(openings):
        yield f"The {_OPENINGS // 2} best for the first player, and the {_OPENINGS // 2} worst:"
        yield ""
    yield from _table(
        ("opening", "games", "+ = −", "score of the first player"),
        [
            (opening.position, str(opening.first.games), _counts(opening.first), _score(opening.first))
            for opening in shown
        ],
        left=(0,),
    )
    yield from _depths(report)
    yield from _section("Lengths", lengths_text(measures.lengths))
    yield from _section("Endings")
    yield from _table(
        ("ended by", "games"), [(reason, str(count)) for reason, count in measures.reasons.most_common()], left=(0,)
    )
    if len(measures.decided_by) > 1:
        yield from _table(
            ("decided by", "games"),
            [(what, str(count)) for what, count in measures.decided_by.most_common()],
            left=(0,),
        )
    if report.lost_turns:
        yield from (text(report.lost_turns), "")
    if report.problems:
        yield from _table(
            ("agent", "reason", "games", "example", "what happened"),
            [
                (
                    problem.agent or "nobody's fault",
                    problem.reason,
                    str(problem.count),
                    f"game {problem.game}",
                    # An agent's output may be pages long.
                    one_line(problem.detail) + (f" (hint: {problem.hint})" if problem.hint else ""),
                )
                for problem in report.problems
            ],
            left=(0, 1, 3, 4),
        )


def _depths(report: Report) -> Iterator[str]:
    """The mean search depth by ply of the agents that report it."""
    told = {
        row.name: {at.ply: at.depth for at in report.measures.agents[row.index].plies if at.depth is not None}
        for row in report.agents
    }
    searchers = {name: depths for name, depths in told.items() if depths}
    if not searchers:
        return
    yield from _section("Depth of search", "Means over moves, by ply of the game, the first being 1.")
    plies = sorted({ply for depths in searchers.values() for ply in depths})
    yield from _table(
        ("ply", *map(text, searchers)),
        [
            (str(ply + 1), *(f"{depths[ply]:.1f}" if ply in depths else NOTHING for depths in searchers.values()))
            for ply in plies
        ],
    )


def _section(title: str, *sentences: str) -> Iterator[str]:
    yield f"## {text(title)}"
    yield ""
    if sentences:
        yield from sentences
        yield ""


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: tuple[int, ...] = ()) -> Iterator[str]:
    yield from table(header, [tuple(map(text, row)) for row in rows], left=left)


def _score(tally: Tally) -> str:
    return f"{percent(tally.score)} ({percent_interval(tally.interval)})" if tally.games else NOTHING


def _counts(tally: Tally) -> str:
    return f"{tally.wins} {tally.draws} {tally.losses}" if tally.games else NOTHING
