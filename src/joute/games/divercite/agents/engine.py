"""Joute's own player of Divercité."""

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
    """Alpha-beta by a fitted evaluation, and the exact solver as soon as it has a chance."""

    plan: str = plan_parameter("divercite")
    reductions: float = vary(
        AlphaBetaParameters,
        "reductions",
        default=1.0,
        help="search late moves less deeply at first, by this times log(depth) log(place in the order) plies",
        source="docs/divercite.md: 0 scores 43.2%, 0.6 47.0% and 1.5 49.5% against it",
    )
    quiescence: int = vary(
        AlphaBetaParameters,
        "quiescence",
        default=1,
        help="most plies beyond the horizon of moves that make a Divercité",
        source="docs/divercite.md: 54.0% (49.8 to 58.2%) against none; with 4, 52.5%",
    )


def divercite_engine(parameters: DiverciteEngineParameters, seed: int) -> SearchAgent:
    """The agent that plays with these parameters."""
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
    "the strongest player of Divercité: alpha-beta, and exact endgames",
    DiverciteEngineParameters,
    divercite_engine,
    games=("divercite",),
    strongest=True,
)
