"""Agents that run an exact solver if it is likely to finish, and a heuristic search otherwise."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute._core import SearchResult, StopFlag
from joute.agents.engine import FALLBACK_NODES, EngineParameters
from joute.agents.search import SearchAgent, Searcher
from joute.games import State
from joute.plugins import Registry, instance_of
from joute.spec import parameter, vary

_NO_LIMIT = 2**62


@dataclass(frozen=True)
class SolvingParameters(EngineParameters):
    """Parameters of an engine with a solver."""

    memory_mb: int = vary(EngineParameters, "memory_mb", help="most memory of search and solver, in megabytes each")
    solve_share: float = parameter(
        0.5,
        help="share of a move's limit that the solver may use if it is likely to finish; 0 for no solver",
        source="not measured; a failed solve leaves the search at least half of its time",
        low=0,
        high=1,
    )


@dataclass(frozen=True)
class SolverCost:
    """The estimated cost of solving a position.

    `nodes` estimates the number of nodes, searched at about `nodes_s` per second. Some positions need many times the
    estimate: the solver gives up after `patience` times the estimate, or after `most_nodes`.
    """

    nodes: Callable[[State], float]
    nodes_s: float
    patience: float = 5
    most_nodes: int = 100_000_000


@dataclass(frozen=True)
class Endgame:
    """A game's exact solver, for agents that play several games: the core's options and the estimated cost.

    Registered under the name of the game in the entry point group ``joute.endgames``.
    """

    options: Callable[..., Any]  # (memory_mb=, lines=) -> options of the core
    cost: SolverCost


_endgames: Registry[Endgame] = Registry(
    "endgame", "joute.endgames", instance_of(Endgame, "joute.agents.solve_first.Endgame")
)


def find_endgame(game: str) -> Endgame | None:
    """Return the exact solver of a game, or None."""
    return _endgames.find(game) if game in _endgames.names() else None


class SolveFirst:
    """Runs a solver if it is likely to finish, and a search if the solver is skipped or proves nothing.

    `solver` runs if its estimated cost fits into `share` of the limits. Its move is played if the result is proven or
    the move is a proven win. The result is that of the search or solver that chose the move.
    """

    def __init__(self, solver: Searcher, search: Searcher, *, share: float, cost: SolverCost) -> None:
        self._solver = solver
        self._search = search
        self._share = share
        self._cost = cost

    def run(
        self,
        state: State,
        *,
        seconds: float = math.inf,
        nodes: int = _NO_LIMIT,
        watch: Callable[[SearchResult], None] | None = None,
        stop: StopFlag | None = None,
        **counts: int,
    ) -> SearchResult:
        """Return the solver's result if it proves the move, else the search's. `counts` limit the search only."""
        began = time.monotonic()
        budget = self._nodes_for_solver(state, seconds, nodes)
        if budget:
            result = self._solver.run(state, seconds=self._share * seconds, nodes=budget, watch=watch, stop=stop)
            if result.proven or result.best.lower == 1:
                return result
            seconds -= time.monotonic() - began
            nodes -= result.nodes
        return self._search.run(state, seconds=seconds, nodes=nodes, watch=watch, stop=stop, **counts)

    def _nodes_for_solver(self, state: State, seconds: float, nodes: int) -> int:
        """Return the solver's node limit; 0 if it is unlikely to finish within it."""
        if not self._share:
            return 0
        if math.isinf(seconds) and nodes == _NO_LIMIT:
            nodes = FALLBACK_NODES  # limits such as depth do not bound the solver
        needed = self._cost.nodes(state)
        most = min(self._share * nodes, self._share * seconds * self._cost.nodes_s, self._cost.most_nodes)
        return int(min(most, self._cost.patience * needed)) if needed <= most else 0


def engine_agent(
    parameters: SolvingParameters,
    *,
    solver: Callable[[int], Any],
    search: Callable[[type[State], int], Searcher],
    cost: SolverCost,
    unit: str,
) -> SearchAgent:
    """Return an engine's agent; it is deterministic.

    `solver(lines)` returns the solver's options for `lines` exact values; `search(game, lines)` creates the search.
    """

    def make(game: type[State], lines: int) -> SolveFirst:
        return SolveFirst(
            game.search(solver(lines)),
            search(game, lines),
            share=parameters.solve_share,
            cost=cost,
        )

    return SearchAgent(
        make,
        {name: getattr(parameters, name) for name in ("seconds", "nodes", "depth")},
        fallback={"nodes": FALLBACK_NODES},
        plan=parameters.plan,
        unit=unit,
        has_lines=True,
    )
