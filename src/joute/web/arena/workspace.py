"""The workspace: one folder of databases. Requests name them by ids, never by paths."""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from joute.errors import JouteError

_SUFFIX = ".db"
ID = r"^[0-9a-f]{16}$"


@dataclass(frozen=True)
class Database:
    """A file of the workspace that may be a tournament's."""

    id: str
    path: Path
    #: Changes with the file and with SQLite's log beside it.
    signature: tuple[int, ...]
    changed: float
    size: int


class Workspace:
    """A folder of databases."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def make(self) -> None:
        """Create the folder; JouteError if that fails."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise JouteError(f"the workspace {self.folder} cannot be made: {error.strerror or error}") from error

    def databases(self) -> list[Database]:
        """The databases, the latest change first. Links and hidden files are none: they may lead elsewhere."""
        found = []
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                if path.suffix == _SUFFIX and not path.name.startswith(".") and not path.is_symlink():
                    with contextlib.suppress(OSError):
                        if path.is_file():
                            found.append(_database(path))
        return sorted(found, key=lambda each: (-each.changed, each.path.name))

    def find(self, database: str) -> Database | None:
        """The database of an id; None if there is none."""
        return next((each for each in self.databases() if each.id == database), None)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        sizes = 0
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                with contextlib.suppress(OSError):
                    sizes += path.lstat().st_size
        return sizes

    def new_path(self, game: str, taken: set[str]) -> Path:
        """A path that no file has, named after the game and the time."""
        stem = f"{re.sub(r'[^a-z0-9_]', '', game) or 'game'}-{datetime.now():%Y%m%d-%H%M%S}"
        names = (f"{stem}{f'-{number}' if number else ''}{_SUFFIX}" for number in range(10_000))
        return next(self.folder / name for name in names if name not in taken and not (self.folder / name).exists())


def id_of(name: str) -> str:
    """The id of a file by its name; the same after a restart.

    >>> id_of("games.db")
    'cc7e285715da9659'
    """
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _database(path: Path) -> Database:
    own = path.stat()
    signature = [own.st_ino, own.st_mtime_ns, own.st_size]
    changed, size = own.st_mtime, own.st_size
    with contextlib.suppress(OSError):
        log = path.with_name(f"{path.name}-wal").stat()
        signature += [log.st_mtime_ns, log.st_size]
        changed, size = max(changed, log.st_mtime), size + log.st_size
    return Database(id_of(path.name), path, tuple(signature), changed, size)


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of a tournament's driver, found without taking it."""
    try:
        inode = path.stat().st_ino
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return False
    return any(f":{inode} " in line and " FLOCK " in line for line in lines)
