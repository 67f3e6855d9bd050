"""Joute's engine for Divercité."""

from __future__ import annotations

from dataclasses import dataclass

from joute.agents.alphabeta import AlphaBetaParameters
from joute.agents.engine import engine_search
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.agents.solve_first import SolvingParameters, engine_agent
from joute.games.divercite.agents.solver import ENDGAME, solver_options
from joute.spec import vary


@dataclass(frozen=True)
class DiverciteEngineParameters(SolvingParameters):
    """Alpha-beta with a fitted evaluation, and the exact solver once it is likely to finish."""

    plan: str = plan_parameter("divercite")
    reductions: float = vary(
        AlphaBetaParameters,
        "reductions",
        default=1.0,
        help="late-move reductions: search late moves first this times log(depth) log(move number) plies less deep",
        source="docs/divercite.md: 0 scores 43.2%, 0.6 47.0% and 1.5 49.5% against it",
    )
    quiescence: int = vary(
        AlphaBetaParameters,
        "quiescence",
        default=1,
        help="most plies of noisy moves, those that complete a Divercité, beyond the horizon",
        source="docs/divercite.md: 54.0% (49.8 to 58.2%) against none; with 4, 52.5%",
    )


def divercite_engine(parameters: DiverciteEngineParameters, seed: int) -> SearchAgent:
    """Return the agent that plays with these parameters."""
    return engine_agent(
        parameters,
        solver=lambda lines: solver_options(memory_mb=parameters.memory_mb, lines=lines),
        search=lambda game, lines: engine_search(
            parameters,
            game,
            lines,
            symmetries=True,
            reductions=parameters.reductions,
            quiescence=parameters.quiescence,
        ),
        cost=ENDGAME.cost,
        unit="points",
    )


DIVERCITE = AgentType(
    "divercite",
    "Joute's engine for Divercité: alpha-beta, and exact endgames",
    DiverciteEngineParameters,
    divercite_engine,
    games=("divercite",),
    engine=True,
)
