"""``joute book quoridor``: make an opening book of the moves that an agent plays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, SeedOption, command_line, progress_bar
from joute.games.quoridor.state import Quoridor

if TYPE_CHECKING:
    from joute.games.quoridor.cache import QuoridorCache

# What plays itself where no agent is named.
_AGENT = "quoridor-alphabeta:version=corrected,depth=2,table=yes"


def book(
    game: GameArgument,
    *,
    plies: Annotated[int, typer.Option(help="Until which ply the book holds positions.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.", metavar="FILE")] = None,
    minutes: Annotated[float, typer.Option(help="Stop after so long; the same command goes on.", min=0)] = float("inf"),
    agent: Annotated[
        str, typer.Option(help="Who plays itself, and whose moves the book holds.", metavar="AGENT")
    ] = _AGENT,
    games: Annotated[int, typer.Option(help="How many games it plays.", min=1)] = 20,
    seed: SeedOption = 0,
) -> None:
    """Write down what an agent plays against itself, for the agents' parameter `cache`.

    Finished work is kept, and games are added to it: the same command goes on after an interruption. A book serves both
    colours; another `--seed` makes other games.
    """
    from joute.agents import agent as make_agent
    from joute.errors import SpecError
    from joute.games import new
    from joute.games.quoridor.cache import fill

    out = out or Path(f"{Quoridor.game}-{plies}.book")
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
