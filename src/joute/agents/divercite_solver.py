"""Divercité's endgames solved exactly, as an agent."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import DiverciteSolverOptions, Search
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.games import State
from joute.spec import parameter

# Nodes, where nothing else limits a search.
_FALLBACK = 10_000_000


@dataclass(frozen=True)
class DiverciteSolverParameters:
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


def divercite_solver_agent(parameters: DiverciteSolverParameters, seed: int) -> SearchAgent:
    """The agent that solves with these parameters; nothing in it is random."""

    def make(game: type[State], lines: int) -> Search:
        options = DiverciteSolverOptions(
            memory_mb=parameters.memory_mb, outcome_only=parameters.outcome_only, lines=lines
        )
        return game.search(options)

    return SearchAgent(
        make,
        {"seconds": parameters.seconds, "nodes": parameters.nodes},
        fallback={"nodes": _FALLBACK},
        plan=parameters.plan,
        unit="points",
        has_lines=True,
    )


DIVERCITE_SOLVER = AgentType(
    "divercite-solver",
    "solves late positions of Divercité exactly",
    DiverciteSolverParameters,
    divercite_solver_agent,
    games=("divercite",),
)
