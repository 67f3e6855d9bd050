"""A tournament's file as SQLite sees it: opened for one driver, recognised, brought up to date; complaints in words."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from joute.arena.store.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from joute.errors import JouteError

# How long to wait for a reader that holds the file: it does so for an instant, if at all.
_BUSY_S = 10.0


class StoreError(JouteError):
    """A file that is not the store of a tournament, or cannot be used as one."""


class DamagedError(StoreError):
    """A tournament's file that does not hold what it once did."""


def check_is_file(path: Path) -> None:
    """StoreError if there is no such file."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a file")
    if not path.is_file():
        raise StoreError(f"there is no file {path}")


def beside(path: Path) -> tuple[Path, Path]:
    """What SQLite keeps beside a database that is open: its log and its index."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def locked(path: Path, *, create: bool) -> int:
    """A descriptor that holds the file for one driver, for as long as the process lives."""
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
        raise StoreError(f"{path} is in use: its tournament is running in another process") from error
    return lock


def connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to a file that is there."""
    address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    log, _ = beside(path.resolve())  # SQLite follows links
    if read_only and not log.exists() and not os.access(log.parent, os.W_OK, effective_ids=True):
        # To read a database in WAL mode, SQLite makes an index beside it, and fails where it may not write. A driver
        # has a log for as long as it runs, so all games are in the file itself: sqlite.org/wal.html#readonly.
        address += "&immutable=1"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
    if not read_only:
        # Also a power failure loses no finished game. A commit then costs a write to the disk.
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def set_log(connection: sqlite3.Connection, *, on: bool) -> None:
    """Write to a log beside the file, so that others can read meanwhile; or not, so that one file is all there is.

    A reader may prevent the latter. Then the log stays, which does no harm.
    """
    with contextlib.suppress(sqlite3.OperationalError) if not on else contextlib.nullcontext():
        connection.execute(f"PRAGMA journal_mode = {'WAL' if on else 'DELETE'}")


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
        log, _ = beside(path.resolve())
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) and log.exists():
            raise StoreError(
                f"{path} cannot be read in a folder where you may not write, for its last games are still in "
                f"{log.name}; copy both to another folder"
            ) from error
        if code == sqlite3.SQLITE_CORRUPT:
            raise DamagedError(f"{path} is damaged: {what}{error}") from error
        sentences = {
            sqlite3.SQLITE_NOTADB: f"{path} is not a database",
            sqlite3.SQLITE_FULL: f"{path} cannot grow: the disk is full",
            sqlite3.SQLITE_BUSY: f"{path} is locked by another program",
            sqlite3.SQLITE_LOCKED: f"{path} is locked by another program",
        }
        raise StoreError(sentences.get(code, f"{path} cannot be used: {what}{error}")) from error
    except (ValueError, TypeError, LookupError) as error:  # what reading a changed row may raise
        raise DamagedError(f"{path} is damaged: {what}{error}") from error


def others_of(path: Path) -> str:
    """How to get at the games of a file that are not damaged."""
    words = ("joute", "import", str(path), "--db", str(path.with_name(f"{path.stem}-saved.db")), "--skip-damaged")
    return f"to save the games that can be read: {shlex.join(words)}"


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
