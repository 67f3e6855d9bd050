"""Jobs that read the databases of tournaments, so that a large or damaged one delays and endangers nobody.

A report is kept until its file changes: the page asks for its table, its games and its replays one after the other.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

from joute.arena.openings import default_openings
from joute.arena.players.own_files import is_tournament
from joute.arena.players.sandbox import check_sandbox
from joute.arena.schedules.schedule import Results
from joute.arena.store.results import as_played
from joute.arena.store.store import Store
from joute.errors import JouteError
from joute.games import game_names, new
from joute.match import GameRecord
from joute.pages.boards import BoardTable
from joute.report.data import GameRow, Report, make_report
from joute.report.games import Shares, game_data
from joute.text import message, printable
from joute.web.arena.fragments import fragments
from joute.web.arena.workspace import is_locked
from joute.web.jobs import Context
from joute.web.texts import catalogue

# Reports and heads that are kept. A report of 20,000 games takes about 20 MB.
_REPORTS, _HEADS = 4, 1000
_GAMES_A_PAGE = 20

_reports: OrderedDict[str, tuple[list[int], Report]] = OrderedDict()
_heads: OrderedDict[str, tuple[list[int], dict[str, Any]]] = OrderedDict()


def heads(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """The head of each database: game, agents, schedule, number of games; a sentence if it cannot be read.

    Files that are no databases of tournaments are left out.
    """
    found = {}
    for database in request["databases"]:
        if context.is_stopped:
            break
        path, signature = database["path"], database["signature"]
        kept = _heads.get(path)
        if kept is None or kept[0] != signature:
            kept = _heads[path] = (signature, _head(Path(path), is_running=database["is_running"]))
            while len(_heads) > _HEADS:
                _heads.popitem(last=False)
        if kept[1]:
            found[database["id"]] = {**kept[1], "is_locked": is_locked(Path(path))}
    return {"heads": found}


def report(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """The report of a tournament: facts, tables and plots in a language."""
    made, sessions = _report(request)
    labels = {key: text for key, text in catalogue(request["language"])["texts"].items() if key.startswith("arena.")}
    return {
        "games": len(made.games),
        "length": made.length,
        "title": message(made.game_title),
        "sessions": sessions,
        "is_locked": is_locked(Path(request["path"])),
        **fragments(made, labels),
    }


def games(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """A page of the list of games that pass the filters, the latest first."""
    made, _ = _report(request)
    names = {row.index: message(row.name) for row in made.agents}
    wanted = [row for row in made.games if _passes(row, request)]
    wanted.reverse()
    first = min(request["first"], max(0, len(wanted) - 1)) // _GAMES_A_PAGE * _GAMES_A_PAGE
    return {
        "count": len(wanted),
        "first": first,
        "agents": [[row.index, names[row.index]] for row in made.agents],
        "reasons": sorted({row.reason for row in made.games}),
        "games": [
            {
                "number": row.number,
                "players": [names[index] for index in row.players],
                "outcome": row.outcome,
                "reason": row.reason,
                "plies": row.plies,
                "opening": printable(row.opening),
            }
            for row in wanted[first : first + _GAMES_A_PAGE]
        ],
    }


def game(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """One game with its moves and boards; what agents wrote only if `has_output`."""
    number = request["number"]
    with Store.read(Path(request["path"])) as store:
        if (stored := store.game(number - 1)) is None:
            return {"missing": True}
        boards, shares = BoardTable(), Shares()
        shares.add(stored)
        data = game_data(stored.record, boards)
        if not request["has_output"]:
            data.pop("output", None)
            data.pop("crash", None)
        start = new(store.plan.game)
        numbers = store.numbers()
        place = numbers.index(number - 1)
        around = [numbers[at] + 1 if 0 <= at < len(numbers) else None for at in (place - 1, place + 1)]
        return {
            **data,
            "number": number,
            "before": around[0],
            "after": around[1],
            "names": [message(store.plan.entrants[index].name) for index in stored.pairing.players],
            "shares": [shares.is_share(index) for index in stored.pairing.players],
            "sides": list(map(str, start.players)),
            "colours": list(start.colours) if boards.fills.issuperset(start.colours) else [],
            "outcome": stored.record.result.outcome,
            "reason": stored.record.reason.value,
            "decided_by": message(stored.record.result.decided_by),
            "detail": message(_detail(stored.record)),
            "opening": printable(stored.record.start),
            "boards": boards.as_data(),
        }


def openings(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """The default openings of each game, and why there is no sandbox here (empty if there is one)."""
    found = {}
    for name in game_names():
        with contextlib.suppress(JouteError):
            found[name] = default_openings(name)
    try:
        check_sandbox()
        problem = ""
    except JouteError as error:
        problem = str(error)
    return {"default_openings": found, "sandbox_problem": problem}


def page(request: dict[str, Any], context: Context) -> dict[str, Any]:
    """The report as one HTML file, to keep and to publish."""
    from joute.report.html import html_report

    made = replace(_report(request)[0], own_title=request["title"])
    with Store.read(Path(request["path"])) as store:
        return {"html": html_report(made, store, replays=min(len(made.games), request["replays"]))}


def _report(request: dict[str, Any]) -> tuple[Report, int]:
    """The report of a database, from memory if the file has not changed, and how often the tournament was started."""
    path, signature = request["path"], request["signature"]
    with Store.read(Path(path)) as store:
        sessions = store.sessions
        kept = _reports.get(path)
        if kept is None or kept[0] != signature:
            kept = _reports[path] = (signature, make_report(store))
        _reports.move_to_end(path)
        while len(_reports) > _REPORTS:
            _reports.popitem(last=False)
        return kept[1], sessions


def _head(path: Path, *, is_running: bool) -> dict[str, Any]:
    """The head of a database; the driver tells the number of games of a tournament that is running."""
    if not is_tournament(path):
        return {}
    try:
        with Store.read(path) as store:
            plan = store.plan
            results: Results = (
                {stored.pairing.number: as_played(stored.pairing, stored.record) for stored in store.games()}
                if not is_running and not store.schedule.can_grow
                else {}
            )
            return {
                "game": plan.game,
                "title": message(type(new(plan.game)).title),
                "agents": [message(plan.entrants[index].name) for index in plan.playing][:8],
                "agent_count": len(plan.playing),
                "schedule": message(store.schedule.title),
                "games": store.count,
                "length": store.schedule.games_in_all(results),
                "error": "",
            }
    except JouteError as error:
        return {"error": message(error).replace(str(path), path.name)}


def _passes(row: GameRow, request: dict[str, Any]) -> bool:
    agent, opponent, result, reason = (request[name] for name in ("agent", "opponent", "result", "reason"))
    outcome = row.outcome
    if agent is not None:
        if agent not in row.players or agent == opponent:
            return False
        outcome = outcome if row.players[0] == agent else -outcome
    if opponent is not None and opponent not in row.players:
        return False
    return (result is None or outcome == result) and (not reason or row.reason == reason)


def _detail(record: GameRecord) -> str:
    return record.detail if record.reason.value != "normal" else ""
