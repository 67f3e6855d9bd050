"""The agents of the Connect Four paper (MCTS, UCB1-Tuned, RAVE, NRPA), as in the paper and with its errors corrected.

`faithful` plays like the paper's listings, errors included: every node accumulates the root player's result, the tree
grows below finished games, the bonus of UCB1-Tuned differs from the paper's equation (3), and AMAF statistics are kept
by column. `corrected` fixes the errors of each agent; docs/reproduction.md gives the cost of each error, and
docs/papers/connect4.md lists the paper's contents with these agents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from joute.agents.mcts import MctsParameters, mcts_agent
from joute.agents.nrpa import NrpaParameters, nrpa_agent
from joute.agents.paper_version import PaperVersion
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent
from joute.spec import vary

# The exploration constant in the paper's listings.
_C = 1.41
# Common to the listings: no tactics in playouts, no solver, no tree reuse; the most visited child is played.
_PLAIN = {"tactics": "none", "solver": "off", "decisive": False, "reuse": False}
# The paper's errors in the tree.
_ERRORS = {"credit": "root", "expand_finished": True}


@dataclass(frozen=True)
class _Version(PaperVersion):
    @property
    def errors(self) -> dict[str, object]:
        return _ERRORS if self.is_faithful else {}


@dataclass(frozen=True)
class MctsPaperParameters(_Version):
    """MCTS and UCB1-Tuned of the paper."""

    iterations: int = vary(
        MctsParameters, "iterations", default=1000, help="simulations per move", source="the paper, §3.5", low=1
    )


@dataclass(frozen=True)
class RavePaperParameters(_Version):
    """RAVE of the paper."""

    iterations: int = vary(
        MctsParameters, "iterations", default=2000, help="simulations per move", source="the paper, §5", low=1
    )
    k: float = vary(
        MctsParameters,
        "k",
        default=500.0,
        help="visits at which both means weigh equally",
        source="the paper, table 2: 500 and 100",
    )


@dataclass(frozen=True)
class NrpaPaperParameters(_Version):
    """NRPA of the paper."""

    level: int = vary(NrpaParameters, "level", default=1, source="the paper, table 3: 1 and 2")
    iterations: int = vary(
        NrpaParameters,
        "iterations",
        default=0,
        help="calls of the level below; 0 for the paper's values: 10 at level 1, else 20",
        source="the paper, §6",
        low=0,
    )
    lower_iterations: int = vary(
        NrpaParameters,
        "lower_iterations",
        help="the same for level 1 within level 2; 0 for as many as iterations",
        source="the paper, §6: its 10 and 20 can mean 20 × 20 playouts at level 2, or 20 × 10",
    )
    alpha: float = vary(NrpaParameters, "alpha", default=0.5, source="the paper, §6")


def _mcts(parameters: MctsPaperParameters, seed: int) -> SearchAgent:
    # The listing multiplies sqrt(2 ln N / n) by 1.41, which makes 2 sqrt(ln N / n); UCB1 has sqrt(2).
    c = _C * math.sqrt(2) if parameters.is_faithful else math.sqrt(2)
    return _agent(parameters, seed, iterations=parameters.iterations, c=c)


def _ucb1_tuned(parameters: MctsPaperParameters, seed: int) -> SearchAgent:
    bonus, c = ("ucb1-tuned-listed", _C) if parameters.is_faithful else ("ucb1-tuned", 1.0)
    return _agent(parameters, seed, iterations=parameters.iterations, bonus=bonus, c=c)


def _rave(parameters: RavePaperParameters, seed: int) -> SearchAgent:
    # In the paper's text, playouts take immediate wins, and the weight of AMAF depends on the visits of the move; in
    # Gelly & Silver it depends on those of the position. The code is unpublished, so three things are readings of ours:
    # the exploration constant is that of the MCTS listing; the tree has the errors of that listing; and AMAF "per
    # action" is by column.
    details: dict[str, object] = (
        {"schedule": "move", "amaf_key": "move", "tactics": "win"}
        if parameters.is_faithful
        else {"schedule": "position", "amaf_key": "effect"}
    )
    return _agent(parameters, seed, iterations=parameters.iterations, c=_C, amaf=True, k=parameters.k, **details)


def _agent(version: _Version, seed: int, **settings: object) -> SearchAgent:
    return mcts_agent(MctsParameters(**_PLAIN | version.errors | settings), seed)  # type: ignore[arg-type]


def _nrpa(parameters: NrpaPaperParameters, seed: int) -> SearchAgent:
    return nrpa_agent(
        NrpaParameters(
            level=parameters.level,
            iterations=parameters.iterations or (10 if parameters.level == 1 else 20),
            lower_iterations=parameters.lower_iterations,
            alpha=parameters.alpha,
            corrected=not parameters.is_faithful,
        ),
        seed,
    )


_GAMES = ("connect4",)
CONNECT4_MCTS = AgentType("connect4-mcts", "MCTS of the Connect Four paper", MctsPaperParameters, _mcts, _GAMES)
CONNECT4_UCB1_TUNED = AgentType(
    "connect4-ucb1-tuned", "UCB1-Tuned of the Connect Four paper", MctsPaperParameters, _ucb1_tuned, _GAMES
)
CONNECT4_RAVE = AgentType("connect4-rave", "RAVE of the Connect Four paper", RavePaperParameters, _rave, _GAMES)
CONNECT4_NRPA = AgentType("connect4-nrpa", "NRPA of the Connect Four paper", NrpaPaperParameters, _nrpa, _GAMES)
