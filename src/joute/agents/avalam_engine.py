"""Joute's own players of Avalam: the engine, and the tree search that it was chosen over."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from joute._core import AlphaBetaOptions, AvalamSolverOptions, Search, SearchReport, StopFlag
from joute.agents.mcts import MCTS_CHOICES, MctsParameters, check_mcts, mcts_agent
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.games import State
from joute.spec import parameter

# Nodes or simulations, where nothing else limits a search.
_FALLBACK_NODES = 1_000_000
_FALLBACK_ITERATIONS = 5_000

# What the solver needs grows with the legal moves: a position of m takes about 10 ** (1.3 + 0.064 m) nodes, at 2.2
# million a second (48 positions of the engine's own games, plies 19 to 26).
_SOLVER_NODES_S = 2.2e6


def _nodes_to_solve(moves: int) -> float:
    return 10 ** (1.3 + 0.064 * moves)


@dataclass(frozen=True)
class AvalamEngineParameters:
    """Alpha-beta by a fitted evaluation, and the exact solver as soon as it has a chance."""

    seconds: float = parameter(0.0, help="seconds for a move; 0 for no limit", source="a clock limits it too", low=0)
    nodes: int = parameter(
        0,
        help=f"positions entered by a move; 0 for no limit, or {_FALLBACK_NODES:,} where nothing else limits it",
        source="repeats exactly",
        low=0,
        high=2**62,
    )
    depth: int = parameter(
        0, help="most plies of alpha-beta; 0 for no limit", source="deepening stops by itself", low=0, high=200
    )
    plan: str = plan_parameter("avalam")
    reductions: float = parameter(
        1.0,
        help="search late moves less deeply at first, by this times log(depth) log(place in the order) plies",
        source="docs/avalam.md: 0.6 loses to 1, 1.5 gains nothing more",
        low=0,
        high=10,
    )
    solve_share: float = parameter(
        0.5,
        help="the share of a move's limit that the solver may take, where it is likely to suffice; 0 for no solver",
        source="half: what it does not solve is still searched a ply less deeply at most",
        low=0,
        high=1,
    )
    threads: int = parameter(1, help="threads of alpha-beta", source="the course allows one", low=1, high=256)
    memory_mb: int = parameter(
        256, help="most memory of each table, in megabytes", source="fits any machine", low=1, high=2**20
    )


class SolveFirst:
    """A search that solves a position where it can, and searches it where it cannot.

    `solver` gets a `share` of the limits, if that is what such positions take. What it proves is played: the best
    score, or a win at least.
    """

    def __init__(self, solver: Search, search: Search, *, share: float) -> None:
        self._solver = solver
        self._search = search
        self._share = share

    def run(
        self,
        state: State,
        *,
        seconds: float = math.inf,
        nodes: int = 2**62,
        depth: int = 2**31 - 1,
        watch: Callable[[SearchReport], None] | None = None,
        stop: StopFlag | None = None,
    ) -> SearchReport:
        """The solver's report if it proves what to play, else the search's."""
        began = time.monotonic()
        share_s, share_nodes = self._share * seconds, int(self._share * nodes)
        if _nodes_to_solve(len(state.legal_moves)) <= min(share_nodes, share_s * _SOLVER_NODES_S):
            report = self._solver.run(state, seconds=share_s, nodes=share_nodes, watch=watch, stop=stop)
            if report.proven or report.moves[0].lower == 1 or (stop and stop.is_set):
                return report
            seconds -= time.monotonic() - began
            nodes -= report.nodes
        return self._search.run(state, seconds=seconds, nodes=nodes, depth=depth, watch=watch, stop=stop)


def avalam_engine(parameters: AvalamEngineParameters, seed: int) -> SearchAgent:
    """The agent that plays with these parameters; nothing in it is random."""

    def make(game: type[State], lines: int) -> SolveFirst:
        # In towers, as the evaluation is.
        solver = game.search(AvalamSolverOptions(memory_mb=parameters.memory_mb, lines=lines, tower=1))
        options = AlphaBetaOptions(
            table_depth=1,
            accept_deeper=True,
            order_by_evaluation=True,
            reductions=parameters.reductions,
            threads=parameters.threads,
            memory_mb=parameters.memory_mb,
            lines=lines,
        )
        return SolveFirst(solver, game.search(options, "towers"), share=parameters.solve_share)

    return SearchAgent(
        make,
        {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")},
        fallback={"nodes": _FALLBACK_NODES},
        plan=parameters.plan,
        unit="towers",
        has_lines=True,
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
)
AVALAM_UCT = AgentType(
    "avalam-uct",
    "MCTS by the engine's evaluation",
    AvalamUctParameters,
    partial(mcts_agent, fallback=_FALLBACK_ITERATIONS),
    games=("avalam",),
    check=check_mcts,
)
