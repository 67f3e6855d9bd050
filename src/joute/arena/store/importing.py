"""Imports games from elsewhere into a tournament's file, so that all commands that read such files work on them.

An imported tournament is finished: it cannot be resumed, and its agents are only names.
"""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from joute.agents.loading import Source
from joute.arena.plan import Entrant, Plan
from joute.arena.schedules.schedule import Pairing
from joute.arena.store.game_file import FiledGame, is_database, whole_games
from joute.arena.store.store import Store, StoredGame, StoreError
from joute.errors import SpecError
from joute.games import new
from joute.match.record import GameRecord


def open_games(path: Path) -> Store:
    """A store for reading the games of a file: a tournament's file, or any other game file, imported into memory."""
    if is_database(path):
        return Store.read(path)
    games = whole_games(path)
    with tempfile.TemporaryDirectory(prefix="joute-") as folder:
        imported = Path(folder) / "games.db"
        _fill(imported, games, f"read from {path.name}")
        memory = sqlite3.connect(":memory:", isolation_level=None)
        on_disk = sqlite3.connect(imported)
        on_disk.backup(memory)
        on_disk.close()
    return Store(path, memory)


def import_games(games: Sequence[FiledGame], path: Path, *, note: str = "") -> Plan:
    """Write games to a new tournament's file, completely or not at all; StoreError if the file exists."""
    try:
        path.open("x").close()  # reserves the name
    except FileExistsError:
        raise StoreError(f"{path} already exists; games are imported into a new file") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with tempfile.TemporaryDirectory(prefix=".joute-", dir=path.absolute().parent) as folder:
            imported = Path(folder) / path.name
            plan = _fill(imported, games, note)
            imported.replace(path)
            return plan
    except BaseException:
        path.unlink()
        raise


def import_records(records: Sequence[GameRecord], path: Path) -> Plan:
    """Write records to a new tournament's file, as `import_games` does."""
    return import_games([FiledGame(number, record) for number, record in enumerate(records)], path)


def kinds_of_games(games: Sequence[FiledGame]) -> dict[str, int]:
    """The number of games by game spec."""
    return dict(Counter(new(game.record.game).spec for game in games))


def _fill(path: Path, games: Sequence[FiledGame], note: str) -> Plan:
    """Write these games to a new tournament's file, numbered from 0, and close it."""
    taken = {name for game in games for name in game.record.players}
    records = [_with_two_names(game.record, taken) for game in games]
    plan = _plan(records, _only_kind(games))
    openings = list(dict.fromkeys(record.start for record in records))
    numbers = {entrant.name: index for index, entrant in enumerate(plan.entrants)}
    places = {start: index for index, start in enumerate(openings)}
    sources = tuple(Source(entrant.agent, "unknown") for entrant in plan.entrants)
    with Store.create(path, plan, sources, tuple(openings), command="", note=note) as store:
        store.begin_session(workers=0, note="games from elsewhere")
        store.add_all(
            StoredGame(
                Pairing(number, (numbers[record.players[0]], numbers[record.players[1]]), places[record.start]),
                record,
                game.started,
            )
            for number, (game, record) in enumerate(zip(games, records, strict=True))
        )
    return plan


def _only_kind(games: Sequence[FiledGame]) -> str:
    kinds = kinds_of_games(games)
    if len(kinds) != 1:
        there = " and ".join(f"{count} of {spec}" for spec, count in kinds.items()) or "none"
        raise SpecError(f"a tournament is of one game, but these files have {there}; choose one with --game")
    return next(iter(kinds))


def _with_two_names(record: GameRecord, taken: set[str]) -> GameRecord:
    """The record with distinct names: if an agent played itself, the second player gets an unused, numbered name."""
    first, second = record.players
    if first != second:
        return record
    numbered = (f"{second} #{number}" for number in itertools.count(2))
    return replace(record, players=(first, next(name for name in numbered if name not in taken)))


def _plan(records: Sequence[GameRecord], game: str) -> Plan:
    """A plan with the players of the records, each with its most frequent clock."""
    clocks: dict[str, Counter[str]] = {}
    for record in records:
        for name, clock in zip(record.players, record.clocks, strict=True):
            clocks.setdefault(name, Counter())[clock] += 1
    usual = {name: counts.most_common(1)[0][0] for name, counts in clocks.items()}
    common = Counter(usual.values()).most_common(1)[0][0]
    entrants = [Entrant(name, name, "" if clock == common else clock) for name, clock in usual.items()]
    return Plan(game, tuple(entrants), schedule="imported", clock=common, openings="as played")
