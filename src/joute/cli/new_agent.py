"""``joute new-agent``: write the file of an agent to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joute.cli.common import GameArgument, command_line, echo


def new_agent(
    game: GameArgument,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The file to write; GAME_agent.py if not given.")
    ] = None,
) -> None:
    """Write a commented agent to start from: a heuristic of the game and a search of two plies."""
    from joute.agents.new_agent import new_agent as source_of
    from joute.errors import JouteError
    from joute.games import new

    kind = type(new(game))
    path = file or Path(f"{kind.game}_agent.py")
    if path.suffix != ".py":
        raise JouteError(f"an agent is a Python file, so its name must end with .py: {path}")
    source = source_of(kind)
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(source)
    except FileExistsError:
        raise JouteError(f"{path} exists and is not replaced; name another file: joute new-agent {game} FILE") from None
    except OSError as error:
        raise JouteError(f"{path} cannot be written: {error.strerror}") from error
    echo(f"{path} is written. Next:")
    echo(f"  {command_line('games', kind.game)}")
    echo(f"  {command_line('check', path, '--game', game)}")
    echo(f"  {command_line('match', game, path, 'greedy', '--games', 20)}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new-agent")(new_agent)
