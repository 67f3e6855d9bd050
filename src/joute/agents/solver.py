"""Exact solvers as agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute._core import Search
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchParameters, plan_parameter
from joute.games import State
from joute.spec import parameter, vary

# Node limit of a search that has no other limit.
_FALLBACK = 10_000_000


@dataclass(frozen=True)
class SolverParameters:
    """Parameters of an exact solver: its limits, and whether to prove the outcome only."""

    seconds: float = vary(SearchParameters, "seconds")
    nodes: int = vary(
        SearchParameters,
        "nodes",
        help=f"positions entered by a move; 0 for no limit, or {_FALLBACK:,} if the search has no other limit",
        source="a few seconds",
    )
    outcome_only: bool = parameter(
        False, help="stop once win, draw or loss is proven", source="no: play for the best margin"
    )
    plan: str = plan_parameter()
    memory_mb: int = vary(SearchParameters, "memory_mb", help="most memory of the table, in megabytes")


def solver_type(name: str, summary: str, game: str, options: Callable[..., Any], *, unit: str) -> AgentType:
    """Return the agent type of a game's solver; `options` is the core's class of options. It is deterministic."""

    def make_agent(parameters: SolverParameters, seed: int) -> SearchAgent:
        def make(game: type[State], lines: int) -> Search:
            settings = options(memory_mb=parameters.memory_mb, outcome_only=parameters.outcome_only, lines=lines)
            return game.search(settings)

        return SearchAgent(
            make,
            {"seconds": parameters.seconds, "nodes": parameters.nodes},
            fallback={"nodes": _FALLBACK},
            plan=parameters.plan,
            unit=unit,
            has_lines=True,
        )

    return AgentType(name, summary, SolverParameters, make_agent, games=(game,))
