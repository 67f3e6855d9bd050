"""The tree search with the settings that err least in Connect Four at a thousand simulations a move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from joute.agents.mcts import MctsParameters, check_mcts, mcts_agent
from joute.agents.registry import AgentType
from joute.spec import vary

# Chosen by random search on positions (seeds 1234 and 4321) that the figures in docs/searches.md do not use.
_SOURCE = "tuned: docs/searches.md"
_FALLBACK = 1000


@dataclass(frozen=True)
class Connect4UctParameters(MctsParameters):
    """UCT with priors, AMAF, learned replies, forks and an evaluation."""

    iterations: int = vary(
        MctsParameters,
        "iterations",
        help=f"simulations; 0 for no limit, or {_FALLBACK:,} where nothing else limits the search",
        source="the budget it is tuned for",
    )
    eval: str = vary(
        MctsParameters, "eval", default="threats", help="evaluation of priors and mix", source="fitted to exact results"
    )
    bonus: str = vary(MctsParameters, "bonus", default="puct", source=_SOURCE)
    c: float = vary(MctsParameters, "c", default=0.5, help="weight of the bonus", source=_SOURCE)
    priors: str = vary(MctsParameters, "priors", default="eval", source=_SOURCE)
    prior_temperature: float = vary(
        MctsParameters,
        "prior_temperature",
        default=1.5,
        help="differences of evaluation are divided by this",
        source=_SOURCE,
    )
    untried_first: bool = vary(
        MctsParameters, "untried_first", default=False, help="try every move once before comparing", source=_SOURCE
    )
    fpu: float = vary(MctsParameters, "fpu", default=0.4, help="value of a move without a visit", source=_SOURCE)
    amaf: bool = vary(MctsParameters, "amaf", default=True, source=_SOURCE)
    bias: float = vary(MctsParameters, "bias", default=1e-3, help="mistrust of AMAF", source=_SOURCE)
    ref: float = vary(
        MctsParameters, "ref", default=10.0, help="AMAF of the closest ancestor with more simulations", source=_SOURCE
    )
    solver: str = vary(
        MctsParameters, "solver", default="choose", help="what proven results are used for", source=_SOURCE
    )
    playout: str = vary(MctsParameters, "playout", default="lgrf", source=_SOURCE)
    implicit: float = vary(MctsParameters, "implicit", default=0.15, source=_SOURCE)
    mix: float = vary(
        MctsParameters, "mix", default=0.3, help="weight of the evaluation beside the playout", source=_SOURCE
    )
    eval_scale: float = vary(
        MctsParameters, "eval_scale", default=1.5, help="the evaluation that means odds of e to 1 (mix)", source=_SOURCE
    )


CONNECT4_UCT = AgentType(
    "connect4-uct",
    "MCTS with the settings that err least in Connect Four",
    Connect4UctParameters,
    partial(mcts_agent, fallback=_FALLBACK),
    games=("connect4",),
    check=check_mcts,
)
