"""The agents of the Quoridor paper (Balea & Lasnier, team PouletDansCage, INF8215, Polytechnique Montréal, 2021).

Alpha-beta, the paper's final agent:

- Depth 0 searches one ply and depth 1 two. It uses depth 0, and depth 1 from step 11 on while more than 60 of the 300 s
  are left.
- Before step 5 it takes the first step of its shortest path. If one step wins, it takes that step.
- The heuristic combines paths and walls in hand, weighted by who is closer (core/games/quoridor/paper.hpp), from the
  root player's view.
- It searches all pawn moves, and walls near a pawn (core/games/quoridor/course.hpp). Among equal moves it plays the
  first in the order of the course's program.

`faithful` keeps the errors of the program:

- The value of a finished game is the loser's remaining distance, on the heuristic's scale. This may be lower than the
  value of delaying the win.
- Paths are those of the course's program, which fails if a pawn plugs the last gap.
- The filter "walls near walls" looks only at the anchors of existing walls, where no wall is legal: it adds nothing.
- It ignores repetition.

In positions where the program crashes, this agent follows the paper's intention: without a path the heuristic counts
rows (its missing minus sign is kept), the step is the first of the pawn's moves, and a game without a clock counts as
one with time left.

`corrected`: a win is worth more than any heuristic value, paths pass through the other pawn, the filter works, and the
third repetition is a draw. Both versions have the paper's ideas for future work: `ordering`, `table`, `cache`.

MCTS was abandoned in the paper because only 6 simulations per move were affordable and its play looked random; its
program is not published. `faithful` is UCT with 6 random playouts. `corrected` uses the heuristic instead of a playout,
whose result carries little information in this game, takes priors from the heuristic, and searches only the moves that
the paper's filter passes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from joute.agents.agent import Analysis
from joute.agents.alphabeta import AlphaBetaParameters, alphabeta_agent
from joute.agents.clock import Clock
from joute.agents.mcts import MctsParameters, mcts_agent
from joute.agents.paper_version import PaperVersion
from joute.agents.registry import AgentType
from joute.agents.search import SearchAgent, SearchWrapper
from joute.errors import SpecError
from joute.games import Move, State
from joute.games.quoridor.agents.runners import pawn_moves, step_to
from joute.games.quoridor.cache import QuoridorCache
from joute.games.quoridor.state import Quoridor
from joute.spec import parameter, vary

_BY_STEP_AND_CLOCK = -1
# Before this ply (the program's step 5) the agent follows its shortest path.
_OPENING_PLIES = 4


def _weight(default: float, *, of: str, who: str) -> Any:
    return parameter(
        default, help=f"weight of {of} for a player who is {who}", source="the paper, by feel", low=-100, high=100
    )


_OWN_PATH, _OTHER_PATH = "a step of its own path, as a cost,", "a step of the other's path"
_OWN_WALLS, _OTHER_WALLS = "a wall in its own hand", "a wall in the other's hand, as a cost,"


@dataclass(frozen=True)
class HeuristicWeights:
    """The weights of the paper's heuristic, in the order of the core (core/games/quoridor/paper.hpp)."""

    level_own_path: float = _weight(2.0, of=_OWN_PATH, who="as close to its goal as the other")
    level_other_path: float = _weight(1.8, of=_OTHER_PATH, who="as close to its goal as the other")
    level_own_walls: float = _weight(0.5, of=_OWN_WALLS, who="as close to its goal as the other")
    level_other_walls: float = _weight(0.5, of=_OTHER_WALLS, who="as close to its goal as the other")
    closer_own_path: float = _weight(2.2, of=_OWN_PATH, who="closer")
    closer_other_path: float = _weight(1.5, of=_OTHER_PATH, who="closer")
    closer_own_walls: float = _weight(0.7, of=_OWN_WALLS, who="closer")
    closer_other_walls: float = _weight(0.5, of=_OTHER_WALLS, who="closer")
    farther_own_path: float = _weight(1.7, of=_OWN_PATH, who="farther")
    farther_other_path: float = _weight(1.5, of=_OTHER_PATH, who="farther")
    farther_own_walls: float = _weight(0.4, of=_OWN_WALLS, who="farther")
    farther_other_walls: float = _weight(0.3, of=_OTHER_WALLS, who="farther")


def _weights_of(parameters: HeuristicWeights) -> list[float]:
    return [getattr(parameters, field.name) for field in fields(HeuristicWeights)]


@dataclass(frozen=True)
class QuoridorAlphaBetaParameters(HeuristicWeights, PaperVersion):
    """Parameters of the paper's final agent, and of its ideas for future work."""

    depth: int = parameter(
        _BY_STEP_AND_CLOCK,
        help="the paper's depth, one less than plies; -1: 1 from ply 10 on while more than a fifth of the clock is "
        "left, else 0",
        source="the paper: 60 of 300 s",
        low=_BY_STEP_AND_CLOCK,
        high=7,
    )
    filter: str = parameter(
        "pawns",
        help="walls that are searched: all, those near a pawn, or also those near a wall (corrected: at most two "
        "anchors away; faithful: at the same anchor, where none is legal)",
        source="the paper, which dropped walls near walls to save time",
        choices=("none", "pawns", "pawns+walls"),
    )
    radius: int = parameter(
        2,
        help="distance in rows and columns at which a wall is near a pawn (filter)",
        source="the paper",
        low=0,
        high=3,
    )
    opponent_radius: int = parameter(
        0,
        help="the same around the opponent's pawn, if it is larger than radius; 0 for radius. With radius=0, only "
        "walls near the opponent are searched (filter=pawns)",
        source="the paper: larger at first, then the same",
        low=0,
        high=3,
    )
    ordering: bool = parameter(
        False,
        help="search steps ahead and walls near the opponent first",
        source="the paper's idea, not tried there; measured, it saves nothing: docs/quoridor.md",
    )
    table: bool = parameter(
        False, help="a transposition table", source="the paper's idea, not tried there; it pays from depth 3 on"
    )
    opening: bool = parameter(True, help="step ahead on the first two moves", source="the paper")
    finish: bool = parameter(True, help="take a winning step without a search", source="the paper")
    cache: str = parameter(
        "", help="a file of positions and moves, made by 'joute book quoridor'", source="the paper's idea, unfinished"
    )

    @property
    def generator(self) -> str:
        """The name of the move generator with this filter and ordering."""
        radii = f"{self.radius}-{self.opponent_radius}" if self.opponent_radius > self.radius else f"{self.radius}"
        listing = "course" if self.filter == "none" else f"near-pawns-{radii}"
        if self.filter == "pawns+walls" and not self.is_faithful:
            listing += "+walls"
        return listing + ("-ordered" if self.ordering else "")


class QuoridorAlphaBetaAgent(SearchWrapper):
    """Plays steps that need no search, moves from the cache, and else the move of the paper's search."""

    def __init__(self, parameters: QuoridorAlphaBetaParameters, seed: int) -> None:
        super().__init__(_alphabeta(parameters))
        self._parameters = parameters
        self._cache = QuoridorCache.load(Path(parameters.cache)) if parameters.cache else None

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the paper's move; `info` is None if there was no search."""
        assert isinstance(state, Quoridor)
        self.info = None
        if (move := self._step_without_search(state)) is not None:
            return move
        if self._cache and (move := self._cache.find(state)) is not None:
            return move
        move = self._search.choose(self._seen(state), clock)
        self.info = self._search.info
        return move

    def analyze(self, state: State, **options: Any) -> Analysis:
        """Return the search's analysis of a position."""
        assert isinstance(state, Quoridor)
        return super().analyze(self._seen(state), **options)

    def _seen(self, state: Quoridor) -> Quoridor:
        """Return the position for the search: without its past if faithful, since the program ignores repetition."""
        return Quoridor(state.position, rules=state.rules) if self._parameters.is_faithful else state

    def _step_without_search(self, state: Quoridor) -> Move | None:
        path = state.course_path(state.to_move)
        if path is not None:
            steps = [step_to(state, path[0])]
            is_last = len(path) == 1
        else:
            # The program treats the list of pawn moves as the path.
            steps = pawn_moves(state) if self._parameters.is_faithful else []
            is_last = len(steps) == 1
        must_step = (self._parameters.opening and state.ply < _OPENING_PLIES) or (self._parameters.finish and is_last)
        return steps[0] if steps and must_step else None


def _alphabeta(parameters: QuoridorAlphaBetaParameters) -> SearchAgent:
    is_by_clock = parameters.depth == _BY_STEP_AND_CLOCK
    settings = AlphaBetaParameters(
        eval="report" if parameters.is_faithful else "report-corrected",
        ends="eval" if parameters.is_faithful else "outcome",
        generator=parameters.generator,
        plan="quoridor-report" if is_by_clock else "steady",
        depth=0 if is_by_clock else parameters.depth + 1,
        deepening=parameters.table,
        table="full" if parameters.table else "off",
        accept_deeper=False,
        pvs=False,
        killers=False,
        history=False,
    )
    return alphabeta_agent(settings, seed=0, weights=_weights_of(parameters), plain_root=True)


def _check_alphabeta(parameters: QuoridorAlphaBetaParameters, game: type[State]) -> None:
    if parameters.filter != "none":
        _check_radii(parameters.radius, parameters.opponent_radius, parameters.filter)
    if parameters.cache:
        QuoridorCache.load(Path(parameters.cache))


def _check_radii(radius: int, opponent_radius: int, filter: str) -> None:
    if not radius and not opponent_radius:
        raise SpecError("quoridor-alphabeta: radius=0 lists no walls; set opponent_radius, or another radius")
    if 0 < opponent_radius < radius:
        raise SpecError(f"quoridor-alphabeta: opponent_radius must be larger than radius={radius}, not smaller")
    if opponent_radius > radius and filter != "pawns":
        raise SpecError(f"quoridor-alphabeta: opponent_radius={opponent_radius} works with filter=pawns alone")


# Simulations per move.
_PAPER_ITERATIONS, _CORRECTED_ITERATIONS = 6, 2_000


@dataclass(frozen=True)
class QuoridorMctsParameters(PaperVersion):
    """Parameters of the paper's abandoned MCTS, and of a version that works."""

    iterations: int = vary(
        MctsParameters,
        "iterations",
        help=f"simulations per move; 0 for {_PAPER_ITERATIONS} (faithful) or {_CORRECTED_ITERATIONS:,} (corrected)",
        source=f"the paper could afford {_PAPER_ITERATIONS}",
    )


def _mcts(parameters: QuoridorMctsParameters, seed: int) -> SearchAgent:
    if parameters.is_faithful:
        return mcts_agent(
            MctsParameters(
                iterations=parameters.iterations or _PAPER_ITERATIONS, tactics="none", solver="off", reuse=False
            ),
            seed,
        )
    return mcts_agent(
        MctsParameters(
            iterations=parameters.iterations or _CORRECTED_ITERATIONS,
            eval="report-corrected",
            generator="near-pawns-2",
            tactics="none",
            mix=1.0,
            eval_scale=4.0,
            bonus="puct",
            priors="eval",
            prior_temperature=1.0,
            c=1.0,
            untried_first=False,
            fpu=0.4,
            solver="choose",
        ),
        seed,
    )


_GAMES = ("quoridor",)
QUORIDOR_ALPHABETA = AgentType(
    "quoridor-alphabeta",
    "alpha-beta of the Quoridor paper, its final agent",
    QuoridorAlphaBetaParameters,
    QuoridorAlphaBetaAgent,
    _GAMES,
    check=_check_alphabeta,
)
QUORIDOR_MCTS = AgentType(
    "quoridor-mcts", "MCTS, which the Quoridor paper abandoned", QuoridorMctsParameters, _mcts, _GAMES
)
