"""Opening a tournament's SQLite file: locking, recognition, migration, and translation of SQLite's errors."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from joute._core import one_line
from joute.arena.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from joute.errors import JouteError

# The longest wait for a lock of a reader, which holds it only briefly.
_BUSY_S = 10.0


class StoreError(JouteError):
    """A file is not the store of a tournament, or cannot be used."""


class InUseError(StoreError):
    """A tournament's file is locked: another process plays it."""


class DamagedError(StoreError):
    """A tournament's file is damaged."""


def check_is_file(path: Path) -> None:
    """StoreError if there is no such file."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a file")
    if not path.is_file():
        raise StoreError(f"there is no file {path}")


def beside(path: Path) -> tuple[Path, Path]:
    """SQLite's files beside an open database: the write-ahead log and its index."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def locked(path: Path, *, create: bool) -> int:
    """A descriptor that holds an exclusive lock on the file until it is closed or the process ends."""
    if create and not path.absolute().parent.is_dir():
        raise StoreError(f"there is no folder {path.absolute().parent} for {path.name}")
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a file")
    try:
        lock = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o644)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise InUseError(f"{path} is in use: its tournament is running in another process") from error
    return lock


def connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to an existing file."""
    address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    log, _ = beside(path.resolve())  # SQLite follows links
    if read_only and not log.exists() and not os.access(log.parent, os.W_OK, effective_ids=True):
        # To read a database in WAL mode, SQLite creates an index file beside it, which fails in a read-only folder. A
        # log file exists as long as a driver runs. Without one, all games are in the database file itself and it does
        # not change: sqlite.org/wal.html#readonly.
        address += "&immutable=1"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
    if not read_only:
        # Every commit waits for the disk, so that even a power failure loses no finished game.
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def set_log(connection: sqlite3.Connection, *, on: bool) -> None:
    """Turn WAL mode on, so that others can read during writes, or off, so that only the database file is left.

    A reader may prevent turning it off. Then the log stays, which does no harm.
    """
    with contextlib.suppress(sqlite3.OperationalError) if not on else contextlib.nullcontext():
        connection.execute(f"PRAGMA journal_mode = {'WAL' if on else 'DELETE'}")


def is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether a database holds a tournament: False if it is empty, StoreError if it is foreign or too new."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        if application or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreError(f"{path} is a database, but not one of Joute's")
        return False
    if (version := version_of(connection)) > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was made by a newer Joute (its schema is {version}, this Joute knows {SCHEMA_VERSION}); upgrade"
        )
    return True


def check_is_ours(connection: sqlite3.Connection, path: Path) -> None:
    """StoreError unless a database holds a tournament."""
    if not is_ours(connection, path):
        raise StoreError(f"{path} is empty: its tournament was stopped before it was created; begin it again")


@contextlib.contextmanager
def explained(path: Path, what: str = "") -> Iterator[None]:
    """Translate SQLite errors and invalid rows to StoreError; `what` precedes SQLite's text in the message."""
    try:
        yield
    except JouteError:
        raise
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        log, _ = beside(path.resolve())
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) and log.exists():
            raise StoreError(
                f"{path} cannot be read in a folder where you may not write, because its last games are still in "
                f"{log.name}; copy both to another folder"
            ) from error
        if code == sqlite3.SQLITE_CORRUPT or "decode to UTF-8" in str(error):
            raise DamagedError(f"{path} is damaged: {what}{one_line(error)}") from error
        sentences = {
            sqlite3.SQLITE_NOTADB: f"{path} is not a database",
            sqlite3.SQLITE_FULL: f"{path} cannot grow: the disk is full",
            sqlite3.SQLITE_BUSY: f"{path} is locked by another program",
            sqlite3.SQLITE_LOCKED: f"{path} is locked by another program",
        }
        raise StoreError(sentences.get(code, f"{path} cannot be used: {what}{one_line(error)}")) from error
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:  # from a damaged row
        raise DamagedError(f"{path} is damaged: {what}{one_line(error)}") from error


def others_of(path: Path) -> str:
    """The command that saves the undamaged games of a file, as part of a message."""
    words = ("joute", "import", str(path), "--db", str(path.with_name(f"{path.stem}-saved.db")), "--skip-damaged")
    return f"to save the games that can be read: {shlex.join(words)}"


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of a tournament's file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate a file of an earlier version to the current schema in one transaction."""
    steps = "".join(MIGRATIONS[version] for version in range(version_of(connection), SCHEMA_VERSION))
    if not steps:
        return
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
    except BaseException:
        connection.rollback()
        raise
