"""Find files that users name, write output files atomically, and refuse to overwrite files of another kind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, AnyStr

from joute._core import one_line
from joute.errors import JouteError

# Bytes read from an existing file to check its first line.
_LONGEST_LINE = 4096


def user_path(text: str) -> Path:
    """Return the path that a user names; ~ and ~NAME are home folders. JouteError if no file can have this name."""
    if "\0" in text:
        raise JouteError(f"'{one_line(text)}' names no file: it holds the character NUL")
    return Path(os.path.expanduser(text))


def data_folder() -> Path:
    """Return the folder for what Joute keeps about a user; it may not exist.

    It is ``joute`` in ``$XDG_DATA_HOME``, or in ``~/.local/share``.
    """
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path(os.path.expanduser("~")) / ".local" / "share"
    return base / "joute"


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """Open a text file that replaces `path` atomically on exit; after an exception, `path` is unchanged.

    JouteError if it cannot be written.
    """
    with _whole(path, lambda place: place.open("w", encoding="utf-8", errors="backslashreplace", newline="")) as text:
        yield text


def write_whole(path: Path, data: bytes) -> None:
    """Write bytes to a file that replaces `path` atomically."""
    with _whole(path, lambda place: place.open("wb")) as file:
        file.write(data)


@contextlib.contextmanager
def _whole(path: Path, opened: Callable[[Path], IO[AnyStr]]) -> Iterator[IO[AnyStr]]:
    if path.is_dir():
        raise JouteError(f"{path} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise JouteError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.exists() and not path.is_file():  # a device or a pipe must be written directly
        with _explained(path), opened(path) as file:
            yield file
        return
    goal = path.resolve()  # replace the target of a link, not the link
    part = goal.with_name(f".{goal.name}.{os.getpid()}.part")
    try:
        with _explained(path):
            file = opened(part)
        with _explained(path), file:
            yield file
        with _explained(path):
            if goal.exists():
                part.chmod(goal.stat().st_mode & 0o777)
            part.replace(goal)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def check_may_be_replaced(
    path: Path, marks: Sequence[str], what: str, *, is_first_line: Callable[[str], bool] = lambda line: False
) -> None:
    """Raise JouteError if `path` exists and is neither empty nor a file of the kind `what`.

    A file is of that kind if it begins with one of `marks`, or if `is_first_line` accepts its first line.
    """
    if not path.exists() or path.is_dir():  # writing to a folder fails later with its own message
        return
    begin = b""
    if is_file := path.is_file():
        with _explained(path), path.open("rb") as file:
            begin = file.read(max(_LONGEST_LINE, *(len(mark.encode()) for mark in marks)))
    first_line = begin.partition(b"\n")[0].decode(errors="replace")
    is_ours = any(begin.startswith(mark.encode()) for mark in marks) or is_first_line(first_line)
    if not is_file or (begin and not is_ours):
        raise JouteError(f"{path} exists and is not {what}; choose another file, or replace it with --force")


def write_picture(path: Path, svg: str, *, force: bool) -> None:
    """Write an SVG picture; JouteError if `path` exists and is not an SVG picture, unless `force`."""
    if not force:
        check_may_be_replaced(path, ("<svg",), "an SVG picture")
    with whole_file(path) as text:
        text.write(svg)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JouteError(f"{path} cannot be written: {error.strerror}") from error
