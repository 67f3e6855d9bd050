"""Joute's engine for Quoridor."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from importlib.resources import as_file, files

from joute._core import MoveResult, Search
from joute.agents.alphabeta import AlphaBetaParameters
from joute.agents.clock import Clock
from joute.agents.engine import EngineParameters, engine_search, win_share_engine
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchWrapper, doubt_limits, plan_parameter
from joute.games import Move, State
from joute.games.quoridor.cache import QuoridorCache
from joute.games.quoridor.state import Quoridor
from joute.spec import parameter, vary


@dataclass(frozen=True)
class QuoridorEngineParameters(EngineParameters):
    """Alpha-beta with a small network as evaluation and a selection of walls; races without walls are solved."""

    plan: str = plan_parameter("quoridor")
    reductions: float = vary(
        AlphaBetaParameters,
        "reductions",
        default=1.0,
        help="late-move reductions: search late moves first this times log(depth) log(move number) plies less deep",
        source="docs/quoridor.md: neither 0.7 nor 1.4 scored more",
    )
    reduce_root: bool = vary(
        AlphaBetaParameters, "reduce_root", default=True, source="67.8% ± 6.7 against no: docs/quoridor.md"
    )
    late_moves: int = vary(
        AlphaBetaParameters, "late_moves", default=5, source="56.2% ± 6.4 against 8: docs/quoridor.md"
    )
    null_depth: int = vary(
        AlphaBetaParameters, "null_depth", default=3, source="56.8% ± 5.8 against 0: docs/quoridor.md"
    )
    hints: float = vary(
        AlphaBetaParameters,
        "hints",
        default=1.0,
        help="move ordering: a hint of 1 (a step ahead has 4, a wall that lengthens the opponent's path 2, one that "
        "closes one of several paths 1) is worth as much as so many doublings of a move's cut-offs; 0 for none",
        source="59.5% ± 6.0 against 0: docs/quoridor.md",
    )
    wide_depth: int = vary(
        AlphaBetaParameters,
        "wide_depth",
        default=8,
        help="search all walls in positions with at least this many plies left, the root included, else candidates; "
        "0 for candidates everywhere",
        source="finds strong walls that are no candidates: docs/quoridor.md",
    )
    doubt: float = parameter(
        0.0,
        help="on a clock for the whole game: share of a move's time that it may take longer if the best move has just "
        "changed or its value has fallen, while certain moves end early; 0 for neither",
        source="off: docs/quoridor.md",
        low=0,
        high=4,
    )
    book: bool = parameter(
        True, help="play the first moves from the book that comes with Joute", source="saves time; made by the engine"
    )


@functools.cache
def shipped_book() -> QuoridorCache:
    """Return the book of the engine's moves in the first plies, for both colours."""
    with as_file(files("joute.games.quoridor") / "data" / "quoridor.book") as path:
        return QuoridorCache.load(path)


class QuoridorEngine(SearchWrapper):
    """Plays the book's move if there is one, else the search's."""

    def __init__(self, parameters: QuoridorEngineParameters, seed: int) -> None:
        super().__init__(_search(parameters))
        self._book = shipped_book() if parameters.book else None

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the engine's move; `info` is None for a book move."""
        assert isinstance(state, Quoridor)
        self.info = None
        if self._book and (move := self._book.find(state)) is not None:
            return move
        found = self._search.choose(state, clock)
        self.info = self._search.info
        return found


def _win_share(found: MoveResult) -> float:
    return (1 + math.tanh(found.value / 2)) / 2


def _search(parameters: QuoridorEngineParameters) -> SearchAgent:
    def make(game: type[State], lines: int) -> Search:
        return engine_search(
            parameters,
            game,
            lines,
            symmetries=True,
            generator="candidates",
            reductions=parameters.reductions,
            reduce_root=parameters.reduce_root,
            late_moves=parameters.late_moves,
            null_depth=parameters.null_depth,
            hints=parameters.hints,
            wide_depth=parameters.wide_depth,
        )

    return win_share_engine(
        parameters, make, _win_share, lambda clock, seconds: doubt_limits(parameters, clock, seconds)
    )


QUORIDOR = AgentType(
    "quoridor",
    "Joute's engine for Quoridor: alpha-beta with a network, exact races, a small book",
    QuoridorEngineParameters,
    QuoridorEngine,
    games=("quoridor",),
    engine=True,
)
