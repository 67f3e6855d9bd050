"""Where a tournament is kept: one SQLite file, written by its driver alone, readable by anybody meanwhile.

A finished game is one transaction, on the disk before it counts; what a kill interrupts was never there. The file
says what made it (application id) and in which form (schema version). docs/arena.md shows the schema.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from joute._core import Result
from joute.agents import SearchInfo
from joute.agents.loading import Source
from joute.arena.plan import Plan
from joute.arena.schedule import Pairing
from joute.arena.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION
from joute.errors import JouteError
from joute.match.record import GameRecord, MoveRecord, Reason

# How long to wait for a reader that holds the file: it does so for an instant, if at all.
_BUSY_S = 10.0


class StoreError(JouteError):
    """A file that is not the store of a tournament, or cannot be used as one."""


@dataclass(frozen=True)
class StoredGame:
    """A finished game and its place in the tournament."""

    pairing: Pairing
    record: GameRecord


class Store:
    """The file of one tournament. `create` and `resume` take it for a driver, `read` for anybody else."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._session = 0
        with _explained(path):
            row = connection.execute("SELECT plan, command, note FROM tournament").fetchone()
            if row is None:
                raise StoreError(f"{path} holds no tournament")
            self.plan = Plan.from_data(json.loads(row[0]))
            self.command: str = row[1]
            self.note: str = row[2]
            self.openings = tuple(text for (text,) in connection.execute("SELECT position FROM openings ORDER BY id"))

    @classmethod
    def create(
        cls, path: Path, plan: Plan, sources: tuple[Source, ...], openings: tuple[str, ...], *, command: str, note: str
    ) -> Self:
        """A new store for a plan; StoreError if the file is taken."""
        lock = _locked(path, create=True)
        try:
            with _explained(path):
                connection = _connected(path, read_only=False)
                if _is_ours(connection, path):
                    raise StoreError(
                        f"{path} already holds a tournament; to go on with it: joute tournament --resume --db {path}"
                    )
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript("BEGIN IMMEDIATE;" + SCHEMA)
                connection.execute(
                    "INSERT INTO tournament VALUES (?, ?, ?, ?)",
                    (json.dumps(plan.as_data()), _text(command), _text(note), _now()),
                )
                for index, (entrant, source) in enumerate(zip(plan.entrants, sources, strict=True)):
                    row = (index, _text(entrant.name), _text(source.text), source.kind, str(plan.control(index)))
                    connection.execute("INSERT INTO agents VALUES (?, ?, ?, ?, ?, ?)", (*row, fingerprint(source)))
                connection.executemany("INSERT INTO openings VALUES (?, ?)", enumerate(openings))
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                connection.execute("COMMIT")
            return cls(path, connection, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def resume(cls, path: Path) -> Self:
        """The store of a tournament that goes on."""
        if not path.is_file():
            raise StoreError(f"there is no file {path}")
        lock = _locked(path, create=False)
        try:
            with _explained(path):
                connection = _connected(path, read_only=False)
                _check_is_ours(connection, path)
                if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                    raise StoreError(f"{path} is damaged: {found.splitlines()[-1]}")
            return cls(path, connection, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def read(cls, path: Path) -> Self:
        """The store for reading, also while its tournament runs."""
        if not path.is_file():
            raise StoreError(f"there is no file {path}")
        with _explained(path):
            connection = _connected(path, read_only=True)
            _check_is_ours(connection, path)
        return cls(path, connection)

    @property
    def files(self) -> list[Path]:
        """The database, and what SQLite keeps beside it."""
        path = self.path.absolute()
        return [path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
        if self._lock is not None:
            # Last: closing any descriptor of the file takes SQLite's own locks away from this process.
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin_session(self, *, workers: int, note: str) -> None:
        """The tournament starts or goes on, with so many workers; what there is to say about that is kept."""
        from joute import __version__

        values = (_now(), __version__, platform.python_version(), platform.platform(), os.cpu_count() or 1, workers)
        with _explained(self.path):
            cursor = self._connection.execute(
                "INSERT INTO sessions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", (*values, note)
            )
        self._session = cursor.lastrowid or 0

    def add(self, pairing: Pairing, record: GameRecord, *, started: datetime) -> None:
        """Keep a finished game. When this returns, it is on the disk."""
        with _explained(self.path):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.execute(
                    f"INSERT INTO games VALUES ({', '.join('?' * 21)})",
                    self._game_row(pairing, record, started),
                )
                self._connection.executemany(
                    "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [(pairing.number, ply, *_move_row(move)) for ply, move in enumerate(record.moves)],
                )
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.rollback()
                raise

    def games(self) -> Iterator[StoredGame]:
        """The finished games by number, as they were stored."""
        names = [entrant.name for entrant in self.plan.entrants]
        controls = [str(self.plan.control(index)) for index in range(len(names))]
        with _explained(self.path):
            games = self._connection.execute(
                "SELECT number, first, second, opening, seed, outcome, score, margin, decided_by, reason, detail,"
                " start_outcomes, isolation_first, isolation_second, output_first, output_second, overhead_s"
                " FROM games ORDER BY number"
            )
            for row in games:
                number, first, second, opening, seed, outcome, score, margin, decided_by, reason, detail = row[:11]
                record = GameRecord(
                    game=self.plan.game,
                    start=self.openings[opening],
                    players=(names[first], names[second]),
                    seed=int(seed),
                    moves=self._moves(number),
                    result=Result(outcome, score=score, margin=margin, decided_by=decided_by),
                    reason=Reason(reason),
                    detail=detail,
                    start_outcomes=_outcomes(row[11]),
                    clocks=(controls[first], controls[second]),
                    isolation=(row[12], row[13]),
                    output=(row[14], row[15]),
                    overhead_s=row[16],
                )
                yield StoredGame(Pairing(number, (first, second), opening), record)

    @property
    def count(self) -> int:
        """How many games are finished."""
        with _explained(self.path):
            return int(self._connection.execute("SELECT count(*) FROM games").fetchone()[0])

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of which kind each agent was: built-in, python or program."""
        with _explained(self.path):
            return tuple(kind for (kind,) in self._connection.execute("SELECT kind FROM agents ORDER BY id"))

    def records(self) -> Iterator[GameRecord]:
        """The records of the finished games by number."""
        return (stored.record for stored in self.games())

    def versions(self) -> tuple[str, ...]:
        """The versions of Joute that games were played with, oldest first."""
        with _explained(self.path):
            rows = self._connection.execute(
                "SELECT joute FROM sessions WHERE id IN (SELECT session FROM games) GROUP BY joute ORDER BY min(id)"
            )
            return tuple(version for (version,) in rows)

    def _moves(self, number: int) -> tuple[MoveRecord, ...]:
        rows = self._connection.execute(
            "SELECT player, move, time_s, outcomes, told, value, depth, nodes, pv FROM moves"
            " WHERE game = ? ORDER BY ply",
            (number,),
        )
        return tuple(
            MoveRecord(
                player,
                move,
                time_s,
                _outcomes(outcomes),
                SearchInfo(value, depth, nodes, tuple(json.loads(pv)) if pv else ()) if told else None,
            )
            for player, move, time_s, outcomes, told, value, depth, nodes, pv in rows
        )

    def _game_row(self, pairing: Pairing, record: GameRecord, started: datetime) -> tuple[Any, ...]:
        result = record.result
        return (
            pairing.number,
            self._session,
            *pairing.players,
            pairing.opening,
            str(record.seed),
            result.outcome,
            result.score,
            result.margin,
            _text(result.decided_by),
            record.reason.value,
            _text(record.detail),
            len(record.moves),
            " ".join(map(str, record.start_outcomes)),
            *record.isolation,
            *map(_text, record.output),
            record.overhead_s,
            started.isoformat(timespec="milliseconds"),
            _now(),
        )

    def has_changed(self, agent: int, source: Source) -> bool:
        """Whether an agent's file is not what it was when the tournament was created, or is gone."""
        with _explained(self.path):
            (known,) = self._connection.execute("SELECT sha256 FROM agents WHERE id = ?", (agent,)).fetchone()
        try:
            return bool(fingerprint(source) != known)
        except StoreError:
            return True

    def check_agents(self, sources: tuple[Source, ...]) -> None:
        """Complain if an agent's file has changed."""
        for index, source in enumerate(sources):
            if self.has_changed(index, source):
                raise StoreError(
                    f"agent '{self.plan.entrants[index].name}' has changed: {source.file} is not the file that the "
                    "tournament began with; put it back to go on, or begin a new tournament"
                )


def fingerprint(source: Source) -> str | None:
    """The SHA-256 of an agent's file; None for agents that are no file."""
    if source.file is None:
        return None
    try:
        with source.file.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(f"agent file {source.file} cannot be read: {error.strerror}") from error


def _locked(path: Path, *, create: bool) -> int:
    """A descriptor that holds the file for one driver, for as long as the process lives."""
    if create and not path.absolute().parent.is_dir():
        raise StoreError(f"there is no folder {path.absolute().parent} for {path.name}")
    try:
        lock = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o644)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StoreError(f"{path} is in use: its tournament is running in another process") from error
    return lock


def _connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
    if not read_only:
        # Also a power failure loses no finished game. A commit then costs a write to the disk.
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether a database holds a tournament; False for an empty one, StoreError for a stranger's or a newer one."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        if application or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreError(f"{path} is a database, but not one of Joute's")
        return False
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was made by a newer Joute (its schema is {version}, this Joute knows {SCHEMA_VERSION}); upgrade"
        )
    return True


def _check_is_ours(connection: sqlite3.Connection, path: Path) -> None:
    if not _is_ours(connection, path):
        raise StoreError(f"{path} is empty: its tournament was stopped before it was created; begin it again")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """What SQLite complains of, as a sentence."""
    try:
        yield
    except JouteError:
        raise
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        sentences = {
            sqlite3.SQLITE_NOTADB: f"{path} is not a database",
            sqlite3.SQLITE_CORRUPT: f"{path} is damaged: {error}",
            sqlite3.SQLITE_FULL: f"{path} cannot grow: the disk is full",
            sqlite3.SQLITE_BUSY: f"{path} is locked by another program",
            sqlite3.SQLITE_LOCKED: f"{path} is locked by another program",
        }
        raise StoreError(sentences.get(code, f"{path} cannot be used: {error}")) from error
    except (ValueError, TypeError, KeyError) as error:  # what reading a changed row may raise
        raise StoreError(f"{path} is damaged: {error}") from error


def _move_row(played: MoveRecord) -> tuple[Any, ...]:
    info = played.info
    pv = json.dumps([str(move) for move in info.pv]) if info and info.pv else ""
    told = (
        (1, info.value_for_mover, _integer(info.depth), _integer(info.nodes), pv) if info else (0, None, None, None, "")
    )
    return played.player, _text(played.move), played.time_s, " ".join(map(str, played.outcomes)), *told


def _outcomes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _integer(number: int | None) -> int | None:
    """A number that an agent told, cut to what SQLite holds."""
    return None if number is None else max(-(2**63), min(number, 2**63 - 1))


def _text(text: str) -> str:
    """Text that an agent may have made: SQLite holds no lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
