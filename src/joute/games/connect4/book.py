"""Connect Four's opening book: where the shipped one is, and how a book is made.

A book holds the exact scores of every position of one ply. Making one takes hours of processor time,
so finished scores are appended to a work file, piece by piece; a killed run goes on where it stopped.
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
    """The book that comes with Joute."""
    return Connect4Book(resources.files("joute.games.connect4").joinpath("data/connect4.book").read_bytes())


class BookError(JouteError):
    """A book that cannot be made as asked."""


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
    """Make the book of a ply, or go on making it; False if the time limit came first.

    `book`, of a later ply, spares nearly all the work. The work file is `out` with ``.part`` added: a line
    that says what it is, then one signed byte for each finished position, in order. `on_progress(done, total)`
    is called after each piece of about `piece_s` seconds, which is what a kill may lose.
    """
    deadline = time.monotonic() + time_limit_s
    if out.exists():
        raise BookError(f"{out} is there already; remove it to make it again")
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
        temporary = out.with_name(out.name + ".new")  # ours alone while the work file is locked
        with temporary.open("wb") as whole:
            whole.write(work.pack(scores))
            _flush(whole)
        temporary.replace(out)
        part.unlink()
    return True


def _lock(file: BinaryIO, part: Path) -> None:
    """Keep other processes from the same work; the lock ends with this process."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BookError(f"another process is at work on {part}") from None


def _finished_scores(file: BinaryIO, part: Path, plies: int, total: int) -> bytes:
    """The scores that an earlier run finished; starts the work file if it is new."""
    header = f"joute connect4 book in the making, ply {plies}, {total} positions\n".encode()
    file.seek(0)
    data = file.read()
    if len(data) < len(header) and header.startswith(data):  # new, or killed at its first line
        file.truncate(0)
        file.write(header)
        _flush(file)
        return b""
    if not data.startswith(header) or len(data) > len(header) + total:
        raise BookError(f"{part} belongs to other work; move it away or choose another file")
    return data[len(header) :]


def _flush(file: BinaryIO) -> None:
    """See the file safe on disk."""
    file.flush()
    os.fsync(file.fileno())
