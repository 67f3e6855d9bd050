"""Connect Four's opening book: load the shipped one, or make one.

A book holds the exact scores of all positions at one ply. Making one takes hours of processor time, so finished scores
are appended to a work file in chunks; a killed run resumes where it stopped.
"""

from __future__ import annotations

import fcntl
import functools
import os
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import BinaryIO

from joute._core import Connect4Book, Connect4BookWork, Connect4Solver
from joute.errors import JouteError


@functools.cache
def shipped_book() -> Connect4Book:
    """Return the book that comes with Joute."""
    return Connect4Book(resources.files("joute.games.connect4").joinpath("data/connect4.book").read_bytes())


class BookError(JouteError):
    """A book cannot be made."""


def make_book(
    plies: int,
    out: Path,
    *,
    threads: int,
    memory_mb: int,
    book: Connect4Book | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    time_limit_s: float = float("inf"),
    piece_s: float = 5.0,
) -> bool:
    """Make the book of a ply, or resume making it; return False if the time limit stops it.

    A `book` of a later ply saves nearly all the work. The work file is `out` with ``.part`` added: a header line, then
    one signed byte for each finished position, in order. `on_progress(done, total)` is called after each chunk of about
    `piece_s` seconds; a killed run loses at most one chunk.
    """
    deadline = time.monotonic() + time_limit_s
    if out.exists():
        raise BookError(f"{out} already exists; remove it to make it again")
    if not out.parent.is_dir():
        raise BookError(f"there is no folder {out.parent} to write the book to")
    work = Connect4BookWork(plies)
    part = out.with_name(out.name + ".part")
    with part.open("a+b") as file:
        _lock(file, part)
        scores = _finished_scores(file, part, plies, len(work))
        solver = Connect4Solver(memory_mb=memory_mb, threads=threads, book=book)
        piece = threads
        while len(scores) < len(work):
            if time.monotonic() > deadline:
                return False
            began = time.monotonic()
            solved = work.scores(solver, len(scores), min(len(scores) + piece, len(work)))
            file.write(solved)
            _flush(file)
            scores += solved
            took = time.monotonic() - began
            piece = max(threads, min(2 * piece, int(piece * piece_s / max(took, 1e-3))))
            if on_progress:
                on_progress(len(scores), len(work))
        temporary = out.with_name(out.name + ".new")  # no other process writes it while the work file is locked
        with temporary.open("wb") as whole:
            whole.write(work.pack(scores))
            _flush(whole)
        temporary.replace(out)
        part.unlink()
    return True


def _lock(file: BinaryIO, part: Path) -> None:
    """Lock the work file against other processes; the lock ends with this process."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BookError(f"another process is working on {part}") from None


def _finished_scores(file: BinaryIO, part: Path, plies: int, total: int) -> bytes:
    """Return the scores of an earlier run; write the header if the work file is new."""
    header = f"joute connect4 book in the making, ply {plies}, {total} positions\n".encode()
    file.seek(0)
    data = file.read()
    if len(data) < len(header) and header.startswith(data):  # new, or killed while writing the header
        file.truncate(0)
        file.write(header)
        _flush(file)
        return b""
    if not data.startswith(header) or len(data) > len(header) + total:
        raise BookError(f"{part} belongs to another book; move it away or choose another file")
    return data[len(header) :]


def _flush(file: BinaryIO) -> None:
    """Write the file through to the disk."""
    file.flush()
    os.fsync(file.fileno())
