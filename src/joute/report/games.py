"""The games of a page: a list of all, and each with its moves and boards, compressed until it is opened."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from joute.arena.store.store import Store, StoredGame
from joute.games import new
from joute.match import GameRecord, Reason
from joute.match.crash import crashes
from joute.match.record_scenes import scenes_of
from joute.numbers import game_number, is_decided, value_text
from joute.pages.boards import BoardTable
from joute.report.data import GameRow, Report
from joute.text import message, printable, printable_lines

#: Games compressed together. Larger packs compress better but take longer to open: 1,005 games of Connect Four take
#: 0.87 MB one by one, 0.49 MB in packs of 25, and 0.44 MB all together.
GAMES_A_PACK = 25

# Most characters of an agent's output and most moves of its principal variation; the tournament's file has all.
_OUTPUT_CHARACTERS = 1000
_PV_MOVES = 12

_SIDES = ("first", "second")

# Keys that every game has.
_ALWAYS = ("moves", "players", "time_ms", "ending", "ply", "positions")


def chosen_games(games: Iterable[GameRow], most: int) -> frozenset[int]:
    """The numbers of the games that a page shows: all, or `most` of them.

    Games that did not end by the rules come first; the others are taken evenly over the tournament.
    """
    rows = list(games)
    if len(rows) <= most:
        return frozenset(row.number for row in rows)
    odd = [row.number for row in rows if row.reason != Reason.NORMAL.value]
    normal = [row.number for row in rows if row.reason == Reason.NORMAL.value]
    kept = _spread(odd, most)
    return frozenset([*kept, *_spread(normal, most - len(kept))])


def page_games(store: Store, report: Report, most: int, *, agent: int | None = None) -> dict[str, Any]:
    """The data for the viewer (`report.js`). Games are compressed with gzip and encoded as base64.

    The page of one `agent`, by index in the plan, has only its games, without what its opponents wrote.
    """
    numbers = chosen_games((row for row in report.games if agent is None or agent in row.players), most)
    boards, shares = BoardTable(), Shares()
    shown = (_for_page_of(agent, stored) for stored in store.games() if game_number(stored.pairing.number) in numbers)
    packs = list(_packs(shown, boards, shares))
    rows = [row for row in report.games if row.number in numbers]
    openings = list(dict.fromkeys(row.opening for row in rows))
    opening_numbers = {opening: number for number, opening in enumerate(openings)}
    reasons = sorted({row.reason for row in rows})
    ranks = {row.index: rank for rank, row in enumerate(report.agents)}
    listed = {
        "agents": [message(row.name) for row in report.agents],
        # Whether an agent's values are shares of the points from 0 to 1, or have 0 in the middle.
        "shares": [shares.is_share(row.index) for row in report.agents],
        "openings": openings,
        "reasons": reasons,
        "number": [row.number for row in rows],
        "first": [ranks[row.players[0]] for row in rows],
        "second": [ranks[row.players[1]] for row in rows],
        "opening": [opening_numbers[row.opening] for row in rows],
        "outcome": [row.outcome for row in rows],
        "reason": [reasons.index(row.reason) for row in rows],
        "plies": [row.plies for row in rows],
    }
    start = new(report.plan.game)
    return {
        "pack": GAMES_A_PACK,
        "players": list(map(str, start.players)),
        # Shown only if the drawings use both players' colours.
        "colours": list(start.colours) if boards.fills.issuperset(start.colours) else [],
        "list": _packed(listed),
        "boards": _packed(boards.as_data()),
        "packs": packs,
    }


def ending(record: GameRecord) -> str:
    """The end of a game in a sentence; the page shows the players' names beside it."""
    result = "Draw" if record.winner is None else f"The {_SIDES[record.winner]} player wins"
    if record.reason is Reason.NORMAL:
        by = f": {record.result.decided_by}" if record.result.decided_by else ""
        margin = f", margin {abs(record.result.margin)}" if record.winner is not None and record.result.margin else ""
        return f"{result}{by}{margin}"
    fault = f", as the {_SIDES[1 - record.winner]} forfeits" if record.at_fault and record.winner is not None else ""
    presumed = ", presumed, not proven" if record.is_presumed else ""
    detail = f" ({record.detail})" if record.detail else ""
    return f"{result}{fault}{presumed}: {record.reason.value}{detail}"


def _spread(numbers: list[int], most: int) -> list[int]:
    """At most `most` of the numbers, evenly spread."""
    if len(numbers) <= most:
        return numbers
    return [numbers[index * len(numbers) // most] for index in range(most)]


def _for_page_of(agent: int | None, stored: StoredGame) -> StoredGame:
    """The game without the output of an opponent of `agent`: a traceback shows code of others."""
    if agent is None:
        return stored
    first, second = (
        text if player == agent else ""
        for player, text in zip(stored.pairing.players, stored.record.output, strict=True)
    )
    return replace(stored, record=replace(stored.record, output=(first, second)))


class Shares:
    """Finds out which agents report shares of the points, from 0 to 1: records do not keep the unit of values."""

    def __init__(self) -> None:
        self._others: set[int] = set()
        self._fractions: set[int] = set()

    def add(self, stored: StoredGame) -> None:
        """Look at the values of a game."""
        for played in stored.record.moves:
            value = played.info.value_for_mover if played.info else None
            if value is None or not math.isfinite(value) or is_decided(value):
                continue
            player = stored.pairing.players[played.player]
            if not 0 <= value <= 1:
                self._others.add(player)
            elif value not in (0, 1):
                self._fractions.add(player)

    def is_share(self, agent: int) -> bool:
        """Whether all values of an agent are from 0 to 1, and some are between."""
        return agent in self._fractions and agent not in self._others


def _packs(games: Iterable[StoredGame], boards: BoardTable, shares: Shares) -> Iterator[str]:
    pack: list[dict[str, Any]] = []
    for stored in games:
        shares.add(stored)
        pack.append(game_data(stored.record, boards))
        if len(pack) == GAMES_A_PACK:
            yield _packed(pack)
            pack = []
    if pack:
        yield _packed(pack)


def game_data(record: GameRecord, boards: BoardTable) -> dict[str, Any]:
    """A game as the viewers replay it; its positions refer to `boards`. Columns without values are left out."""
    moves = record.moves
    infos = [played.info for played in moves]
    data: dict[str, Any] = {
        "moves": [printable(played.move) for played in moves],
        "players": [played.player for played in moves],
        "time_ms": [_significant(1000 * played.time_s) for played in moves],
        "value": [_significant(info.value_for_mover) if info else None for info in infos],
        "depth": [info.depth if info else None for info in infos],
        "nodes": [info.nodes if info else None for info in infos],
        "pv": [printable(_pv(info.pv)) if info else "" for info in infos],
        "chance": [" ".join(map(str, played.outcomes)) for played in moves],
        "crash": list(map(printable_lines, crashes(record))),
        "output": [printable_lines(_cut(text)) for text in record.output],
        "clocks": list(record.clocks),
        "ending": message(ending(record)),
        "ply": new(record.game, record.start).ply,
        "positions": boards.encode(scenes_of(record)),
    }
    return {key: value for key, value in data.items() if key in _ALWAYS or any(one not in (None, "") for one in value)}


def _pv(moves: tuple[Any, ...]) -> str:
    return " ".join(map(str, moves[:_PV_MOVES])) + (" …" if len(moves) > _PV_MOVES else "")


def _cut(text: str) -> str:
    if len(text) <= _OUTPUT_CHARACTERS:
        return text
    half = _OUTPUT_CHARACTERS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters cut]\n{text[-half:]}"


def _significant(value: float | None) -> float | str | None:
    """A number with four significant digits; text for a decided value, and for infinities and nan, which JSON lacks."""
    if value is None:
        return None
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "nan")
    if is_decided(value):
        return value_text(value)
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded == int(rounded) else rounded


def _packed(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # mtime=0: without a timestamp, the same games give the same page.
    return base64.b64encode(gzip.compress(text.encode("utf-8", "backslashreplace"), mtime=0)).decode()
