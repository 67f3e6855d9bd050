"""Common parts of the engines: Joute's own player of each game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from joute._core import AlphaBetaOptions, MoveResult, Search
from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_settings
from joute.agents.clock import Clock
from joute.agents.search import SearchAgent, SearchParameters, plan_parameter
from joute.games import State
from joute.spec import vary

#: Node limit of a move that has no other limit.
FALLBACK_NODES = 1_000_000


@dataclass(frozen=True)
class EngineParameters:
    """Parameters of every engine. Each engine adds its time plan and its tuned search parameters."""

    seconds: float = vary(SearchParameters, "seconds")
    nodes: int = vary(
        SearchParameters,
        "nodes",
        help=f"positions entered by a move; 0 for no limit, or {FALLBACK_NODES:,} if the move has no other limit",
    )
    depth: int = vary(AlphaBetaParameters, "depth", help="most plies of alpha-beta; 0 for no limit")
    plan: str = plan_parameter()
    threads: int = vary(AlphaBetaParameters, "threads", help="threads of alpha-beta", source="the courses allow one")
    memory_mb: int = vary(SearchParameters, "memory_mb", help="most memory of the search's table, in megabytes")


def engine_settings(
    parameters: EngineParameters, game: type[State], lines: int, *, symmetries: bool = False, **settings: Any
) -> dict[str, Any]:
    """Return the core's options of an engine's alpha-beta by name; `settings` are alpha-beta parameters."""
    searched = AlphaBetaParameters(
        table_depth=1, accept_deeper=True, threads=parameters.threads, memory_mb=parameters.memory_mb, **settings
    )
    return alphabeta_settings(searched, game, lines=lines, symmetries=symmetries)


def engine_search(
    parameters: EngineParameters, game: type[State], lines: int, *, symmetries: bool = False, **settings: Any
) -> Search:
    """Return an alpha-beta search with the game's `engine` evaluation; `settings` are alpha-beta parameters."""
    options = AlphaBetaOptions(**engine_settings(parameters, game, lines, symmetries=symmetries, **settings))
    return game.search(options, game.evaluation_for("engine"))


def win_share_engine(
    parameters: EngineParameters,
    make: Callable[[type[State], int], Search],
    win_share: Callable[[MoveResult], float],
    on_clock: Callable[[Clock, float], Mapping[str, Any]] | None = None,
) -> SearchAgent:
    """Return an engine that runs a single search within its parameters' limits and shows values as win shares."""
    return SearchAgent(
        make,
        {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")},
        fallback={"nodes": FALLBACK_NODES},
        plan=parameters.plan,
        unit="win share",
        has_lines=True,
        shown_as=win_share,
        on_clock=on_clock,
    )
