"""What the engines, Joute's own players of each game, have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from joute._core import MoveReport, Search
from joute.agents.search import SearchAgent
from joute.games import State
from joute.spec import parameter

#: Nodes, where nothing else limits a move.
FALLBACK_NODES = 1_000_000


@dataclass(frozen=True)
class EngineParameters:
    """What the engines have in common. An engine adds its plan, and what its search was tuned to."""

    seconds: float = parameter(0.0, help="seconds for a move; 0 for no limit", source="a clock limits it too", low=0)
    nodes: int = parameter(
        0,
        help=f"positions entered by a move; 0 for no limit, or {FALLBACK_NODES:,} where nothing else limits it",
        source="repeats exactly",
        low=0,
        high=2**62,
    )
    depth: int = parameter(
        0, help="most plies of alpha-beta; 0 for no limit", source="deepening stops by itself", low=0, high=200
    )
    plan: str = "steady"
    threads: int = parameter(1, help="threads of alpha-beta", source="the courses allow one", low=1, high=256)
    memory_mb: int = parameter(
        256,
        help="most memory of the search's table, in megabytes",
        source="fits any machine",
        low=1,
        high=2**20,
    )


def win_share_engine(
    parameters: EngineParameters, make: Callable[[type[State], int], Search], win_share: Callable[[MoveReport], float]
) -> SearchAgent:
    """An engine that is one search, within the limits of its parameters; it tells values as shares of wins."""
    return SearchAgent(
        make,
        {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")},
        fallback={"nodes": FALLBACK_NODES},
        plan=parameters.plan,
        unit="win share",
        has_lines=True,
        shown_as=win_share,
    )
