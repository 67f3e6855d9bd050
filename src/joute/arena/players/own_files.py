"""The files that belong to an agent: those in its folder, without other agents' files and what people and tools keep.

The sandbox shows these files to the agent, and a frozen tournament copies them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

#: The application id in the header of a tournament's SQLite file: "JOUT".
APPLICATION_ID = 0x4A4F5554

#: The end of the name of a folder with a frozen tournament's copies of agents.
COPIES = ".entries"

_COMPILED = "__pycache__"


def is_crowd(folder: Path) -> bool:
    """Whether a folder is shared by unrelated files, such as /tmp or a home folder."""
    named = {Path(path) for path in ("/", "/home", "/root", "/tmp", "/var/tmp", os.path.expanduser("~"))}
    return folder in named or folder.parent == Path("/home")


def belongs(path: Path, private: Collection[Path]) -> bool:
    """Whether a path in an agent's folder is the agent's: not in `private`, not hidden, compiled or a copy."""
    is_hidden = path.name.startswith(".") or path.name == _COMPILED or path.name.endswith(COPIES)
    return not is_hidden and path not in private


def is_tournament(path: Path) -> bool:
    """Whether a file is a tournament's database, or SQLite's log or index of one."""
    if path.name.endswith(("-wal", "-shm")):
        return is_tournament(path.with_name(path.name[:-4]))
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError:
        return False
    # Bytes 68 to 71 of SQLite's header are the application id: sqlite.org/fileformat.html.
    return head.startswith(b"SQLite format 3\0") and int.from_bytes(head[68:72], "big") == APPLICATION_ID


def shown_parts(path: Path, private: Collection[Path]) -> Iterator[Path]:
    """The largest parts of a path to show to an agent: the path itself if all of it is the agent's, else its entries.

    A folder is divided if an entry is not the agent's or if `private` has a path in it. Links, and only they, are shown
    although they may lead elsewhere: what they lead to is not shown. Sockets and devices are not shown.
    """
    if not path.is_dir() or path.is_symlink():
        yield path
        return
    entries = sorted(path.iterdir())
    own = [entry for entry in entries if _is_shown(entry, private)]
    if own == entries and not any(other.is_relative_to(path) for other in private):
        yield path
        return
    for entry in own:
        is_divided = any(other.is_relative_to(entry) for other in private)
        yield from shown_parts(entry, private) if is_divided else (entry,)


def _is_shown(path: Path, private: Collection[Path]) -> bool:
    mode = path.lstat().st_mode
    is_kept = stat.S_ISDIR(mode) or stat.S_ISLNK(mode) or (stat.S_ISREG(mode) and not is_tournament(path))
    return is_kept and belongs(path, private)
