"""Connect Four's opening book: where the shipped one is, and how a book is made.

A book holds the exact scores of every position of one ply. Making one takes hours of processor time,
so finished scores are appended to a work file, piece by piece; a killed run goes on where it stopped.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from joute._core import Connect4Book, Connect4BookWork, Connect4Solver
from joute.errors import JouteError


@functools.cache
def shipped_book() -> Connect4Book:
    """The book that comes with Joute."""
    return Connect4Book(resources.files("joute").joinpath("data/connect4.book").read_bytes())


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
    work = Connect4BookWork(plies)
    total = len(work)
    part = out.with_name(out.name + ".part")
    header = f"joute connect4 book in the making, ply {plies}, {total} positions\n".encode()
    scores = _finished_scores(part, header, total)
    solver = Connect4Solver(memory_mb=memory_mb, threads=threads, book=book)
    piece = threads
    with part.open("ab") as file:
        while len(scores) < total:
            if time.monotonic() > deadline:
                return False
            began = time.monotonic()
            solved = work.scores(solver, len(scores), min(len(scores) + piece, total))
            file.write(solved)
            file.flush()
            os.fsync(file.fileno())
            scores += solved
            took = time.monotonic() - began
            piece = max(threads, min(2 * piece, int(piece * piece_s / max(took, 1e-3))))
            if on_progress:
                on_progress(len(scores), total)
    _write_whole(out, work.pack(scores))
    part.unlink()
    return True


def _finished_scores(part: Path, header: bytes, total: int) -> bytes:
    """The scores that an earlier run finished; starts the work file if there is none."""
    if not part.exists():
        _write_whole(part, header)
        return b""
    data = part.read_bytes()
    if not data.startswith(header) or len(data) > len(header) + total:
        raise BookError(f"{part} belongs to other work; move it away or choose another file")
    return data[len(header) :]


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never seen half written."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(data)
    temporary.replace(path)
