"""Joute's own players of Avalam: the engine, and the tree search that lost against it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from joute.agents.alphabeta import AlphaBetaParameters
from joute.agents.engine import engine_search
from joute.agents.mcts import MctsParameters, check_mcts, mcts_agent
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.agents.solve_first import SolvingParameters, engine_agent
from joute.games.avalam.agents.solver import ENDGAME, solver_options
from joute.spec import vary

# Simulations of a tree search that has no other limit.
_FALLBACK_ITERATIONS = 5_000


@dataclass(frozen=True)
class AvalamEngineParameters(SolvingParameters):
    """Alpha-beta with a fitted evaluation, and the exact solver once it is likely to finish."""

    plan: str = plan_parameter("avalam")
    reductions: float = vary(
        AlphaBetaParameters,
        "reductions",
        default=1.0,
        help="late-move reductions: search late moves first this times log(depth) log(move number) plies less deep",
        source="docs/avalam.md: 52.7% ± 3.1 against 0.6; 1.5 is not better",
    )


def avalam_engine(parameters: AvalamEngineParameters, seed: int) -> SearchAgent:
    """Return the agent that plays with these parameters."""
    return engine_agent(
        parameters,
        # tower=1: scores in towers, as in the evaluation.
        solver=lambda lines: solver_options(memory_mb=parameters.memory_mb, lines=lines, tower=1),
        search=lambda game, lines: engine_search(
            parameters, game, lines, order_by_evaluation=True, reductions=parameters.reductions
        ),
        cost=ENDGAME.cost,
        unit="towers",
    )


_UCT_SOURCE = "the other candidate for the engine: docs/avalam.md"
_UCT_TUNED = "tuned by play: docs/tuning.md"


@dataclass(frozen=True)
class AvalamUctParameters(MctsParameters):
    """Tree search without playouts: the evaluation gives the priors and the values of leaves."""

    eval: str = vary(
        MctsParameters, "eval", default="towers", help="evaluation of priors and values", source="fitted to self-play"
    )
    bonus: str = vary(MctsParameters, "bonus", default="puct", source=_UCT_SOURCE)
    c: float = vary(MctsParameters, "c", default=0.351, help="weight of the exploration bonus", source=_UCT_TUNED)
    priors: str = vary(MctsParameters, "priors", default="eval", source=_UCT_SOURCE)
    prior_temperature: float = vary(
        MctsParameters,
        "prior_temperature",
        default=0.223,
        help="temperature of the softmax of evaluations",
        source=_UCT_TUNED,
    )
    untried_first: bool = vary(
        MctsParameters, "untried_first", default=False, help="try every move once before comparing", source=_UCT_SOURCE
    )
    fpu: float = vary(MctsParameters, "fpu", default=0.294, help="value of a move without visits", source=_UCT_TUNED)
    mix: float = vary(
        MctsParameters,
        "mix",
        default=1.0,
        help="weight of the evaluation against the playout's result; 1 for no playout",
        source=_UCT_SOURCE,
    )
    eval_scale: float = vary(
        MctsParameters,
        "eval_scale",
        help="evaluation that corresponds to winning odds of e to 1 (mix)",
        source=_UCT_SOURCE,
    )
    implicit: float = vary(MctsParameters, "implicit", default=0.809, source=_UCT_TUNED)
    solver: str = vary(MctsParameters, "solver", default="choose", help="use of proven results", source=_UCT_SOURCE)
    plan: str = plan_parameter("avalam")


AVALAM = AgentType(
    "avalam",
    "Joute's engine for Avalam: alpha-beta, and exact endgames",
    AvalamEngineParameters,
    avalam_engine,
    games=("avalam",),
    engine=True,
)
AVALAM_UCT = AgentType(
    "avalam-uct",
    "MCTS with the engine's evaluation",
    AvalamUctParameters,
    partial(mcts_agent, fallback=_FALLBACK_ITERATIONS),
    games=("avalam",),
    check=check_mcts,
)
