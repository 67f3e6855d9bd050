"""Options of commands that play a plan, tournaments and sweeps; None if the user did not give one."""

from __future__ import annotations

from typing import Annotated

import typer

PlanSeedOption = Annotated[
    int | None,
    typer.Option(help="The seed of all random numbers. (default: 0)", min=0, max=2**64 - 1, show_default=False),
]
PlanClockOption = Annotated[
    str | None,
    typer.Option(
        help="The limit of each side: seconds per game (60), plus an increment per move (60+0.5), seconds per move "
        "(2/move), iterations=1000, nodes=10000, depth=6. (default: none)"
    ),
]
PlanOpeningsOption = Annotated[
    str | None,
    typer.Option(
        help="start, balanced, random, random:plies=6, or a file of positions. (default: balanced; random in games "
        "without such a set)"
    ),
]
PlanConcurrencyOption = Annotated[
    int | None, typer.Option(help="Games played in parallel. (default: as many as the cores allow)", min=1)
]
