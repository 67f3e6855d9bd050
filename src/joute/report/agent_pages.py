"""A page for each agent: its games, its failures with their tracebacks, its time, and where it lost; and an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joute.arena.store.results import counted_games
from joute.arena.store.store import Store
from joute.numbers import NOTHING, count_of, duration, elo_interval, elo_text, percent, points_text, value_text
from joute.pages import charts
from joute.pages.page_parts import Section, crash_html, head, page, result_section, section_html, table
from joute.report.agent_data import AgentData, Tally, agent_data
from joute.report.data import AgentRow, Report
from joute.report.failures import Failure
from joute.report.game_sections import tick_time
from joute.report.game_viewer import games_html
from joute.report.html import footer
from joute.spec import look_up
from joute.text import html_text

_INDEX = "index.html"
# Most links to the games of one cause or one opponent.
_LINKS = 12
_LONGEST_NAME = 60


@dataclass(frozen=True)
class AgentPage:
    """A file of the folder of pages: its name and its text."""

    file: str
    text: str


def find_row(report: Report, name: str) -> AgentRow:
    """The row of an agent; SpecError if the tournament has none of this name."""
    return look_up("agent of the tournament", name, {row.name: row for row in report.agents})


def agent_pages(report: Report, store: Store, *, replays: int | None = None) -> Iterator[AgentPage]:
    """The pages of all agents, the best first, and then the index."""
    files = file_names([row.name for row in report.agents])
    for row, file in zip(report.agents, files, strict=True):
        yield AgentPage(file, agent_page(report, store, row, replays=replays, index=_INDEX))
    yield AgentPage(_INDEX, _index_page(report, files))


def file_names(names: Sequence[str]) -> list[str]:
    """File names for the pages of agents: ASCII letters, digits, _ and -, distinct also where case does not count.

    >>> file_names(["Anna", "anna", "../../etc", "mcts:iterations=9", "index", "Zoë"])
    ['Anna.html', 'anna-2.html', 'etc.html', 'mcts-iterations-9.html', 'index-2.html', 'Zo.html']
    """
    taken = {_INDEX}
    files = []
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:_LONGEST_NAME].strip("-") or "agent"
        file, count = f"{stem}.html", 1
        while file.lower() in taken:
            count += 1
            file = f"{stem}-{count}.html"
        taken.add(file.lower())
        files.append(file)
    return files


def agent_page(report: Report, store: Store, row: AgentRow, *, replays: int | None = None, index: str = "") -> str:
    """The page on one agent; `index` is the file of the index, to link to. What its opponents wrote is left out."""
    data = agent_data(row.index, counted_games(store))
    failures = [failure for failure in report.failures if failure.agent == row.index]
    sections = [*_failures(failures), *_losses(report, data), *_time(report, row, data)]
    most = row.standing.games if replays is None else replays
    has_games = bool(row.standing.games and most)
    contents = [(section.id, section.title) for section in sections] + [("games", "Games")] * has_games
    link = f'<div class="note"><a href="{index}">All agents</a></div>' if index else ""
    body = [
        *head(report.own_title or report.game_title, row.name, _subtitle(report, row), contents),
        "<main>",
        result_section(list(_sentences(report, row)), link),
        *map(section_html, sections),
    ]
    if has_games:
        body.append(games_html(report, store, most, agent=row.index))
    body += ["</main>", footer(report)]
    return page(f"{row.name}: {report.title}", body, scripts=("scene.js", "chart.js", "page.js", "report.js"))


def _subtitle(report: Report, row: AgentRow) -> str:
    standing = row.standing
    points = f"{points_text(standing.points)} points in {count_of(standing.games, 'game')}"
    if standing.retired:
        return f"Withdrawn, or an old version · {points}"
    return f"Rank {report.rank_text(row)} of {len(report.playing)} · {points}"


def _sentences(report: Report, row: AgentRow) -> Iterator[str]:
    standing = row.standing
    if not standing.games:
        yield f"{row.name} played no game yet."
        return
    yield (
        f"{row.name} won {standing.wins:,}, drew {standing.draws:,} and lost {count_of(standing.losses, 'game')}: "
        f"a score of {percent(standing.score)}."
    )
    if len(report.agents) > 2 and not standing.never_started:
        interval = elo_interval(row.rating.low, row.rating.high)
        yield f"Rating: {elo_text(row.rating.elo)} Elo, 95% interval {interval} ({report.reference})."
    if standing.forfeits:
        reasons = ", ".join(f"{count} by {reason}" for reason, count in standing.forfeits.most_common())
        started = " It never started." if standing.never_started else ""
        yield f"It forfeited {count_of(standing.forfeits.total(), 'game')}: {reasons}.{started}"


def _links(games: Sequence[int]) -> str:
    links = ", ".join(f'<a href="#game-{game}">{game}</a>' for game in games[:_LINKS])
    return links + (f" and {len(games) - _LINKS:,} more" if len(games) > _LINKS else "")


def _failures(failures: Sequence[Failure]) -> Iterator[Section]:
    if not failures:
        return
    parts = []
    for failure in failures:
        count = count_of(len(failure.games), "game")
        noun = "Game" if len(failure.games) == 1 else "Games"
        hint = f"<p><b>Hint:</b> {html_text(failure.hint)}</p>" if failure.hint else ""
        parts.append(
            f"<h3>{html_text(failure.reason)}, {count}</h3><p>{html_text(failure.detail)}</p>{hint}"
            f'{crash_html(failure.crash, is_open=True)}<p class="note">{noun} {_links(failure.games)}</p>'
        )
    yield Section("failures", "What went wrong", "".join(parts))


def _row(name: str, results: Tally) -> list[str]:
    counts = f"{results.wins} {results.draws} {results.losses}"
    lost = _links(results.lost_games) or NOTHING
    return [html_text(name), f"{results.games:,}", points_text(results.points), counts, lost]


def _losses(report: Report, data: AgentData) -> Iterator[Section]:
    """The results by opponent and colour, the lengths of lost games, and the largest falls of the agent's own value."""
    if not data.opponents:
        return
    columns = [("number", "games"), ("number", "points"), ("number", "+ = −"), ("detail", "lost games")]
    opponents = [_row(row.name, data.opponents[row.index]) for row in report.agents if row.index in data.opponents]
    colours = [_row(name, own) for name, own in zip(("first", "second"), data.colours, strict=True) if own.games]
    made = table("By opponent, the strongest first", [("name", "opponent"), *columns], opponents)
    made += table("By colour", [("name", "as"), *columns], colours)
    if len(data.lost_lengths) > 1:
        made += charts.bar_chart(
            "Lost games by number of plies", data.lost_lengths, across_label="plies, counted from the opening"
        )
    if data.drops:
        made += table(
            "Lost games in which its own value fell most between two of its moves",
            [("number", "game"), ("number", "ply"), ("number", "before"), ("number", "after"), ("", "then it played")],
            [
                [
                    _links([drop.game]),
                    str(drop.ply),
                    value_text(drop.before),
                    value_text(drop.after),
                    f"<code>{html_text(drop.move)}</code>",
                ]
                for drop in data.drops
            ],
        )
    yield Section("losses", "Where it lost", made)


def _time(report: Report, row: AgentRow, data: AgentData) -> Iterator[Section]:
    """The clock, the mean and the longest times, the times by ply, and the slowest moves."""
    plies = report.measures.agents[row.index].plies
    if not plies:
        return
    standing = row.standing
    late = standing.forfeits.get("time", 0) + standing.forfeits.get("stalled", 0)
    lost = f", and it lost {count_of(standing.lost_turns, 'turn')} by late answers" if standing.lost_turns else ""
    text = (
        f"Clock: {row.clock}. It took {duration(standing.mean_time_s)} a move on average and at most "
        f"{duration(data.longest_game_s)} in a game (game {data.longest_game}). It forfeited "
        f"{count_of(late, 'game') if late else 'no game'} on time{lost}."
    )
    lines = [
        charts.Line("mean", 0, [(at.ply + 1.0, at.time_s) for at in plies]),
        charts.Line("longest", 1, sorted((float(ply), time_s) for ply, time_s in data.longest_by_ply.items())),
    ]
    across = charts.linear_axis(plies[0].ply + 1, plies[-1].ply + 1, steps=6, tight=True, whole=True)
    highest = max(data.longest_by_ply.values()) or 1e-6
    chart = charts.line_chart(
        "Time a move", lines, across, charts.linear_axis(0, highest, text=tick_time), across_label="ply of the game"
    )
    slowest = table(
        "Its slowest moves",
        [("number", "game"), ("number", "ply"), ("number", "time"), ("", "move")],
        [
            [_links([move.game]), str(move.ply), duration(move.time_s), f"<code>{html_text(move.move)}</code>"]
            for move in data.slowest
        ],
        kind="narrow",
    )
    yield Section("time", "Time", f"<p>{html_text(text)}</p>{chart}{charts.legend(lines)}{slowest}")


def _index_page(report: Report, files: Sequence[str]) -> str:
    rows = [
        [
            report.rank_text(row),
            f'<a href="{file}">{html_text(row.name)}</a>',
            points_text(row.standing.points),
            f"{row.standing.games:,}",
            str(row.standing.forfeits.total() or NOTHING),
        ]
        for row, file in zip(report.agents, files, strict=True)
    ]
    header = [("number", "rank"), ("name", "agent"), ("number", "points"), ("number", "games"), ("number", "forfeits")]
    subtitle = f"{count_of(len(report.agents), 'agent')} · {count_of(len(report.games), 'game')}"
    body = [
        *head("Tournament", report.own_title or report.game_title, subtitle, []),
        "<main>",
        section_html(Section("agents", "Agents", table("A page for each agent", header, rows))),
        "</main>",
        footer(report),
    ]
    return page(report.title, body)
