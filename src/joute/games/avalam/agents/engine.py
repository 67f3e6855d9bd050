"""Joute's own players of Avalam: the engine, and the tree search that it was chosen over."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from joute._core import AlphaBetaOptions, AvalamSolverOptions
from joute.agents.mcts import MCTS_CHOICES, MctsParameters, check_mcts, mcts_agent
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.agents.solve_first import SolvingParameters, engine_agent
from joute.games.avalam.agents.solver import ENDGAME
from joute.spec import parameter

# Simulations, where nothing else limits the tree search.
_FALLBACK_ITERATIONS = 5_000


@dataclass(frozen=True)
class AvalamEngineParameters(SolvingParameters):
    """Alpha-beta by a fitted evaluation, and the exact solver as soon as it has a chance."""

    plan: str = plan_parameter("avalam")
    reductions: float = parameter(
        1.0,
        help="search late moves less deeply at first, by this times log(depth) log(place in the order) plies",
        source="docs/avalam.md: 52.7% ± 3.1 against 0.6, and 1.5 gains nothing more",
        low=0,
        high=10,
    )


def avalam_engine(parameters: AvalamEngineParameters, seed: int) -> SearchAgent:
    """The agent that plays with these parameters."""
    return engine_agent(
        parameters,
        # In towers, as the evaluation is.
        solver=lambda lines: AvalamSolverOptions(memory_mb=parameters.memory_mb, lines=lines, tower=1),
        search=lambda lines: AlphaBetaOptions(
            table_depth=1,
            accept_deeper=True,
            order_by_evaluation=True,
            reductions=parameters.reductions,
            threads=parameters.threads,
            memory_mb=parameters.memory_mb,
            lines=lines,
        ),
        evaluation="towers",
        cost=ENDGAME.cost,
        unit="towers",
    )


_UCT_SOURCE = "the other candidate for the engine: docs/avalam.md"


@dataclass(frozen=True)
class AvalamUctParameters(MctsParameters):
    """Tree search without playouts: the evaluation gives priors, and values instead of playouts."""

    eval: str = parameter("towers", help="evaluation of priors and values", source="fitted to self-play")
    bonus: str = parameter(
        "puct", help="what little-tried moves gain", source=_UCT_SOURCE, choices=MCTS_CHOICES["bonus"]
    )
    c: float = parameter(1.0, help="weight of the bonus", source=_UCT_SOURCE, low=0, high=1e6)
    priors: str = parameter(
        "eval", help="where PUCT's priors come from", source=_UCT_SOURCE, choices=MCTS_CHOICES["priors"]
    )
    prior_temperature: float = parameter(
        0.2, help="differences of evaluation are divided by this", source=_UCT_SOURCE, low=1e-9, high=1e9
    )
    untried_first: bool = parameter(False, help="try every move once before comparing", source=_UCT_SOURCE)
    fpu: float = parameter(0.4, help="value of a move without a visit", source=_UCT_SOURCE, low=-1e6, high=1e6)
    mix: float = parameter(
        1.0, help="weight of the evaluation beside the playout; 1 plays nothing out", source=_UCT_SOURCE, low=0, high=1
    )
    eval_scale: float = parameter(
        1.0, help="the evaluation that means odds of e to 1 (mix)", source=_UCT_SOURCE, low=1e-9, high=1e12
    )
    implicit: float = parameter(
        0.3, help="weight of the evaluation backed up by minimax", source=_UCT_SOURCE, low=0, high=1
    )
    solver: str = parameter(
        "choose", help="what proven results are used for", source=_UCT_SOURCE, choices=MCTS_CHOICES["solver"]
    )
    plan: str = plan_parameter("avalam")


AVALAM = AgentType(
    "avalam",
    "the strongest player of Avalam: alpha-beta, and exact endgames",
    AvalamEngineParameters,
    avalam_engine,
    games=("avalam",),
    strongest=True,
)
AVALAM_UCT = AgentType(
    "avalam-uct",
    "MCTS by the engine's evaluation",
    AvalamUctParameters,
    partial(mcts_agent, fallback=_FALLBACK_ITERATIONS),
    games=("avalam",),
    check=check_mcts,
)
