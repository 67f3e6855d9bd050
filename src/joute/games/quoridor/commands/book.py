"""``joute book quoridor``: make an opening book of the moves that an agent plays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joute.cli.common import GameArgument, SeedOption, command_line, echo, progress_bar
from joute.games.quoridor.state import Quoridor

if TYPE_CHECKING:
    from joute.games.quoridor.cache import QuoridorCache

# The default agent.
_AGENT = "quoridor-alphabeta:version=corrected,depth=2,table=yes"


def book(
    game: GameArgument,
    *,
    plies: Annotated[int, typer.Option(help="The ply at which the book ends.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.", metavar="FILE")] = None,
    minutes: Annotated[float, typer.Option(help="Stop after this time; the same command resumes.", min=0)] = float(
        "inf"
    ),
    agent: Annotated[
        str, typer.Option(help="The agent that plays itself; the book holds its moves.", metavar="AGENT")
    ] = _AGENT,
    games: Annotated[int, typer.Option(help="The number of games that it plays.", min=1)] = 20,
    seed: SeedOption = 0,
) -> None:
    """Record an agent's moves in games against itself, for the agents' parameter `cache`.

    Finished work is kept, and new games are added to it: after an interruption, the same command resumes it. A book
    serves both colours; another `--seed` gives other games.
    """
    from joute.agents import agent as make_agent
    from joute.errors import SpecError
    from joute.games import new
    from joute.games.quoridor.cache import fill

    out = out or Path(f"{Quoridor.game}-{plies}.book")
    if plies < 1:
        raise SpecError(f"a book that ends at ply {plies} is empty; set --plies to 1 or more")
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
        echo(f"The {len(cache):,} positions found so far are kept. To go on: {resume}", err=True)
        raise
    cache.save(out)
    echo(f"{out}: {len(cache):,} positions, {out.stat().st_size:,} bytes")
    if not done:
        echo(f"Time is up. To go on: {resume}")


def _begun(out: Path, agent: str, game: str) -> QuoridorCache:
    """Return the book of an earlier run of the same agent, or a new one."""
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
