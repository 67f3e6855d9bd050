"""Agents that run an exact solver if it is likely to finish, and a heuristic search otherwise."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joute._core import MoveResult, SearchResult, StopFlag
from joute.agents.engine import FALLBACK_NODES, EngineParameters
from joute.agents.search import SearchAgent, Searcher
from joute.games import State
from joute.plugins import Registry, instance_of
from joute.spec import parameter, vary

_NO_LIMIT = 2**62
# The solver runs if the limits exceed this many times its estimated cost.
_TRIED_FROM = 1.0


@dataclass(frozen=True)
class SolvingParameters(EngineParameters):
    """Parameters of an engine with a solver."""

    memory_mb: int = vary(EngineParameters, "memory_mb", help="most memory of search and solver, in megabytes each")
    solve_share: float = parameter(
        0.75,
        help="most of a move's limit that the solver may use; 0 for no solver",
        source="196 endings of both games, 1,000 to 256,000 nodes: 0.75 loses 235 half points, 0.5 241",
        low=0,
        high=1,
    )


@dataclass(frozen=True)
class SolverCost:
    """The estimated cost of solving a position: the number of nodes, searched at about `nodes_s` per second.

    Some positions need many times the estimate. The solver gives up after `most_nodes`.
    """

    nodes: Callable[[State], float]
    nodes_s: float
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
    """Runs a solver if it may finish, and a search if the solver is skipped or proves nothing.

    The limits are split so that neither part gets less if the limits grow: a larger limit never loses what a smaller
    one proves. The search gets all up to `_TRIED_FROM` times the solver's estimated cost; the solver gets the rest, up
    to `share` of the limits. The solver's move is played if the result is proven or the move is a proven win. If the
    solver does not finish, its bounds on the outcome still rule out moves. The result is that of the search or solver
    that chose the move.
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
        **counts: Any,
    ) -> SearchResult:
        """Return the solver's result if it proves the move, else the search's. `counts` are for the search only."""
        began = time.monotonic()
        solver_nodes, solver_seconds = self._limits_of_solver(state, seconds, nodes)
        known = None
        if solver_nodes >= 1 and solver_seconds > 0:
            known = self._solver.run(state, seconds=solver_seconds, nodes=int(solver_nodes), watch=watch, stop=stop)
            if known.proven or known.best.lower == 1:
                return known
            seconds -= time.monotonic() - began
            nodes -= known.nodes
        found = self._search.run(state, seconds=seconds, nodes=nodes, watch=watch, stop=stop, **counts)
        return found if known is None else _unless_refuted(found, known)

    def forget(self) -> None:
        """Discard what earlier runs of both left."""
        self._solver.forget()
        self._search.forget()

    def _limits_of_solver(self, state: State, seconds: float, nodes: int) -> tuple[float, float]:
        """Return the solver's nodes and seconds; one of them is not positive if only the search runs."""
        if not self._share:
            return 0, 0
        if math.isinf(seconds) and nodes == _NO_LIMIT:
            nodes = FALLBACK_NODES  # limits such as depth do not bound the solver
        kept = _TRIED_FROM * self._cost.nodes(state)
        solver_nodes = min(self._share * nodes, nodes - kept, self._cost.most_nodes)
        return solver_nodes, min(self._share * seconds, seconds - kept / self._cost.nodes_s)


@dataclass(frozen=True)
class _Corrected:
    """A search's result with another move in front; stands in for a SearchResult."""

    moves: list[MoveResult]
    depth: int
    nodes: int
    iterations: int
    proven: bool = False

    @property
    def best(self) -> MoveResult:
        """The move to play."""
        return self.moves[0]

    @property
    def value(self) -> float:
        """The value of the move to play."""
        return self.best.value


def _unless_refuted(found: SearchResult, known: SearchResult) -> SearchResult:
    """Return a search's result, with another move in front if an unfinished solver proves that its move is worse."""
    bounds = {judged.move: judged for judged in known.moves}
    least = max(judged.lower for judged in known.moves)
    if bounds[found.best.move].upper >= least:
        return found
    chosen = next((judged.move for judged in found.moves if bounds[judged.move].upper >= least), known.best.move)
    others = [judged for judged in found.moves if judged.move != chosen]
    corrected: Any = _Corrected([bounds[chosen], *others], found.depth, found.nodes, found.iterations)
    result: SearchResult = corrected
    return result


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
