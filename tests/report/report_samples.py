"""Tournaments to report on, played at once or made up game by game, and a reader of pages."""

from __future__ import annotations

import base64
import gzip
import json
import re
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from joute._core import Result
from joute.agents.loading import find_source
from joute.arena.plan import Entrant, Plan, make_plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.store import Store
from joute.arena.tournament import Tournament
from joute.cli import command_line
from joute.match import GameRecord, MoveRecord, Reason


def tournament(folder: Path, game: str, *agents: str, games: int = 4, play: bool = True) -> Store:
    """A tournament of agents that answer at once."""
    path = folder / "t.db"
    with Tournament.create(
        make_plan(game, list(agents), games=games, seed=1, openings="random"), path, command="joute it"
    ) as made:
        if play:
            made.play()
    return Store.read(path)


def stored(
    folder: Path, names: list[str], records: list[tuple[tuple[int, int], GameRecord]], *, game: str = "connect4"
) -> Store:
    """A tournament whose games were played elsewhere, or never."""
    plan = Plan(game, tuple(Entrant(name, "greedy") for name in names), schedule="imported")
    sources = tuple(find_source("greedy") for _ in names)
    starts = tuple(dict.fromkeys(record.start for _, record in records))
    path = folder / "made.db"
    with Store.create(path, plan, sources, starts, command="", note="") as store:
        store.begin_session(workers=1, note="")
        for number, (players, record) in enumerate(records):
            started = datetime(2026, 1, 2, 3, number % 60, tzinfo=UTC)
            store.add(Pairing(number, players, starts.index(record.start)), record, started=started)
    return Store.read(path)


def record(
    outcome: int = 1,
    moves: str | tuple[MoveRecord, ...] = "123",
    *,
    result: Result | None = None,
    reason: Reason = Reason.NORMAL,
    **settings: Any,
) -> GameRecord:
    if isinstance(moves, str):
        moves = tuple(MoveRecord(ply % 2, move, 0.01) for ply, move in enumerate(moves))
    result = result or Result(outcome, score=outcome, margin=3 * outcome, decided_by="four in a row")
    return GameRecord("connect4", "44", ("a", "b"), 0, moves, result, reason, **settings)


def section(page: str, name: str) -> str:
    """The HTML of one section."""
    found = re.search(rf'<section id="{name}"[^>]*>.*?</section>', page, re.DOTALL)
    assert found
    return found[0]


def rows_of(page: str, name: str) -> list[list[str]]:
    """The cells of a section's tables, without the header."""
    rows = re.findall(r"<tr>(<td.*?)</tr>", section(page, name))
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in re.findall("<td.*?</td>", row)] for row in rows]


def invoke(*words: object, command: str = "report") -> Any:
    """The result of ``joute report``, or of another command, with these words."""
    return CliRunner().invoke(command_line(command), [command, *map(str, words)])


def unpacked(text: str) -> Any:
    """The data that a page packs."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


def games_of(page: str) -> list[Any]:
    """The games that a page can replay."""
    data = json.loads(Page(page).scripts["games-data"])
    return [game for pack in data["packs"] for game in unpacked(pack)]


class Page(HTMLParser):
    """What a browser sees of a page: its text, its elements, its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._script: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._script = dict(attrs).get("id") or f"{tag}-{len(self.scripts)}"
            self.scripts[self._script] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts[self._script] += data
        else:
            self.text.append(data)
