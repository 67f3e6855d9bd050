"""Bounds on the tournaments of the page."""

from __future__ import annotations

from dataclasses import dataclass

from joute.spec import parameter


@dataclass(frozen=True)
class ArenaLimits:
    """Bounds on the use of the machine by tournaments of the page."""

    at_once: int = parameter(2, help="tournaments that run at once", source="cores are few", low=0)
    agents: int = parameter(32, help="most agents of a tournament", source="a table fits a screen", low=2)
    games: int = parameter(20_000, help="most games of a tournament", source="a sequential test", low=1)
    plies: int = parameter(10_000, help="longest game, in plies", source="the referee's own limit", low=1)
    iterations: int = parameter(
        100_000, help="most simulations to judge a random opening", source="a second each", low=1
    )
    files: int = parameter(500, help="most databases in the workspace", source="a list that people read", low=1)
    workspace_mb: int = parameter(4096, help="size of the workspace at which none begins", source="a choice", low=1)
    file_mb: int = parameter(1024, help="size at which a tournament stops", source="20,000 long games", low=1)
    replays: int = parameter(300, help="games that a report to download replays", source="a few megabytes", low=0)
    boards: int = parameter(16, help="boards shown at once", source="a screen", low=1)
