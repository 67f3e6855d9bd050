"""A review as an HTML page: the board with the best and the played move marked, the graph, and the table of moves.

The graph and the tables need no JavaScript; the board does. The page uses the frame, the boards and the style of
reports.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from joute.games.scene import Scene
from joute.match.record_scenes import scenes_of
from joute.numbers import NOTHING, percent
from joute.pages.boards import BoardTable
from joute.pages.page_parts import Section, fact_list, head, page, result_section, section_html, table
from joute.report.games import ending
from joute.reviews.classes import MoveClass
from joute.reviews.review import Review, ReviewedMove, phase_accuracies
from joute.text import html_text, message, printable
from joute.version import __version__

# The size of the graph in its own units, as in chart.js, which marks the position in it.
_WIDTH, _HEIGHT = 1000, 200
_LINE_MOVES = 10


def review_page(review: Review) -> str:
    """The review as one HTML file."""
    record = review.record
    first, second = map(message, record.players)
    title = f"{first} – {second}"
    sections = [Section("accuracy", "Accuracy", _accuracy(review)), Section("how", "How it was judged", _facts(review))]
    contents = [("game", "Game"), *((section.id, section.title) for section in sections)]
    start = next(record.states())
    done = "" if review.is_complete else f" · the first {len(review.moves)} of {len(record.moves)} moves"
    body = [
        *head("Game review", title, f"{start.title} · {len(record.moves)} plies{done}", contents),
        "<main>",
        result_section([f"{ending(record)}.", *(review.moments or (_no_moment(review),))]),
        _viewer(review),
        *map(section_html, sections),
        "</main>",
        f"<footer><p>Made by joute {html_text(__version__)}; judged by {html_text(review.agent)}.</p></footer>",
    ]
    style = resources.files("joute.reviews").joinpath("review.css").read_text("utf-8")
    return page(f"Review: {title}", body, scripts=("scene.js", "chart.js", "page.js", "review.js"), more_style=style)


def _no_moment(review: Review) -> str:
    return f"No move and no stroke of luck changed the win probability by {percent(review.parameters.inaccuracy)}."


def _accuracy(review: Review) -> str:
    names = [message(name) for name in review.record.players]
    rows = [
        [html_text("whole game" if name == "game" else name), _percent(first), _percent(second)]
        for name, first, second in phase_accuracies(review)
    ]
    rows += [[html_text(kind.value), str(review.count(0, kind)), str(review.count(1, kind))] for kind in MoveClass]
    header = [
        ("name", ""),
        *(("number", f"{name} ({side})") for name, side in zip(names, ("first", "second"), strict=True)),
    ]
    return table("Accuracy by phase, and the number of moves of each class", header, rows)


def _percent(accuracy: float | None) -> str:
    return NOTHING if accuracy is None else f"{accuracy:.1f}%"


def _facts(review: Review) -> str:
    known = review.parameters
    facts = [
        ("Judge", review.agent),
        ("Inaccuracy", f"loses {percent(known.inaccuracy)} of win probability or more"),
        ("Mistake", f"loses {percent(known.mistake)} or more"),
        ("Blunder", f"loses {percent(known.blunder)} or more"),
        ("Missed win", f"a blunder from {percent(known.won)} or more that leaves {percent(known.even)} or more"),
        ("Accuracy", "100% for a move without loss, 64% for a loss of 10%; lost positions and only moves do not count"),
    ]
    return fact_list(facts, ("", ""))


def _viewer(review: Review) -> str:
    data = json.dumps(_data(review), separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    return (
        '<section id="game"><h2>Game</h2>\n'
        "<noscript><p>The board needs JavaScript; graph and tables do not.</p></noscript>"
        '<article id="viewer" aria-label="The game"><div class="viewer-body"><div class="viewer-left">'
        '<div id="board-part" hidden><div id="viewer-board-box"><svg id="viewer-board"></svg></div>'
        '<p id="viewer-status" role="status"></p>'
        '<input id="viewer-slider" type="range" min="0" step="1" value="0" aria-label="Position in the game">'
        '<div class="buttons" role="group" aria-label="Replay">'
        '<button type="button" id="viewer-start-button" aria-label="To the start">|◀</button>'
        '<button type="button" id="viewer-back" aria-label="One move back">◀</button>'
        '<button type="button" id="viewer-on" aria-label="One move on">▶</button>'
        '<button type="button" id="viewer-end" aria-label="To the end">▶|</button>'
        '<button type="button" id="viewer-next" aria-label="To the next bad move">Next mistake</button>'
        '<label><input type="checkbox" id="viewer-marks" checked> mark moves</label>'
        '<output id="viewer-ply"></output></div></div>'
        '<figure id="viewer-values"><figcaption>Win probability of the first player '
        '<span class="note">by ply; dots are inaccuracies, mistakes and blunders</span></figcaption>'
        f"{_graph(review)}</figure>"
        '<p class="note">Green marks the best move, the colour of its class the move that was played. Arrow keys step '
        "through the game.</p></div>"
        '<div id="moves-box" class="moves" tabindex="0" role="region" aria-label="Moves of the game">'
        "<table><caption>Moves, with the win probability of the first player after them</caption>"
        f"{_moves(review)}</table></div></div></article>\n"
        f'<script type="application/json" id="review-data">{data}</script></section>'
    )


def _graph(review: Review) -> str:
    last = max(1, len(review.record.moves))
    places = [(_WIDTH * index / last, 3 + (_HEIGHT - 6) * (1 - chance)) for index, chance in enumerate(review.chances)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    area = f"0,{_HEIGHT} {line} {places[-1][0]:.1f},{_HEIGHT}"
    dots = "".join(
        f'<path class="line dot-line {_css(judged.kind)}" d="M{places[judged.index + 1][0]:.1f},'
        f'{places[judged.index + 1][1]:.1f}h0"><title>{html_text(_title(judged))}</title></path>'
        for judged in review.moves
        if _is_bad(judged)
    )
    return (
        f'<svg id="values-chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" '
        'aria-label="Win probability of the first player, by ply">'
        f'<polygon class="area" points="{area}"/>'
        f'<line class="grid zero" x1="0" x2="{_WIDTH}" y1="{_HEIGHT / 2:g}" y2="{_HEIGHT / 2:g}"/>'
        f'<polyline class="line s0" points="{line}"/>{dots}'
        f'<line class="now" x1="0" x2="0" y1="0" y2="{_HEIGHT}"/></svg>'
    )


def _moves(review: Review) -> str:
    heads = (("number", "ply"), ("", "player"), ("move", "move"), ("number", "win"), ("number", "loss"), ("", "class"))
    header = "".join(f'<th scope="col" class="{kind}">{name}</th>' for kind, name in (*heads, ("pv", "best")))
    rows = []
    for judged in review.moves:
        name = message(review.record.players[judged.player])
        loss = percent(judged.loss) if judged.loss >= 0.0005 else ""
        best = "" if judged.kind is MoveClass.BEST else _line(judged)
        word = "only move" if judged.is_forced else judged.kind.value
        rows.append(
            f'<tr data-move="{judged.index}"><td class="number">{judged.ply}</td>'
            f'<td class="name">{html_text(name)}</td>'
            f'<td class="move"><button type="button">{html_text(judged.move)}</button></td>'
            f'<td class="number">{percent(judged.after)}</td><td class="number">{loss}</td>'
            f'<td class="kind {_css(judged.kind)}">{html_text(word)}</td><td class="pv">{html_text(best)}</td></tr>'
        )
    return f'<thead id="moves-head"><tr>{header}</tr></thead><tbody id="moves-body">{"".join(rows)}</tbody>'


def _data(review: Review) -> dict[str, Any]:
    boards = BoardTable()
    positions = boards.encode(scenes_of(review.record))
    states = list(review.record.states())
    marks = [_marks(states[judged.index].scene(), judged) for judged in review.moves]
    return {
        "boards": boards.as_data(),
        "positions": positions,
        "moves": len(review.record.moves),
        "marks": marks,
        "kinds": [_css(judged.kind) for judged in review.moves],
        "bad": [judged.index for judged in review.moves if _is_bad(judged)],
        "words": [_words(review, judged) for judged in review.moves],
    }


def _marks(scene: Scene, judged: ReviewedMove) -> list[list[float] | None]:
    """The marks of the best and the played move on the board; null if the drawing has no place for them."""
    return [_mark(scene, judged.best), _mark(scene, judged.move) if judged.move != judged.best else None]


def _mark(scene: Scene, move: str) -> list[float] | None:
    """The middle of a move's target as [x, y], or [x, y, source x, source y] if it goes from one place to another."""
    target = next((target for target in scene.targets if target.move == move), None)
    if target is None:
        return None
    found = [target.x + target.width / 2, target.y + target.height / 2]
    if target.source is not None:
        found += [target.source.x + target.source.width / 2, target.source.y + target.source.height / 2]
    return [round(place, 3) for place in found]


def _words(review: Review, judged: ReviewedMove) -> str:
    """The sentence below the board in the position before a move."""
    name = message(review.record.players[judged.player])
    word = "the only move" if judged.is_forced else judged.kind.value
    loss = f", loses {percent(judged.loss)}" if judged.loss >= 0.0005 else ""
    best = "" if judged.kind is MoveClass.BEST else f" Best is {_line(judged)}."
    luck = f" Luck then adds {100 * judged.luck:+.1f} points for the first player." if abs(judged.luck) > 0.0005 else ""
    return f"{name} plays {printable(judged.move)}: {word}{loss}.{best}{luck}"


def _title(judged: ReviewedMove) -> str:
    return f"ply {judged.ply}, {printable(judged.move)}: {judged.kind.value}, loses {percent(judged.loss)}"


def _line(judged: ReviewedMove) -> str:
    more = " …" if len(judged.line) > _LINE_MOVES else ""
    return printable(" ".join(judged.line[:_LINE_MOVES])) + more


def _is_bad(judged: ReviewedMove) -> bool:
    return judged.kind not in (MoveClass.BEST, MoveClass.GOOD)


def _css(kind: MoveClass) -> str:
    return f"k-{kind.value.replace(' ', '-')}"
