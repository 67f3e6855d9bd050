"""The tree search with the settings that err least in Connect Four at a thousand simulations a move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from joute.agents.mcts import MCTS_CHOICES, MctsParameters, check_mcts, mcts_agent
from joute.agents.registry import AgentType
from joute.spec import parameter

# Chosen by random search on positions (seeds 1234 and 4321) that the figures in docs/searches.md do not use.
_SOURCE = "tuned: docs/searches.md"
_FALLBACK = 1000


@dataclass(frozen=True)
class Connect4UctParameters(MctsParameters):
    """UCT with priors, AMAF, learned replies, forks and an evaluation."""

    iterations: int = parameter(
        0,
        help=f"simulations; 0 for no limit, or {_FALLBACK:,} where nothing else limits the search",
        source="the budget it is tuned for",
        low=0,
        high=2**62,
    )
    eval: str = parameter("threats", help="evaluation of priors and mix", source="fitted to exact results")
    bonus: str = parameter("puct", help="what little-tried moves gain", source=_SOURCE, choices=MCTS_CHOICES["bonus"])
    c: float = parameter(0.5, help="weight of the bonus", source=_SOURCE, low=0, high=1e6)
    priors: str = parameter(
        "eval", help="where PUCT's priors come from", source=_SOURCE, choices=MCTS_CHOICES["priors"]
    )
    prior_temperature: float = parameter(
        1.5, help="differences of evaluation are divided by this", source=_SOURCE, low=1e-9, high=1e9
    )
    untried_first: bool = parameter(False, help="try every move once before comparing", source=_SOURCE)
    fpu: float = parameter(0.4, help="value of a move without a visit", source=_SOURCE, low=-1e6, high=1e6)
    amaf: bool = parameter(True, help="blend in the mean of later uses of the move", source=_SOURCE)
    bias: float = parameter(1e-3, help="mistrust of AMAF", source=_SOURCE, low=0, high=1e6)
    ref: float = parameter(
        10.0, help="AMAF of the closest ancestor with more simulations", source=_SOURCE, low=0, high=1e9
    )
    solver: str = parameter(
        "choose", help="what proven results are used for", source=_SOURCE, choices=MCTS_CHOICES["solver"]
    )
    playout: str = parameter(
        "lgrf", help="how a game is played to its end", source=_SOURCE, choices=MCTS_CHOICES["playout"]
    )
    implicit: float = parameter(
        0.15, help="weight of the evaluation backed up by minimax", source=_SOURCE, low=0, high=1
    )
    mix: float = parameter(0.3, help="weight of the evaluation beside the playout", source=_SOURCE, low=0, high=1)
    eval_scale: float = parameter(
        1.5, help="the evaluation that means odds of e to 1 (mix)", source=_SOURCE, low=1e-9, high=1e12
    )


CONNECT4_UCT = AgentType(
    "connect4-uct",
    "MCTS with the settings that err least in Connect Four",
    Connect4UctParameters,
    partial(mcts_agent, fallback=_FALLBACK),
    games=("connect4",),
    check=check_mcts,
)
