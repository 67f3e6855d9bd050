"""``joute book connect4``: make an opening book of exact scores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from joute.cli.common import GameArgument, command_line, echo, progress_bar
from joute.games.connect4.state import Connect4


def book(
    game: GameArgument,
    *,
    plies: Annotated[int, typer.Option(help="The ply of the positions in the book.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.", metavar="FILE")] = None,
    threads: Annotated[
        int, typer.Option(help="Threads; all cores by default.", min=1, max=1024, show_default=False)
    ] = os.cpu_count() or 1,
    minutes: Annotated[float, typer.Option(help="Stop after this time; the same command resumes.", min=0)] = float(
        "inf"
    ),
    use_shipped: Annotated[
        bool, typer.Option("--use-shipped/--from-scratch", help="Use the scores of the shipped book, or solve all.")
    ] = True,
    memory_mb: Annotated[
        int, typer.Option(help="Memory of the transposition table, in megabytes.", min=1, max=2**20)
    ] = 1024,
) -> None:
    """Solve every position of a ply and write the scores as a book.

    Finished work is kept in FILE.part: after an interruption, the same command resumes it.
    """
    from joute.games.connect4.book import make_book, shipped_book

    out = out or Path(f"{Connect4.game}-{plies}.book")
    scratch = () if use_shipped else ("--from-scratch",)
    resume = command_line(
        "book", game, "--plies", plies, "--out", out, "--threads", threads, "--memory-mb", memory_mb, *scratch
    )
    try:
        with progress_bar("solving", None) as advance:
            done = make_book(
                plies,
                out,
                threads=threads,
                memory_mb=memory_mb,
                book=shipped_book() if use_shipped else None,
                on_progress=lambda done, total: advance(done, "solving", total),
                time_limit_s=60 * minutes,
            )
    except KeyboardInterrupt:
        echo(f"Finished positions are kept. To go on: {resume}", err=True)
        raise
    if not done:
        echo(f"Time is up; finished positions are kept. To go on: {resume}")
        return
    echo(f"{out}: {out.stat().st_size:,} bytes")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(book)
