"""A search that solves a position where it can, and searches it where it cannot."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from joute._core import Search, SearchReport, StopFlag
from joute.games import State

_NO_LIMIT = 2**62


@dataclass(frozen=True)
class SolverCost:
    """What a solver takes.

    `nodes` estimates the positions it enters, at about `nodes_s` a second. Some take many times as much, so it is given
    up after `patience` times that, and after `most_nodes` in any case. Where a depth alone limits a move, which tells
    nothing of time, the solver's share is that of `default_nodes`.
    """

    nodes: Callable[[State], float]
    nodes_s: float
    default_nodes: int
    patience: float = 5
    most_nodes: int = 100_000_000


class SolveFirst:
    """A solver, and a search where the solver has no chance.

    `solver` gets a `share` of the limits, if that is what such positions take. What it proves is played: the best
    score, or a win at least. The report is that of the one which chose the move.
    """

    def __init__(self, solver: Search, search: Search, *, share: float, cost: SolverCost) -> None:
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
        depth: int = 2**31 - 1,
        watch: Callable[[SearchReport], None] | None = None,
        stop: StopFlag | None = None,
    ) -> SearchReport:
        """The solver's report if it proves what to play, else the search's."""
        began = time.monotonic()
        budget = self._nodes_for_solver(state, seconds, nodes)
        if budget:
            report = self._solver.run(state, seconds=self._share * seconds, nodes=budget, watch=watch, stop=stop)
            if report.proven or report.moves[0].lower == 1:
                return report
            seconds -= time.monotonic() - began
            nodes -= report.nodes
        return self._search.run(state, seconds=seconds, nodes=nodes, depth=depth, watch=watch, stop=stop)

    def _nodes_for_solver(self, state: State, seconds: float, nodes: int) -> int:
        """What the solver may spend; 0 where that would most likely be in vain."""
        if not self._share:
            return 0
        if math.isinf(seconds) and nodes == _NO_LIMIT:
            nodes = self._cost.default_nodes
        needed = self._cost.nodes(state)
        most = min(self._share * nodes, self._share * seconds * self._cost.nodes_s, self._cost.most_nodes)
        return int(min(most, self._cost.patience * needed)) if needed <= most else 0
