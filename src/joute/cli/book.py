"""``joute book``: make an opening book of exact scores, or of the moves that an agent plays."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, SeedOption, command_line, progress_bar

if TYPE_CHECKING:
    from joute.games.quoridor.cache import QuoridorCache

# What plays itself where no agent is named.
_QUORIDOR_AGENT = "quoridor-alphabeta:version=corrected,depth=2,table=yes"


def book(
    game: GameArgument,
    *,
    plies: Annotated[int, typer.Option(help="The ply whose positions the book holds; quoridor: until which ply.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.", metavar="FILE")] = None,
    threads: Annotated[
        int, typer.Option(help="Threads; all cores by default (connect4).", min=1, max=1024, show_default=False)
    ] = os.cpu_count() or 1,
    minutes: Annotated[float, typer.Option(help="Stop after so long; the same command goes on.", min=0)] = float("inf"),
    use_shipped: Annotated[
        bool, typer.Option("--use-shipped/--from-scratch", help="Let the shipped book answer what it can (connect4).")
    ] = True,
    memory_mb: Annotated[int, typer.Option(help="Memory for the table of positions (connect4).", min=1, max=2**20)] = (
        1024
    ),
    agent: Annotated[
        str, typer.Option(help="Who plays itself, and whose moves the book holds (quoridor).", metavar="AGENT")
    ] = _QUORIDOR_AGENT,
    games: Annotated[int, typer.Option(help="How many games it plays (quoridor).", min=1)] = 20,
    seed: SeedOption = 0,
) -> None:
    """Solve every position of a ply and write the scores as a book; for quoridor, write down what an agent plays.

    Finished work is kept, that of connect4 in FILE.part: the same command goes on after an interruption. The file of
    quoridor is for the agent's parameter `cache`; games are added to it, and it serves both colours; another
    `--seed` makes other games.
    """
    from joute.errors import SpecError
    from joute.games import new

    name = new(game).game
    if name == "connect4":
        _book_of_scores(game, plies, out or Path(f"connect4-{plies}.book"), threads, minutes, use_shipped, memory_mb)
    elif name == "quoridor":
        _book_of_moves(game, plies, out or Path(f"quoridor-{plies}.book"), minutes, agent, games, seed)
    else:
        raise SpecError(
            f"only connect4 has a book of exact scores, and only quoridor one of an agent's moves; {game} has none"
        )


def _book_of_scores(
    game: str, plies: int, out: Path, threads: int, minutes: float, use_shipped: bool, memory_mb: int
) -> None:
    from joute.games.connect4.book import make_book, shipped_book

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
        typer.echo(f"Finished positions are kept. To go on: {resume}", err=True)
        raise
    if not done:
        typer.echo(f"Time is up; finished positions are kept. To go on: {resume}")
        return
    typer.echo(f"{out}: {out.stat().st_size:,} bytes")


def _book_of_moves(game: str, plies: int, out: Path, minutes: float, agent: str, games: int, seed: int) -> None:
    from joute.agents import agent as make_agent
    from joute.errors import SpecError
    from joute.games import new
    from joute.games.quoridor.cache import fill
    from joute.games.quoridor.state import Quoridor

    if plies < 1:
        raise SpecError(f"a book until ply {plies} holds nothing; say --plies 1 or more")
    start = new(game)
    assert isinstance(start, Quoridor)
    player = make_agent(agent, game=game, seed=seed)
    cache = _begun(out, agent, game)
    resume = command_line(
        "book", game, "--plies", plies, "--out", out, "--agent", agent, "--games", games, "--seed", seed
    )
    try:
        with progress_bar("playing", games) as advance:
            done = fill(
                cache,
                player,
                start,
                games=games,
                plies=plies,
                seed=seed,
                on_progress=lambda done, total: advance(done, "playing", total),
                time_limit_s=60 * minutes,
            )
    except KeyboardInterrupt:
        cache.save(out)
        typer.echo(f"The {len(cache):,} positions met are kept. To go on: {resume}", err=True)
        raise
    cache.save(out)
    typer.echo(f"{out}: {len(cache):,} positions, {out.stat().st_size:,} bytes")
    if not done:
        typer.echo(f"Time is up. To go on: {resume}")


def _begun(out: Path, agent: str, game: str) -> QuoridorCache:
    """What an earlier run of the same agent left, or a new one."""
    from joute.errors import JouteError
    from joute.games.quoridor.cache import QuoridorCache

    if not out.exists():
        if not out.parent.is_dir():
            raise JouteError(f"there is no folder {out.parent} to write the book to")
        return QuoridorCache(agent=agent, game=game)
    cache = QuoridorCache.load(out)
    if (cache.agent, cache.game) != (agent, game):
        raise JouteError(f"{out} holds the moves of {cache.agent} in {cache.game}; name another file")
    return cache


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(book)
