"""The section of a page that lists games and replays them: its elements, which report.js fills, and its data."""

from __future__ import annotations

import json

from joute.arena.store.store import Store
from joute.report.data import Report
from joute.report.games import page_games


def games_html(report: Report, store: Store, most: int, *, agent: int | None = None, before: str = "") -> str:
    """The section of the games: at most `most`, of all agents or only those of `agent`, an index in the plan.

    `before` is HTML that precedes the list. The page needs the scripts scene.js, chart.js, page.js and report.js.
    """
    # The type application/json keeps browsers from running it. `<` is escaped so that no text ends the element.
    data = json.dumps(page_games(store, report, most, agent=agent), separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<section id="games"><h2>Games</h2>\n{before}{_VIEWER}</section>\n'
        f'<script type="application/json" id="games-data">{data}</script>'
    )


_VIEWER = """<noscript><p>Replaying games needs JavaScript; everything above does not.</p></noscript>
<p id="games-message" role="status"></p>
<div id="games-box" hidden>
<article id="viewer" aria-labelledby="viewer-title" hidden>
<div class="viewer-head"><h3 id="viewer-title"></h3>
<p class="versus"><span id="viewer-first"></span> <b id="viewer-score"></b> <span id="viewer-second"></span></p>
<p id="viewer-ending"></p><div id="viewer-crash"></div></div>
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
<figure id="viewer-values" hidden><figcaption>Values that the agents reported
<span class="note">Up is good for the first player; each agent has its own scale.</span></figcaption>
<svg id="values-chart" role="img" aria-label="Values that the agents reported, by ply"></svg>
<ul id="values-legend" class="legend"></ul></figure>
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
"""
