"""The report as one HTML page with games to replay, in the order in which it is read.

The podium, the table and the cross table come first, then what went wrong. Everything else is folded.
"""

from __future__ import annotations

from datetime import UTC, datetime

from joute.arena.store.store import Store
from joute.numbers import count_of
from joute.pages.page_parts import Section, fact_list, folded_section, head, page, result_section, section_html
from joute.report.data import Report
from joute.report.game_sections import game_sections, node_section, problem_section
from joute.report.game_viewer import games_html
from joute.report.result_sections import main_sections, podium, schedule_section, strength_sections
from joute.text import html_text
from joute.version import __version__

#: The seconds after which a live page loads itself again.
LIVE_S = 5


def html_report(report: Report, store: Store, *, replays: int | None = None, live: bool = False) -> str:
    """The page. The games come from `store`; at most `replays` of them can be replayed, all if None.

    A `live` page loads itself again every few seconds, because the tournament runs and the file is written again.
    """
    most_games = len(report.games) if replays is None else replays
    body = _body(report, live=live)
    if report.games and not most_games:
        body.append('<section id="games"><h2>Games</h2><p>All games are in the tournament’s file.</p></section>')
    elif report.games:
        left_out = (
            f"<p>{most_games:,} of the {len(report.games):,} games can be replayed here: those that did not end by the "
            "rules of the game first, the others evenly over the tournament. All are in the tournament's file.</p>"
            if len(report.games) > most_games
            else ""
        )
        body.append(games_html(report, store, most_games, before=left_out))
    body += ["</main>", footer(report)]
    scripts = ("scene.js", "chart.js", "page.js", "report.js")
    return page(report.title, body, scripts=scripts, live_s=LIVE_S if live else None)


def footer(report: Report) -> str:
    """The end of a page: the version and the file that it was made of."""
    return f"<footer><p>Made by joute {html_text(__version__)} from {html_text(report.file)}.</p></footer>"


def _body(report: Report, *, live: bool) -> list[str]:
    shown = [*schedule_section(report), *(main_sections(report) if report.games else []), *problem_section(report)]
    facts = fact_list(report.facts, ("Played by", report.command))
    played = Section("played", "What was played", facts)
    measured = [*strength_sections(report), *game_sections(report), *node_section(report)] if report.games else []
    folded = [*measured, played]
    games = [Section("games", "Games", "")] if report.games else []
    contents = [(section.id, section.title) for section in (*shown, *games, *folded)]
    counts = [count_of(len(report.agents), "agent"), count_of(len(report.games), "game"), report.schedule]
    subtitle = " · ".join([report.game_title, *counts] if report.own_title else counts)
    return [
        *head("Tournament report", report.own_title or report.game_title, subtitle, contents),
        "<main>",
        *([_live_note(report)] if live else []),
        result_section(report.summary, podium(report)),
        *map(section_html, shown),
        *map(folded_section, folded),
    ]


def _live_note(report: Report) -> str:
    played = f"{len(report.games):,} of {count_of(report.length, 'game')}" if report.length else ""
    time = datetime.now(UTC).strftime("%H:%M:%S UTC")
    return (
        f'<p class="live" role="status"><b>Live</b> at {time}{": " if played else ""}{played}. '
        f"This page loads itself again every {LIVE_S} seconds while the tournament runs.</p>"
    )
