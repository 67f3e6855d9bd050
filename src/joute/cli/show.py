"""``joute show``: draw a position."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joute.cli.common import GameArgument, JsonOption, PictureForceOption, echo, print_json


def show(
    game: GameArgument,
    position: Annotated[
        str | None,
        typer.Argument(metavar="[POSITION]", help="In the game's notation. (default: the start position)"),
    ] = None,
    *,
    svg: Annotated[Path | None, typer.Option(help="Write the picture to this file.", metavar="FILE")] = None,
    force: PictureForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show a position as text, or draw it."""
    from joute.files import write_picture
    from joute.games import new

    state = new(game, position)
    if svg:
        write_picture(svg, state.svg(), force=force)
    if as_json:
        result = state.result
        print_json(
            {
                "game": state.spec,
                "position": state.position,
                "ply": state.ply,
                "to_move": state.to_move,
                # Whether `legal_moves` lists all legal moves; if not, moves outside the list may be legal too.
                "complete": state.complete,
                "legal_moves": [str(move) for move in state.legal_moves],
                "result": result
                and {
                    "outcome": result.outcome,
                    "score": result.score,
                    "margin": result.margin,
                    "decided_by": result.decided_by,
                },
            }
        )
        return
    echo(str(state))
    if svg:
        echo(f"picture: {svg}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(show)
