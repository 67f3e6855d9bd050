"""The state of the page's tournaments that their databases do not have: whether they shall run, and why they failed.

One JSON file in the workspace, replaced whole after every change. A tournament that was running when the server ended
is found here and resumed. A lock on a file beside it keeps a second server from playing the same tournaments.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from joute.files import whole_file

_FILE, _LOCK = ".page.json", ".page.lock"
_MOST_BYTES = 16 << 20

#: The states of tournaments. Those in the first are resumed when the server starts.
RUNNING, PAUSED, STOPPED, FAILED, FINISHED = "running", "paused", "stopped", "failed", "finished"
_STATES = (RUNNING, PAUSED, STOPPED, FAILED, FINISHED)


@dataclass
class Entry:
    """A tournament that the page began."""

    state: str
    title: str = ""
    #: Why it failed.
    error: str = ""
    #: What was asked for, so that it can be created after a crash before its file was.
    order: dict[str, Any] = field(default_factory=dict)
    #: A hash of who began it.
    starter: str = ""
    created: float = 0.0
    #: How often a restart of the server resumed it.
    restarts: int = 0


class Ledger:
    """The entries, by the names of the files."""

    def __init__(self, folder: Path) -> None:
        self._path, self._lock_path = folder / _FILE, folder / _LOCK
        self._lock: int | None = None
        self.entries: dict[str, Entry] = {}

    @property
    def is_ours(self) -> bool:
        """Whether this server may play the tournaments of the folder; False if another one does."""
        return self._lock is not None

    def open(self) -> None:
        """Lock and read the file. One that is damaged counts as empty: the games are in the databases."""
        with contextlib.suppress(OSError):
            lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._lock = lock
            except OSError:
                os.close(lock)
        self.entries = self._read()

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def save(self) -> None:
        """Write the file."""
        if self.is_ours:
            with whole_file(self._path) as file:
                json.dump({name: asdict(entry) for name, entry in self.entries.items()}, file)

    def _read(self) -> dict[str, Entry]:
        try:
            if self._path.stat().st_size > _MOST_BYTES:
                return {}
            data = json.loads(self._path.read_text("utf-8"))
            return {name: _entry(values) for name, values in data.items() if "/" not in name and name.endswith(".db")}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return {}


def _entry(values: Any) -> Entry:
    """An entry from JSON; an exception if it is none."""
    if values["state"] not in _STATES:
        raise ValueError(f"there is no state {values['state']}")
    return Entry(
        state=values["state"],
        title=str(values["title"]),
        error=str(values["error"]),
        order=dict(values["order"]),
        starter=str(values["starter"]),
        created=float(values["created"]),
        restarts=int(values["restarts"]),
    )
