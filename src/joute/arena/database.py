"""A tournament's file as SQLite sees it: opened for one driver, recognised, brought up to date; complaints in words."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from joute.arena.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from joute.errors import JouteError

# How long to wait for a reader that holds the file: it does so for an instant, if at all.
_BUSY_S = 10.0


class StoreError(JouteError):
    """A file that is not the store of a tournament, or cannot be used as one."""


def locked(path: Path, *, create: bool) -> int:
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


def connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to a file that is there."""
    address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
    if not read_only:
        # Also a power failure loses no finished game. A commit then costs a write to the disk.
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether a database holds a tournament; False for an empty one, StoreError for a stranger's or a newer one."""
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
    """What SQLite complains of, as a sentence; `what` begins the part of it that says what is damaged."""
    try:
        yield
    except JouteError:
        raise
    except sqlite3.Error as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        sentences = {
            sqlite3.SQLITE_NOTADB: f"{path} is not a database",
            sqlite3.SQLITE_CORRUPT: f"{path} is damaged: {what}{error}",
            sqlite3.SQLITE_FULL: f"{path} cannot grow: the disk is full",
            sqlite3.SQLITE_BUSY: f"{path} is locked by another program",
            sqlite3.SQLITE_LOCKED: f"{path} is locked by another program",
        }
        raise StoreError(sentences.get(code, f"{path} cannot be used: {what}{error}")) from error
    except (ValueError, TypeError, LookupError) as error:  # what reading a changed row may raise
        raise StoreError(f"{path} is damaged: {what}{error}") from error


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the schema that a tournament's file has."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file of an earlier version up to date, wholly or not at all."""
    steps = "".join(MIGRATIONS[version] for version in range(version_of(connection), SCHEMA_VERSION))
    if not steps:
        return
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
    except BaseException:
        connection.rollback()
        raise
