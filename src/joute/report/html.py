"""The report as one HTML page with games to replay."""

from __future__ import annotations

import json

from joute.arena.store.store import Store
from joute.numbers import count_of
from joute.pages.page_parts import fact_list, head, page, result_section, section_html
from joute.report.data import Report
from joute.report.game_sections import game_sections
from joute.report.games import page_games
from joute.report.result_sections import result_sections, schedule_section
from joute.text import html_text
from joute.version import __version__


def html_report(report: Report, store: Store, *, replays: int | None = None) -> str:
    """The page. The games come from `store`; at most `replays` of them can be replayed, all if None."""
    most_games = len(report.games) if replays is None else replays
    body = _body(report)
    if report.games and not most_games:
        body.append('<section id="games"><h2>Games</h2><p>All games are in the tournament’s file.</p></section>')
    elif report.games:
        # The type application/json keeps browsers from running it. `<` is escaped so that no text ends the element.
        data = json.dumps(page_games(store, report, most_games), separators=(",", ":")).replace("<", "\\u003c")
        body += [
            _games(report, most_games),
            f'<script type="application/json" id="games-data">{data}</script>',
        ]
    body += [
        "</main>",
        f"<footer><p>Made by joute {html_text(__version__)} from {html_text(report.file)}.</p></footer>",
    ]
    return page(report.title, body, scripts=("scene.js", "report.js"))


def _body(report: Report) -> list[str]:
    made = [*result_sections(report), *game_sections(report)] if report.games else []
    schedule = list(schedule_section(report))
    contents = [(section.id, section.title) for section in (*schedule, *made)] + (
        [("games", "Games")] if report.games else []
    )
    counts = [count_of(len(report.agents), "agent"), count_of(len(report.games), "game"), report.schedule]
    subtitle = " · ".join([report.game_title, *counts] if report.own_title else counts)
    facts = fact_list(report.facts, ("Played by", report.command))
    return [
        *head("Tournament report", report.own_title or report.game_title, subtitle, contents),
        "<main>",
        result_section(report.summary),
        *map(section_html, schedule),
        f'<section id="played"><h2>What was played</h2>{facts}</section>',
        *map(section_html, made),
    ]


def _games(report: Report, most_games: int) -> str:
    left_out = (
        f"<p>{most_games:,} of the {len(report.games):,} games can be replayed here: those that did not end by the "
        "rules of the game first, the others evenly over the tournament. All are in the tournament's file.</p>"
        if len(report.games) > most_games
        else ""
    )
    return f"""<section id="games"><h2>Games</h2>
<noscript><p>Replaying games needs JavaScript; everything above does not.</p></noscript>
{left_out}<p id="games-message" role="status"></p>
<div id="games-box" hidden>
<article id="viewer" aria-labelledby="viewer-title" hidden>
<div class="viewer-head"><h3 id="viewer-title"></h3>
<p class="versus"><span id="viewer-first"></span> <b id="viewer-score"></b> <span id="viewer-second"></span></p>
<p id="viewer-ending"></p></div>
<div class="viewer-body">
<div class="viewer-left">
<div id="viewer-board-box"><svg id="viewer-board"></svg></div>
<p id="viewer-status" role="status"></p>
<p id="viewer-missing" hidden>The rest of this game cannot be drawn.</p>
<input id="viewer-slider" type="range" min="0" step="1" value="0" aria-label="Position in the game">
<div class="buttons" role="group" aria-label="Replay">
<button type="button" id="viewer-start-button" aria-label="To the start">|◀</button>
<button type="button" id="viewer-back" aria-label="One move back">◀</button>
<button type="button" id="viewer-play" aria-pressed="false">Play</button>
<button type="button" id="viewer-on" aria-label="One move on">▶</button>
<button type="button" id="viewer-end" aria-label="To the end">▶|</button>
<output id="viewer-ply"></output></div>
<p class="note">Arrow keys step through the game. It began from <code id="viewer-start"></code>.</p>
</div>
<div id="moves-box" class="moves" tabindex="0" role="region" aria-label="Moves of the game">
<table><caption>Moves; values are for the mover, in the agent's own unit</caption>
<thead id="moves-head"></thead><tbody id="moves-body"></tbody></table></div>
</div>
<div id="viewer-output"></div>
</article>
<div class="filters" role="group" aria-label="Filters">
<label>Agent <select id="filter-agent"><option value="">any</option></select></label>
<label>Opponent <select id="filter-opponent"><option value="">any</option></select></label>
<label>Result <select id="filter-result"></select></label>
<label>Ended by <select id="filter-reason"><option value="">any</option></select></label>
</div>
<div class="scroll" tabindex="0" role="region" aria-label="List of games">
<table class="games"><caption class="hidden">Games</caption>
<thead><tr><th scope="col" class="number">game</th><th scope="col">first</th><th scope="col">second</th>
<th scope="col" class="middle">result</th><th scope="col">ended by</th><th scope="col" class="number">plies</th>
<th scope="col">opening</th></tr></thead><tbody id="games-body"></tbody></table></div>
<div class="buttons pages"><button type="button" id="games-back">Earlier</button>
<span id="games-count" role="status"></span><button type="button" id="games-on">Later</button></div>
</div>
</section>"""
