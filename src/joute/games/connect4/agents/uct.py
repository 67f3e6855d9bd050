"""MCTS with the settings that make the fewest errors in Connect Four at a thousand simulations per move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from joute.agents.mcts import MctsParameters, check_mcts, mcts_agent
from joute.agents.registry import AgentType
from joute.spec import vary

# Tuned by random search on positions (seeds 1234 and 4321) other than those of the figures in docs/searches.md.
_SOURCE = "tuned: docs/searches.md"
_FALLBACK = 1000


@dataclass(frozen=True)
class Connect4UctParameters(MctsParameters):
    """MCTS with PUCT priors, AMAF, last-good-reply playouts, fork tactics and an evaluation."""

    iterations: int = vary(
        MctsParameters,
        "iterations",
        help=f"simulations; 0 for no limit, or {_FALLBACK:,} if the search has no other limit",
        source="the budget used for tuning",
    )
    eval: str = vary(
        MctsParameters, "eval", default="threats", help="evaluation of priors and mix", source="fitted to exact results"
    )
    bonus: str = vary(MctsParameters, "bonus", default="puct", source=_SOURCE)
    c: float = vary(MctsParameters, "c", default=0.5, help="weight of the exploration bonus", source=_SOURCE)
    priors: str = vary(MctsParameters, "priors", default="eval", source=_SOURCE)
    prior_temperature: float = vary(
        MctsParameters,
        "prior_temperature",
        default=1.5,
        help="temperature of the softmax of evaluations",
        source=_SOURCE,
    )
    untried_first: bool = vary(
        MctsParameters, "untried_first", default=False, help="try every move once before comparing", source=_SOURCE
    )
    fpu: float = vary(MctsParameters, "fpu", default=0.4, help="value of a move without visits", source=_SOURCE)
    amaf: bool = vary(MctsParameters, "amaf", default=True, source=_SOURCE)
    bias: float = vary(
        MctsParameters, "bias", default=1e-3, help="assumed bias of AMAF; larger values trust it less", source=_SOURCE
    )
    ref: float = vary(
        MctsParameters, "ref", default=10.0, help="AMAF of the closest ancestor with more simulations", source=_SOURCE
    )
    solver: str = vary(MctsParameters, "solver", default="choose", help="use of proven results", source=_SOURCE)
    playout: str = vary(MctsParameters, "playout", default="lgrf", source=_SOURCE)
    implicit: float = vary(MctsParameters, "implicit", default=0.15, source=_SOURCE)
    mix: float = vary(
        MctsParameters, "mix", default=0.3, help="weight of the evaluation against the playout's result", source=_SOURCE
    )
    eval_scale: float = vary(
        MctsParameters,
        "eval_scale",
        default=1.5,
        help="evaluation that corresponds to winning odds of e to 1 (mix)",
        source=_SOURCE,
    )


CONNECT4_UCT = AgentType(
    "connect4-uct",
    "MCTS with the settings that make the fewest errors in Connect Four",
    Connect4UctParameters,
    partial(mcts_agent, fallback=_FALLBACK),
    games=("connect4",),
    check=check_mcts,
)
