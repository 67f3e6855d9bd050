"""The agents of the Avalam paper (Dépelteau & Michaud, INF8215, Polytechnique Montréal, autumn 2022).

`faithful` plays like the paper's program, including those errors that are known exactly; `corrected` fixes them.

- MCTS: every level of the tree maximizes for the root player, √2 multiplies the exploration bonus twice, and the time
  plan has no reserve except one second per turn. Corrected: each level maximizes for its mover, √2 once, 30 s reserve.
- Alpha-beta: the heuristics count own towers only, and #2 misreads red's heights (core/games/avalam/paper.hpp).
  Corrected: own towers minus the opponent's. "Real score" has no error, so both versions play the same. The paper does
  not document the program's value of a finished game; here it is the score.
- RAVE: the program shares one AMAF table between all positions and both players, and stops playouts after 6 plies to
  count the score. That it maximizes for the root player is inferred from its MCTS. Its third error, a blending weight
  on the wrong term, is not reproduced: neither the weight nor its constant is documented. Corrected: MC-RAVE with
  Gelly & Silver's schedule.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_agent
from joute.agents.fallback import FallbackAgent
from joute.agents.mcts import MctsParameters, check_mcts, mcts_agent
from joute.agents.paper_version import PaperVersion
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchParameters
from joute.agents.time_plans import PLANS
from joute.games import State
from joute.spec import parameter, vary

_CLOCK_S = 900
_BY_VERSION = "version"
# Gelly & Silver have one AMAF table per position. The program has one for the whole tree: the root is then the closest
# ancestor with enough simulations.
_WHOLE_TREE = 1e9


@dataclass(frozen=True)
class _Limits(PaperVersion):
    seconds: float = vary(SearchParameters, "seconds", source="a clock limits it too, by its plan")
    nodes: int = vary(SearchParameters, "nodes")


@dataclass(frozen=True)
class AvalamTreeParameters(_Limits):
    """Common parameters of the paper's tree searches."""

    iterations: int = vary(
        MctsParameters,
        "iterations",
        help="simulations per move; 0 for no limit, or 10,000 if the search has no other limit",
        source="the paper's agents have only the clock as limit",
    )
    plan: str = vary(
        SearchParameters,
        "plan",
        default=_BY_VERSION,
        help="time plan; version: avalam-program if faithful, avalam-corrected if corrected",
        source="the paper, figure III: most of the 15 minutes for turns 3 to 10",
        choices=(_BY_VERSION, *PLANS),
    )
    c: float = vary(
        MctsParameters,
        "c",
        default=math.sqrt(2),
        help="weight of the exploration bonus, in points; faithful multiplies it by √2 once more",
        source="the paper's formula; its program has the factor √2 twice, which makes 2",
    )
    least_s: float = parameter(
        2.0,
        help="remaining seconds, of a clock of 900 s, below which a random legal move is played; scales with the clock",
        source="the paper",
        low=0,
        high=_CLOCK_S,
    )
    memory_mb: int = vary(
        SearchParameters,
        "memory_mb",
        default=1024,
        help="most memory of the tree, in megabytes; a full tree stops growing",
        source="a position enters the tree with all its moves, up to 12 kB; the course allows 4 GB",
    )


@dataclass(frozen=True)
class AvalamMctsParameters(AvalamTreeParameters):
    """The paper's final agent."""

    playout: str = vary(
        MctsParameters,
        "playout",
        help="how playouts choose moves: at random, or by the evaluation",
        source="the paper: heuristics were too slow, or so biased that MCTS played the heuristic's move",
        choices=("uniform", "eval"),
    )
    eval: str = vary(
        MctsParameters,
        "eval",
        default="score",
        help="the evaluation of playouts (playout eval)",
        source="the paper does not name the ones it tried; this one is the fastest",
    )
    epsilon: float = vary(
        MctsParameters,
        "epsilon",
        help="probability of a random move in playouts (playout eval)",
        source="not in the paper",
    )


@dataclass(frozen=True)
class AvalamMcts6sParameters(AvalamMctsParameters):
    """The first version of the paper's MCTS agent."""

    plan: str = vary(
        AvalamMctsParameters,
        "plan",
        default="avalam-6s",
        help="time plan",
        source="the paper, §4: 6 s per move of 15 minutes",
    )


@dataclass(frozen=True)
class AvalamRaveParameters(AvalamTreeParameters):
    """The paper's other tree search, which it does not describe."""

    k: float = vary(
        MctsParameters,
        "k",
        help="visits of a position at which both means weigh equally",
        source="Gelly & Silver 2007, Go; the paper does not say",
    )
    fpu: float = vary(
        MctsParameters,
        "fpu",
        default=0.0,
        help="first-play urgency: value in points of a move without visits, before AMAF is blended in",
        source="a tied game; not in the paper. Better than 3 or 10 with 1,000 simulations, corrected",
        low=-48,
        high=48,
    )
    playout_plies: int = vary(
        MctsParameters,
        "playout_plies",
        default=6,
        help="plies of a playout before the score is counted (faithful); corrected playouts go to the end",
        source="the paper's program",
        high=48,
    )


@dataclass(frozen=True)
class AvalamMinimaxParameters(_Limits):
    """Alpha-beta to a depth that grows with the ply."""

    plan: str = vary(
        SearchParameters,
        "plan",
        default="avalam-minimax",
        help="time plan: the depth at each step of the game, and the most time",
        source="its program: cutoff 1 up to step 8, 2 up to 20, 3 up to 30, 4 up to 36, then 5",
    )
    extend: int = vary(
        AlphaBetaParameters,
        "extend",
        default=10,
        help="extend positions with at most this many legal moves beyond the cutoff",
        source="its program",
        high=292,
    )


# --- The searches ---


def _tree_settings(parameters: AvalamTreeParameters) -> MctsParameters:
    """Return the settings of the paper's MCTS.

    The reward is the raw score. A node is expanded with all children, and the first is simulated. The move with the
    most simulations is played.
    """
    faithful = parameters.is_faithful
    by_version = "avalam-program" if faithful else "avalam-corrected"
    return MctsParameters(
        seconds=parameters.seconds,
        nodes=parameters.nodes,
        iterations=parameters.iterations,
        plan=by_version if parameters.plan == _BY_VERSION else parameters.plan,
        c=parameters.c * (math.sqrt(2) if faithful else 1),
        credit="root" if faithful else "mover",
        reward="points",
        expand="all",
        final_move="visits",
        tactics="none",
        solver="off",
        decisive=False,
        reuse=False,
        memory_mb=parameters.memory_mb,
    )


def _mcts_settings(parameters: AvalamMctsParameters) -> MctsParameters:
    settings = _tree_settings(parameters)
    if parameters.playout == "uniform":
        return settings
    return dataclasses.replace(settings, playout="eval", eval=parameters.eval, epsilon=parameters.epsilon)


def _rave_settings(parameters: AvalamRaveParameters) -> MctsParameters:
    settings = dataclasses.replace(
        _tree_settings(parameters), amaf=True, schedule="position", k=parameters.k, untried_first=False,
        fpu=parameters.fpu,
    )  # fmt: skip
    if not parameters.is_faithful:
        return settings
    return dataclasses.replace(
        settings, amaf_key="move", ref=_WHOLE_TREE, playout_plies=parameters.playout_plies
    )  # fmt: skip


def _mcts(parameters: AvalamMctsParameters, seed: int) -> FallbackAgent:
    return _with_fallback(_mcts_settings(parameters), parameters, seed)


def _rave(parameters: AvalamRaveParameters, seed: int) -> FallbackAgent:
    return _with_fallback(_rave_settings(parameters), parameters, seed)


def _with_fallback(settings: MctsParameters, parameters: AvalamTreeParameters, seed: int) -> FallbackAgent:
    return FallbackAgent(mcts_agent(settings, seed), least_clock=parameters.least_s / _CLOCK_S, seed=seed)


def _check_mcts(parameters: AvalamMctsParameters, game: type[State]) -> None:
    check_mcts(_mcts_settings(parameters), game)


def _check_rave(parameters: AvalamRaveParameters, game: type[State]) -> None:
    check_mcts(_rave_settings(parameters), game)


def minimax_agent(parameters: AvalamMinimaxParameters, heuristic: str) -> SearchAgent:
    """Return plain alpha-beta. Iterative deepening is added, so that a short clock still gives a move."""
    one_sided = parameters.is_faithful and heuristic != "score"
    return alphabeta_agent(
        AlphaBetaParameters(
            seconds=parameters.seconds,
            nodes=parameters.nodes,
            plan=parameters.plan,
            eval=f"{heuristic}-own" if one_sided else heuristic,
            extend=parameters.extend,
            ends="points",
            table="off",
            pvs=False,
            killers=False,
            history=False,
        ),
        seed=0,
    )


def _minimax(heuristic: str, summary: str) -> AgentType:
    return AgentType(
        f"avalam-minimax-{heuristic}",
        f"alpha-beta of the Avalam paper with {summary}",
        AvalamMinimaxParameters,
        lambda parameters, seed: minimax_agent(parameters, heuristic),
        _GAMES,
    )


_GAMES = ("avalam",)
AVALAM_MCTS = AgentType("avalam-mcts", "MCTS of the Avalam paper", AvalamMctsParameters, _mcts, _GAMES, _check_mcts)
AVALAM_MCTS_6S = AgentType(
    "avalam-mcts-6s", "its first version, 6 s a move", AvalamMcts6sParameters, _mcts, _GAMES, _check_mcts
)
AVALAM_RAVE = AgentType("avalam-rave", "RAVE of the Avalam paper", AvalamRaveParameters, _rave, _GAMES, _check_rave)
AVALAM_MINIMAX_SCORE = _minimax("score", "the score")
AVALAM_MINIMAX_GUARANTEED = _minimax("guaranteed", "towers that cannot move any more")
AVALAM_MINIMAX_H1 = _minimax("h1", "heuristic #1")
AVALAM_MINIMAX_H2 = _minimax("h2", "heuristic #2")
