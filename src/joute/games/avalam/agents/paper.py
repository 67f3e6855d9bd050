"""The agents of the Avalam paper (Dépelteau & Michaud, INF8215, Polytechnique Montréal, autumn 2022).

`faithful` plays as the paper's program does, errors included as far as they are known exactly; `corrected` mends
them.

- MCTS: every level of the tree chooses for the player at the root, √2 multiplies the bonus twice, and the time plan
  keeps no reserve but a second a turn. Corrected: each level for its mover, √2 once, 30 s kept.
- Alpha-beta: the heuristics see own towers only, and #2 mistakes red's heights (core/games/avalam/paper.hpp).
  Corrected: own towers less the opponent's. "Real score" has no error, so its versions play alike. What a finished
  game is worth to the program is not documented; here it is the score.
- RAVE: the program shares one table between all positions and both players, and stops playouts after 6 plies to count
  the score; that it chooses for the player at the root is read from its MCTS. Its third error, a blending weight on
  the wrong term, is not rebuilt: neither the weight nor its constant is documented. Corrected: MC-RAVE by Gelly &
  Silver's schedule.
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
# Gelly & Silver's tables belong to positions; that of the program to the whole tree, as if the root were the closest
# ancestor with enough simulations.
_WHOLE_TREE = 1e9


@dataclass(frozen=True)
class _Limits(PaperVersion):
    seconds: float = vary(SearchParameters, "seconds", source="a clock limits it too, by its plan")
    nodes: int = vary(SearchParameters, "nodes")


@dataclass(frozen=True)
class AvalamTreeParameters(_Limits):
    """What the paper's tree searches have in common."""

    iterations: int = vary(
        MctsParameters,
        "iterations",
        help="simulations a move; 0 for no limit, or 10,000 where nothing else limits the search",
        source="the paper's stop by the clock alone",
    )
    plan: str = vary(
        SearchParameters,
        "plan",
        default=_BY_VERSION,
        help="how a clock is spent; version: avalam-program if faithful, avalam-corrected if corrected",
        source="the paper, figure III: most of the 15 minutes for turns 3 to 10",
        choices=(_BY_VERSION, *PLANS),
    )
    c: float = vary(
        MctsParameters,
        "c",
        default=math.sqrt(2),
        help="weight of the bonus, in points; faithful multiplies it by √2 once more",
        source="the paper's formula; its program has the factor √2 twice, which makes 2",
    )
    least_s: float = parameter(
        2.0,
        help="seconds below which any legal move is played; of 900, and as many of another clock in proportion",
        source="the paper",
        low=0,
        high=_CLOCK_S,
    )
    memory_mb: int = vary(
        SearchParameters,
        "memory_mb",
        default=1024,
        help="most memory of the tree, in megabytes; a full tree stops growing",
        source="a position joins the tree with all its moves, up to 12 kB; the course allows 4 GB",
    )


@dataclass(frozen=True)
class AvalamMctsParameters(AvalamTreeParameters):
    """The paper's final agent."""

    playout: str = vary(
        MctsParameters,
        "playout",
        help="how a game is played to its end: at random, or by the evaluation",
        source="the paper: heuristics were too slow, or so biased that their own move was played",
        choices=("uniform", "eval"),
    )
    eval: str = vary(
        MctsParameters,
        "eval",
        default="score",
        help="the evaluation of playouts (playout eval)",
        source="the paper does not say which it tried; this one is the fastest",
    )
    epsilon: float = vary(
        MctsParameters,
        "epsilon",
        help="chance of a random move in such playouts (playout eval)",
        source="not in the paper",
    )


@dataclass(frozen=True)
class AvalamMcts6sParameters(AvalamMctsParameters):
    """Its first version."""

    plan: str = vary(
        AvalamMctsParameters,
        "plan",
        default="avalam-6s",
        help="how a clock is spent",
        source="the paper, §4: 6 s a move of 15 minutes",
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
        help="points that a move without a visit promises, before AMAF is blended in",
        source="a level game; not in the paper. Better than 3 or 10 with 1,000 simulations, corrected",
        low=-48,
        high=48,
    )
    playout_plies: int = vary(
        MctsParameters,
        "playout_plies",
        default=6,
        help="plies of a playout, after which the score counts (faithful); corrected playouts go to the end",
        source="the paper's program",
        high=48,
    )


@dataclass(frozen=True)
class AvalamMinimaxParameters(_Limits):
    """Alpha-beta to a depth that grows with the game."""

    plan: str = vary(
        SearchParameters,
        "plan",
        default="avalam-minimax",
        help="how deep by the step of the game, and how long at most",
        source="its program: cutoff 1 up to step 8, 2 up to 20, 3 up to 30, 4 up to 36, then 5",
    )
    extend: int = vary(
        AlphaBetaParameters,
        "extend",
        default=10,
        help="positions with at most so many moves are searched on beyond the cutoff",
        source="its program",
        high=292,
    )


# --- The searches ---


def _tree_settings(parameters: AvalamTreeParameters) -> MctsParameters:
    """Raw points as the reward, all children at once and the first simulated, the most simulated move played."""
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
    """Alpha-beta and nothing else, except that it deepens: so that a short clock leaves a move of some depth."""
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
        f"alpha-beta of the Avalam paper by {summary}",
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
