"""``joute perft``: count lines of play, the standard check and benchmark of a move generator."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from joute.cli.common import GameArgument, JsonOption, PositionOption, echo, print_json


def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Argument(help="The depth in moves.", min=0, max=100)],
    *,
    position: PositionOption = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also print the count below each first move.")] = False,
    bulk: Annotated[bool, typer.Option("--bulk/--no-bulk", help="Count the last moves without playing them.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Count the lines of exactly DEPTH moves."""
    from joute.games import new

    state = new(game, position)
    began = time.perf_counter()
    by_move: dict[str, int] = {}
    if divide and depth > 0 and not state.is_chance:
        for move in state.legal_moves:
            by_move[str(move)] = state.play(move).perft(depth - 1, bulk=bulk)
        count = sum(by_move.values())
    else:
        count = state.perft(depth, bulk=bulk)
    seconds = time.perf_counter() - began
    if as_json:
        data = {
            "game": state.spec,
            "position": state.position,
            "depth": depth,
            "count": count,
            "seconds": seconds,
        }
        print_json(data | ({"divide": by_move} if divide else {}))
        return
    for text, below in by_move.items():
        echo(f"{text}: {below:,}")
    speed = f", {count / seconds / 1e6:.1f} million/s" if seconds > 1e-3 else ""
    echo(f"perft({depth}) = {count:,} in {seconds:.3f} s{speed}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(perft)
