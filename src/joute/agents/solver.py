"""Exact solvers as agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute._core import Search
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.games import State
from joute.spec import parameter

# Nodes, where nothing else limits a search.
_FALLBACK = 10_000_000


@dataclass(frozen=True)
class SolverParameters:
    """How long to try, and how much to prove."""

    seconds: float = parameter(0.0, help="seconds for a move; 0 for no limit", source="a clock limits it too", low=0)
    nodes: int = parameter(
        0,
        help=f"positions entered by a move; 0 for no limit, or {_FALLBACK:,} where nothing else limits the search",
        source="a few seconds",
        low=0,
        high=2**62,
    )
    outcome_only: bool = parameter(
        False, help="stop once win, draw or loss is proven", source="a larger margin wins no more"
    )
    plan: str = plan_parameter()
    memory_mb: int = parameter(
        256, help="most memory of the table, in megabytes", source="fits any machine", low=1, high=2**20
    )


def solver_type(name: str, summary: str, game: str, options: Callable[..., Any], *, unit: str) -> AgentType:
    """The agent of a game's solver, whose `options` are those of the core; nothing in it is random."""

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
