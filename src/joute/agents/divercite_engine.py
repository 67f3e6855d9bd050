"""Joute's own player of Divercité."""

from __future__ import annotations

from dataclasses import dataclass

from joute._core import AlphaBetaOptions, DiverciteSolverOptions
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, plan_parameter
from joute.agents.solve_first import SolveFirst, SolverCost
from joute.games import State
from joute.spec import parameter

# Nodes, where nothing else limits a search.
_FALLBACK_NODES = 1_000_000

# What the solver needs grows with the plies left (96 positions of the engine's own games, plies 22 to 28, on one core
# of an AMD EPYC).
_SOLVER_COST = SolverCost(
    nodes=lambda state: 10 ** (5.5 + 0.45 * (28 - state.ply)),
    nodes_s=3.4e6,
    default_nodes=_FALLBACK_NODES,
)


@dataclass(frozen=True)
class DiverciteEngineParameters:
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
    plan: str = plan_parameter("divercite")
    reductions: float = parameter(
        1.0,
        help="search late moves less deeply at first, by this times log(depth) log(place in the order) plies",
        source="docs/divercite.md: 0.6, 0.8 and 1.3 play as well, 1.5 worse",
        low=0,
        high=10,
    )
    quiescence: int = parameter(
        1,
        help="most plies beyond the horizon of moves that make a Divercité",
        source="docs/divercite.md: 54.0% (49.8 to 58.2%) against none; with 4, 52.5%",
        low=0,
        high=200,
    )
    solve_share: float = parameter(
        0.5,
        help="the share of a move's limit that the solver may take, where it is likely to suffice; 0 for no solver",
        source="not measured: what it leaves still costs the search no more than half its time",
        low=0,
        high=1,
    )
    threads: int = parameter(1, help="threads of alpha-beta", source="the course allows one", low=1, high=256)
    memory_mb: int = parameter(
        256, help="most memory of search and of solver, in megabytes each", source="fits any machine", low=1, high=2**20
    )


def divercite_engine(parameters: DiverciteEngineParameters, seed: int) -> SearchAgent:
    """The agent that plays with these parameters; nothing in it is random."""

    def make(game: type[State], lines: int) -> SolveFirst:
        solver = game.search(DiverciteSolverOptions(memory_mb=parameters.memory_mb, lines=lines))
        options = AlphaBetaOptions(
            table_depth=1,
            accept_deeper=True,
            symmetries=True,
            reductions=parameters.reductions,
            quiescence=parameters.quiescence,
            threads=parameters.threads,
            memory_mb=parameters.memory_mb,
            lines=lines,
        )
        search = game.search(options, "prospects")
        return SolveFirst(solver, search, share=parameters.solve_share, cost=_SOLVER_COST)

    return SearchAgent(
        make,
        {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")},
        fallback={"nodes": _FALLBACK_NODES},
        plan=parameters.plan,
        unit="points",
        has_lines=True,
    )


DIVERCITE = AgentType(
    "divercite",
    "the strongest player of Divercité: alpha-beta, and exact endgames",
    DiverciteEngineParameters,
    divercite_engine,
    games=("divercite",),
    strongest=True,
)
