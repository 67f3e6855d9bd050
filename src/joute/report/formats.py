"""The formats of the report: selection, rendering and writing."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from joute.arena.columns import CSV, REPORT_JSON, data_keys, elo_data, is_csv_header, row_data
from joute.arena.measures import Tally
from joute.arena.store.store import Store
from joute.errors import SpecError
from joute.files import check_may_be_replaced, whole_file
from joute.match import MatchResult
from joute.match.ratings import Rating
from joute.numbers import finite, game_number
from joute.pages.page_parts import MARK as HTML_MARK
from joute.report.data import Report
from joute.report.games import ending
from joute.report.html import html_report
from joute.report.markdown import MARK as MARKDOWN_MARK
from joute.report.markdown import markdown_report
from joute.spec import look_up
from joute.text import json_text, printable
from joute.version import __version__

#: The formats and their file extensions.
SUFFIXES = {"html": (".html", ".htm"), "md": (".md", ".markdown"), "csv": (".csv",), "json": (".json",)}

_JSON_KIND = "joute report"
# The beginnings of reports in HTML, Markdown and JSON; CSV is recognised by its header.
_MARKS = (HTML_MARK, MARKDOWN_MARK, '{\n  "kind": "' + _JSON_KIND)


def format_of(path: Path | None, wanted: str | None) -> str:
    """The wanted format, else the format of the file's extension, else html."""
    formats = {name: name for name in SUFFIXES}
    if wanted is not None:
        return look_up("format", wanted, formats)
    if path is None:
        return "html"
    for name, suffixes in SUFFIXES.items():
        if path.suffix.lower() in suffixes:
            return name
    endings = ", ".join(suffixes[0] for suffixes in SUFFIXES.values())
    raise SpecError(f"the name {path} does not show the format; end it with {endings}, or give --format")


def render(report: Report, store: Store, name: str, *, replays: int | None = None) -> str:
    """The report as text of a format; a page can replay at most `replays` games, all if None."""
    if name == "html":
        return html_report(report, store, replays=replays)
    if name == "md":
        return markdown_report(report)
    return csv_report(report) if name == "csv" else json_report(report, store)


def write_report(path: Path, text: str, *, force: bool = False) -> None:
    """Write a report completely or not at all; JouteError if that fails or would replace another kind of file."""
    if not force:
        check_is_report(path)
    with whole_file(path) as file:
        file.write(text)


def check_is_report(path: Path) -> None:
    """JouteError if a file exists and is not a report, so that it must not be replaced."""
    check_may_be_replaced(path, _MARKS, "a report of Joute's", is_first_line=is_csv_header)


def csv_report(report: Report) -> str:
    """One row per agent, the best first; Elo is inf or -inf if one of two agents won all games."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(data_keys(CSV))
    for row in report.rows:
        cells = row_data(CSV, row).values()
        writer.writerow(printable(cell) if isinstance(cell, str) else cell for cell in cells)
    return out.getvalue()


def json_report(report: Report, store: Store) -> str:
    """The whole report as JSON text; docs/report.md lists the keys."""
    return json_text(json.dumps(as_data(report, store), ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def as_data(report: Report, store: Store) -> dict[str, Any]:
    """The whole report as JSON data; null stands for infinite or unknown values."""
    measures = report.measures
    return {
        "kind": _JSON_KIND,
        "made_by": f"joute {__version__}",
        "title": report.title,
        "summary": list(report.summary),
        "plan": report.plan.as_data(),
        "schedule": report.schedule,
        "schedule_lines": list(report.schedule_lines),
        "games_in_all": report.length,
        "conditions": report.conditions,
        "command": report.command,
        "versions": list(report.versions),
        "note": report.note,
        "began": report.began or None,
        "last_began": report.last_began or None,
        "games": len(report.games),
        "distinct_games": report.distinct_games,
        "elo_reference": report.reference,
        "elo_method": report.method,
        "ranked_by": report.ranking.decided_by,
        "agents": [
            {
                **row_data(REPORT_JSON, row),
                "as_first": _tally(own.as_first),
                "as_second": _tally(own.as_second),
                "course": [list(point) for point in own.course],
                "plies": [vars(at) for at in own.plies],
            }
            for row, agent in zip(report.rows, report.agents, strict=True)
            for own in (measures.agents[agent.index],)
        ],
        "superiority": [[finite(report.superiority(row, column)) for column in report.agents] for row in report.agents],
        "pairings": [_pairing(match, verdict=not report.is_sequential) for match in report.pairings],
        "first_player": _tally(measures.first),
        "first_move": elo_data(report.first_move),
        "openings": [
            {"position": opening.position, "first_player": _tally(opening.first)} for opening in measures.openings
        ],
        "lengths": {str(length): count for length, count in sorted(measures.lengths.items())},
        "margins": {str(margin): count for margin, count in sorted(measures.margins.items())},
        "reasons": dict(measures.reasons),
        "decided_by": dict(measures.decided_by),
        "problems": [vars(problem) for problem in report.problems],
        "list": _list(report, store),
    } | ({"nodes": [row.data for row in report.nodes]} if report.nodes else {})


def _list(report: Report, store: Store) -> list[dict[str, Any]]:
    """The games of the report. Games finished since it was computed are left out, as the tables lack them too."""
    names = [entrant.name for entrant in report.plan.entrants]
    rows = {row.number: row for row in report.games}
    return [
        {
            "game": row.number,
            "first": names[row.players[0]],
            "second": names[row.players[1]],
            "opening": row.opening,
            "outcome": row.outcome,
            "margin": row.margin,
            "reason": row.reason,
            "decided_by": stored.record.result.decided_by,
            "plies": row.plies,
            "ending": ending(stored.record),
            "moves": [played.move for played in stored.record.moves],
        }
        for stored in store.games()
        if (row := rows.get(game_number(stored.pairing.number)))
    ]


def _pairing(match: MatchResult, *, verdict: bool) -> dict[str, Any]:
    low, high = match.elo_interval
    return {
        "a": match.a,
        "b": match.b,
        "games": match.games,
        **dict(zip(("wins", "draws", "losses"), match.tally(), strict=True)),
        "score": match.score,
        "score_interval": list(match.interval),
        **elo_data(Rating(match.elo, low, high)),
        "los": match.los,
        "distinct_games": match.distinct_games,
        "trials": match.trials,
        "pentanomial": list(match.pentanomial.counts),
        "verdict": match.verdict if verdict else None,
    }


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": tally.score if tally.games else None,
        "score_interval": list(tally.interval),
    }
