"""Files that commands write: whole or not at all, and not over what was never theirs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, AnyStr

from joute.errors import JouteError

# The most of a file that is read to see whether its first line is known.
_LONGEST_LINE = 4096


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A text that takes its place, also that of another file, when everything is written; else nothing changes.

    JouteError if it cannot be written.
    """
    with _whole(path, lambda place: place.open("w", encoding="utf-8", errors="backslashreplace", newline="")) as text:
        yield text


def write_whole(path: Path, data: bytes) -> None:
    """Bytes as a file, in the same way."""
    with _whole(path, lambda place: place.open("wb")) as file:
        file.write(data)


@contextlib.contextmanager
def _whole(path: Path, opened: Callable[[Path], IO[AnyStr]]) -> Iterator[IO[AnyStr]]:
    if path.is_dir():
        raise JouteError(f"{path} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise JouteError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.exists() and not path.is_file():  # a device, or a pipe: it takes no other's place
        with _explained(path), opened(path) as file:
            yield file
        return
    goal = path.resolve()  # a link stays one
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
    """JouteError if a file is there that is neither empty nor begins as `what` does.

    That is with one of these marks, or with a line that `is_first_line` recognises.
    """
    if not path.exists() or path.is_dir():  # in place of a folder, nothing is written anyway
        return
    begin = b""
    if is_file := path.is_file():
        with _explained(path), path.open("rb") as file:
            begin = file.read(max(_LONGEST_LINE, *(len(mark.encode()) for mark in marks)))
    first_line = begin.partition(b"\n")[0].decode(errors="replace")
    is_ours = any(begin.startswith(mark.encode()) for mark in marks) or is_first_line(first_line)
    if not is_file or (begin and not is_ours):
        raise JouteError(f"{path} is there and no {what}; name another file, or replace it with --force")


def write_picture(path: Path, svg: str, *, force: bool) -> None:
    """Draw to a file, also over an earlier picture; JouteError if another file is there, unless by force."""
    if not force:
        check_may_be_replaced(path, ("<svg",), "SVG picture")
    with whole_file(path) as text:
        text.write(svg)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JouteError(f"{path} cannot be written: {error.strerror}") from error
