"""Agents that solve a position where they can, and search it where they cannot."""

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
    """Those of an engine with a solver."""

    memory_mb: int = vary(EngineParameters, "memory_mb", help="most memory of search and of solver, in megabytes each")
    solve_share: float = parameter(
        0.5,
        help="the share of a move's limit that the solver may take, where it is likely to suffice; 0 for no solver",
        source="not measured: what it leaves still costs the search no more than half its time",
        low=0,
        high=1,
    )


@dataclass(frozen=True)
class SolverCost:
    """What a solver takes.

    `nodes` estimates the positions it enters, at about `nodes_s` a second. Some take many times as much, so it is given
    up after `patience` times that, and after `most_nodes` in any case.
    """

    nodes: Callable[[State], float]
    nodes_s: float
    patience: float = 5
    most_nodes: int = 100_000_000


@dataclass(frozen=True)
class Endgame:
    """A game's exact solver, for agents that play several games: the options of the core, and what it takes.

    Found by the name of the game through the entry point group ``joute.endgames``.
    """

    options: Callable[..., Any]  # (memory_mb=, lines=) -> options of the core
    cost: SolverCost


_endgames: Registry[Endgame] = Registry(
    "endgame", "joute.endgames", instance_of(Endgame, "joute.agents.solve_first.Endgame")
)


def find_endgame(game: str) -> Endgame | None:
    """The exact solver of a game; None where there is none."""
    return _endgames.find(game) if game in _endgames.names() else None


class SolveFirst:
    """A solver, and a search where the solver has no chance.

    `solver` gets a `share` of the limits, if that is what such positions take. What it proves is played: the best
    score, or a win at least. The report is that of the one which chose the move.
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
        """The solver's report if it proves what to play, else the search's, which knows what `counts` limit."""
        began = time.monotonic()
        budget = self._nodes_for_solver(state, seconds, nodes)
        if budget:
            report = self._solver.run(state, seconds=self._share * seconds, nodes=budget, watch=watch, stop=stop)
            if report.proven or report.best.lower == 1:
                return report
            seconds -= time.monotonic() - began
            nodes -= report.nodes
        return self._search.run(state, seconds=seconds, nodes=nodes, watch=watch, stop=stop, **counts)

    def _nodes_for_solver(self, state: State, seconds: float, nodes: int) -> int:
        """What the solver may spend; 0 where that would most likely be in vain."""
        if not self._share:
            return 0
        if math.isinf(seconds) and nodes == _NO_LIMIT:
            nodes = FALLBACK_NODES  # other counts tell nothing of the solver's time
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
    """The agent of an engine, by the solver's options for so many lines and the search; nothing in it is random."""

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
