"""The SQLite file that keeps games, from the first move on, and the visitors who joined.

One server uses it at a time: a second one would overwrite the moves of the first. WAL with synchronous=NORMAL keeps
every committed move if the process is killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joute.errors import JouteError
from joute.match.record import MoveRecord

_SCHEMA = 1
# Another program that reads the file delays the whole server for at most this long.
_BUSY_S = 2.0
_TABLES = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    created REAL NOT NULL,
    changed REAL NOT NULL,
    spec TEXT NOT NULL,
    start TEXT NOT NULL,
    seed INTEGER NOT NULL,
    clock TEXT NOT NULL,
    seats TEXT NOT NULL,
    turn_s REAL NOT NULL DEFAULT 0,
    ending TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS games_by_change ON games (changed);
CREATE TABLE IF NOT EXISTS moves (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    visitor TEXT NOT NULL,
    PRIMARY KEY (visitor, game)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS visitors (id TEXT PRIMARY KEY, joined REAL NOT NULL) STRICT, WITHOUT ROWID;
"""


@dataclass
class SeatRow:
    """The player of a side: an agent, or a person, whose visitor is empty until somebody follows the link."""

    kind: str  # "person" or "agent"
    visitor: str = ""
    agent: str = ""
    name: str = ""

    def as_data(self) -> dict[str, str]:
        """The seat as JSON."""
        return {"kind": self.kind, "visitor": self.visitor, "agent": self.agent, "name": self.name}


@dataclass
class GameRow:
    """A game as the file keeps it. `ending` is [loser, reason, detail, clocks] if the game did not end by a move."""

    id: str
    owner: str
    spec: str
    start: str
    seed: int
    clock: str
    seats: tuple[SeatRow, SeatRow]
    created: float = field(default_factory=time.time)
    changed: float = field(default_factory=time.time)
    #: The seconds that the player to move has used in this turn, as far as they were saved.
    turn_s: float = 0.0
    ending: list[Any] | None = None


class GameStore:
    """The games and visitors of one server."""

    def __init__(self, path: Path) -> None:
        """Open or create the file; JouteError if that fails, the file is another kind, or a server uses it."""
        self.path = path
        with contextlib.ExitStack() as opened:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                opened.callback(os.close, _locked(path))
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # it has the cookies of visitors
                self._db = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
                opened.callback(self._db.close)
                self._prepare()
            except (sqlite3.Error, OSError) as error:
                raise JouteError(f"the games cannot be kept in {path}: {error}") from error
            self._opened = opened.pop_all()

    def _prepare(self) -> None:
        """Create the tables; JouteError if the file is another kind."""
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        has_tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version not in (0, _SCHEMA) or (version == 0 and has_tables):
            raise JouteError(f"{self.path} is not a file of games of the page; name another one with --database")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("PRAGMA foreign_keys=ON")
        self._db.executescript(_TABLES)
        self._db.execute(f"PRAGMA user_version={_SCHEMA}")

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    # --- Games ---

    def add(self, row: GameRow) -> None:
        """Keep a new game."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO games (id, owner, created, changed, spec, start, seed, clock, seats, turn_s, ending) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    row.id, row.owner, row.created, row.changed, row.spec, row.start, row.seed, row.clock,
                    _seats_text(row), row.turn_s, _text(row.ending),
                ),
            )  # fmt: skip
            self._add_members(row)

    def save(self, row: GameRow, moves: list[MoveRecord], *, first: int) -> None:
        """Keep the moves from number `first` on, drop those after them, and the state of the game, all at once."""
        row.changed = time.time()
        with self._transaction():
            self._db.execute("DELETE FROM moves WHERE game = ? AND number >= ?", (row.id, first))
            numbered = enumerate(moves[first:], start=first)
            self._db.executemany(
                "INSERT INTO moves (game, number, data) VALUES (?, ?, ?)",
                [(row.id, number, _text(move.as_data())) for number, move in numbered],
            )
            self._db.execute(
                "UPDATE games SET changed = ?, seats = ?, turn_s = ?, ending = ? WHERE id = ?",
                (row.changed, _seats_text(row), row.turn_s, _text(row.ending), row.id),
            )
            self._add_members(row)

    def save_turns(self, turns: dict[str, float]) -> None:
        """Keep the seconds used in the current turns of games."""
        with self._transaction():
            self._db.executemany(
                "UPDATE games SET turn_s = ? WHERE id = ?", [(turn_s, game) for game, turn_s in turns.items()]
            )

    def load(self, game: str) -> tuple[GameRow, list[MoveRecord]] | None:
        """The game of an id with its moves; None if there is none."""
        found = self._db.execute(
            "SELECT id, owner, spec, start, seed, clock, seats, created, changed, turn_s, ending FROM games "
            "WHERE id = ?",
            (game,),
        ).fetchone()
        if found is None:
            return None
        rows = self._db.execute("SELECT data FROM moves WHERE game = ? ORDER BY number", (game,))
        return _row(found), [MoveRecord.from_data(json.loads(data)) for (data,) in rows]

    def games_of(self, visitor: str, limit: int) -> list[tuple[GameRow, int]]:
        """The latest games of a visitor, each with the number of its moves."""
        found = self._db.execute(
            "SELECT id, owner, spec, start, seed, clock, seats, created, changed, turn_s, ending, "
            "(SELECT count(*) FROM moves WHERE moves.game = games.id) FROM games "
            "WHERE id IN (SELECT game FROM members WHERE visitor = ?) ORDER BY changed DESC LIMIT ?",
            (visitor, limit),
        ).fetchall()
        return [(_row(each[:-1]), each[-1]) for each in found]

    def delete(self, game: str) -> None:
        """Remove a game."""
        with self._transaction():
            self._db.execute("DELETE FROM games WHERE id = ?", (game,))

    def _add_members(self, row: GameRow) -> None:
        visitors = {row.owner, *(seat.visitor for seat in row.seats if seat.visitor)}
        self._db.executemany(
            "INSERT OR IGNORE INTO members (game, visitor) VALUES (?, ?)", [(row.id, each) for each in visitors]
        )

    # --- Visitors ---

    def join(self, visitor: str) -> None:
        """Remember that a visitor entered the join code."""
        with self._transaction():
            self._db.execute("INSERT OR IGNORE INTO visitors (id, joined) VALUES (?, ?)", (visitor, time.time()))

    def has_joined(self, visitor: str) -> bool:
        """Whether a visitor entered the join code."""
        return self._db.execute("SELECT 1 FROM visitors WHERE id = ?", (visitor,)).fetchone() is not None

    @contextlib.contextmanager
    def _transaction(self) -> Any:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk has ended it already
                self._db.execute("ROLLBACK")
            raise


def _locked(path: Path) -> int:
    """The descriptor of a lock beside a file; JouteError if another server has it."""
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise JouteError(f"another server keeps its games in {path}; --database names another file") from error
    return lock


def _text(data: Any) -> str | None:
    # As ASCII: what an agent writes may hold surrogates, which SQLite refuses.
    return None if data is None else json.dumps(data, separators=(",", ":"))


def _seats_text(row: GameRow) -> str | None:
    return _text([seat.as_data() for seat in row.seats])


def _row(found: tuple[Any, ...]) -> GameRow:
    game, owner, spec, start, seed, clock, seats, created, changed, turn_s, ending = found
    first, second = (SeatRow(**seat) for seat in json.loads(seats))
    return GameRow(
        game, owner, spec, start, seed, clock, (first, second), created, changed, turn_s,
        None if ending is None else json.loads(ending),
    )  # fmt: skip
