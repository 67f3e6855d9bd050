"""Common parts of agents that search: limits, evaluations, and the conversion of a search's result."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import importlib
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from joute._core import MoveResult, SearchResult, StopFlag
from joute.agents.agent import Analysis, MoveValue, SearchInfo
from joute.agents.clock import Clock
from joute.agents.time_plans import PLANS
from joute.errors import SpecError, described
from joute.games import Move, State
from joute.numbers import is_decided
from joute.spec import look_up, parameter

Heuristic = Callable[[Any, int], float]

# The limits that are counts rather than times, and the largest value that the core accepts for each.
_COUNTS = {"nodes": 2**62, "iterations": 2**62, "depth": 2**31 - 1}


class PythonEvaluationWarning(UserWarning):
    """Issued once if a search calls Python for every position that it evaluates."""


def plan_parameter(default: str = "steady") -> Any:
    """Return the parameter `plan`, the time plan of every agent that searches."""
    return parameter(
        default,
        help="time plan: how the clock is divided among moves, see docs/arena.md",
        source=PLANS[default][1],
        choices=tuple(PLANS),
    )


@dataclass(frozen=True)
class SearchParameters:
    """Parameters of every search: its limits, its evaluation and its move generator."""

    seconds: float = parameter(0.0, help="seconds for a move; 0 for no limit", source="a clock limits it too", low=0)
    nodes: int = parameter(
        0, help="positions entered by a move; 0 for no limit", source="reproducible", low=0, high=2**62
    )
    eval: str = parameter(
        "",
        help="evaluation: a name of the game's, module:function for one in Python, none; empty for the game's default",
        source="the game",
    )
    generator: str = parameter("", help="move generator; empty for the game's default", source="the game")
    plan: str = plan_parameter()
    memory_mb: int = parameter(
        256, help="most memory of tree or table, in megabytes", source="fits any machine", low=1, high=2**20
    )


def check_search(parameters: SearchParameters, game: type[State]) -> None:
    """Raise SpecError if search parameters do not suit a game."""
    evaluation_of(parameters.eval, game)
    generator_of(parameters.generator, game)
    if getattr(parameters, "threads", 1) > 1 and not _is_native(game):
        raise SpecError(f"{game.game} is written in Python, so it is searched by one thread; leave out threads")


def _is_native(game: type[State]) -> bool:
    return game.search is not State.search


def generators_of(game: type[State]) -> list[str]:
    """Return the names of a game's move generators, the default first."""
    return getattr(game, "generators", ["all"])


def generator_of(name: str, game: type[State]) -> int:
    """Return the index of the game's move generator `name`; 0, the default, if it is empty."""
    if not name:
        return 0
    known = {generator: index for index, generator in enumerate(generators_of(game))}
    return look_up(f"move generator of {game.game}", name, known)


def evaluation_of(text: str, game: type[State]) -> str | Heuristic | None:
    """Convert the `eval` of a spec to the evaluation that the game's `search` takes."""
    if text == "none":
        return None
    if ":" in text:
        return _function(text)
    name = text or game.evaluation_for("default")
    if name is None:
        return None
    look_up(f"evaluation of {game.game}", name, dict(game.evaluations))
    if _is_native(game):
        return name
    return lambda state, player: float(state.evaluate(player, name))


@functools.cache
def _function(text: str) -> Heuristic:
    """Import the function that ``module:function`` names; the module may be in the current folder.

    Cached, so that the PythonEvaluationWarning appears once.
    """
    module_name, _, name = text.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        function = getattr(importlib.import_module(module_name), name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SpecError(f"evaluation '{text}' could not be loaded: {described(error)}") from error
    if not callable(function):
        raise SpecError(f"evaluation '{text}' is not a function")
    warnings.warn(
        f"{text} is called for every position evaluated: that Python function limits the speed of the search, "
        "and threads take turns to call it",
        PythonEvaluationWarning,
        stacklevel=2,
    )
    heuristic: Heuristic = function
    return heuristic


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Suspend Python's cyclic garbage collection, which takes 5 to 15 ms when it visits all objects, on the clock."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Searcher(Protocol):
    """The interface of a search: one of the core's, or a combination such as SolveFirst."""

    def run(self, *args: Any, **limits: Any) -> SearchResult:
        """Search until the first limit."""

    def forget(self) -> None:
        """Discard what earlier runs left: the next run is that of a new search."""


# The most of a move's limit and of the remaining time that a move in doubt takes.
_MOST_OF_A_MOVE, _MOST_OF_A_CLOCK = 0.9, 0.25


class DoubtParameters(Protocol):
    """Parameters of agents that manage the clock of a game."""

    @property
    def seconds(self) -> float:
        """The limit of a move; 0 for none."""

    @property
    def doubt(self) -> float:
        """The share of its time that a move in doubt may take longer; 0 if the agent does not manage the clock."""


def doubt_limits(parameters: DoubtParameters, clock: Clock, seconds: float) -> Mapping[str, Any]:
    """Return more limits of a search on a clock for the whole game, which keeps the time that a move leaves.

    A certain move ends the search, and one in doubt takes longer.
    """
    if not math.isfinite(clock.remaining_s) or not parameters.doubt:
        return {}
    spare = min(clock.move_limit_s * _MOST_OF_A_MOVE, clock.remaining_s * _MOST_OF_A_CLOCK) - seconds
    more = 0.0 if parameters.seconds else parameters.doubt * seconds  # not beyond what the user allows
    return {"decided": True, "seconds_in_doubt": max(0.0, min(more, spare))}


class SearchAgent:
    """Plays the best move of a search's result.

    `make(game, lines)` creates the search for a game; `lines` is the number of moves that get an exact value, and is
    1 unless `has_lines`. `limits` has an entry for every limit that the search supports, 0 if the parameters do not
    set it. `fallback` applies when neither the parameters nor the clock limit the search. `plan` names the time plan.
    Values are in `unit`; `shown_as` computes the value to show from a MoveResult. In a game, `on_clock(clock, seconds)`
    gives more arguments for the search, whose move has so many seconds.
    """

    info: SearchInfo | None = None
    on_info: Callable[[SearchInfo], None] | None = None

    def __init__(
        self,
        make: Callable[[type[State], int], Searcher],
        limits: Mapping[str, float],
        *,
        fallback: Mapping[str, float],
        plan: str,
        unit: str,
        values_can_be_exact: bool = True,
        has_lines: bool = False,
        shown_as: Callable[[MoveResult], float] | None = None,
        on_clock: Callable[[Clock, float], Mapping[str, Any]] | None = None,
    ) -> None:
        self._make = make
        self._limits = {name: value for name, value in limits.items() if value}
        self._counts = {name: most for name, most in _COUNTS.items() if name in limits}
        self._stop = StopFlag()
        self._fallback = fallback
        self._plan = PLANS[plan][0]
        self.unit = unit
        self._values_can_be_exact = values_can_be_exact
        self._has_lines = has_lines
        self._shown_as = shown_as
        self._on_clock = on_clock
        self._searches: dict[tuple[type[State], int], Searcher] = {}

    def prepare_game(self, start: State) -> None:
        """Create the search, with its tables, before the clock runs."""
        self._search_for(start, 1)

    def choose(self, state: State, clock: Clock) -> Move:
        """Return the best move that the search finds within the limits and the clock."""
        on_info = self.on_info
        watch = (lambda result: on_info(self._told(result))) if on_info else None
        with _no_collection() if _is_native(type(state)) else contextlib.nullcontext():
            limits = dict(self._limits_under(clock, state.ply))
            if self._on_clock:
                limits |= self._on_clock(clock, limits.get("seconds", math.inf))
            result = self._run(state, limits, 1, watch)
            self.info = self._told(result)
        move: Move = result.best.move
        return move

    def stop(self) -> None:
        """Make a search that runs in another thread return its best move so far."""
        self._stop.set()

    def forget(self) -> None:
        """Discard what earlier searches left: the agent then searches as a new one with the same seed does."""
        for search in self._searches.values():
            search.forget()

    def _told(self, result: SearchResult) -> SearchInfo:
        best = result.best
        return SearchInfo(self._shown(best), result.depth, result.nodes, tuple(best.line))

    def analyze(
        self,
        state: State,
        *,
        with_line: bool = True,
        lines: int | None = None,
        seconds: float | None = None,
        on_update: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Return the search's result as an Analysis."""
        if lines is not None and lines < 1:
            raise SpecError(f"lines must be at least 1, not {lines}")
        if seconds is not None and not seconds > 0:
            raise SpecError(f"seconds must be above 0, not {seconds:g}")
        if state.is_terminal or state.is_chance:
            return Analysis(None, verdict_without_moves(state), (), (), exact=state.is_terminal, unit=self.unit)
        limits = self._limits_under(Clock(), state.ply) if seconds is None else {"seconds": seconds}
        wanted = min(5, len(state.legal_moves)) if lines is None else lines

        def told(result: SearchResult) -> Analysis:
            return self._analysis(result, with_line=with_line)

        watch = (lambda result: on_update(told(result))) if on_update else None
        return told(self._run(state, limits, wanted, watch))

    def _shown(self, found: MoveResult) -> float | None:
        """Return the value to show; None for a bound."""
        if not found.is_exact:
            return None
        return self._shown_as(found) if self._shown_as else found.value

    def _is_untried(self, found: MoveResult) -> bool:
        """Whether the tree search never visited a move: its value is then an assumption, not a measurement."""
        return self.unit == "win share" and not found.visits and found.lower != found.upper

    def _analysis(self, result: SearchResult, *, with_line: bool) -> Analysis:
        moves = tuple(
            MoveValue(
                found.move,
                None if self._is_untried(found) else self._shown(found),
                proven_in_words(found),
                found.visits,
                tuple(found.line),
                found.lower if found.lower == found.upper else None,
            )
            for found in result.moves
        )
        return Analysis(
            value=self._shown(result.best),
            verdict=moves[0].verdict,
            moves=moves,
            pv=moves[0].pv if with_line else (),
            exact=result.proven and self._values_can_be_exact,
            unit=self.unit,
            depth=result.depth,
            nodes=result.nodes,
            iterations=result.iterations or None,
        )

    def _run(self, state: State, limits: Mapping[str, float], lines: int, watch: Any = None) -> SearchResult:
        search = self._search_for(state, lines)
        self._stop.clear()
        return search.run(state, **limits, watch=watch, stop=self._stop)

    def _search_for(self, state: State, lines: int) -> Searcher:
        key = (type(state), lines if self._has_lines else 1)
        if key not in self._searches:
            self._searches = {key: self._make(*key)}  # keep only one: each search holds up to `memory_mb`
        return self._searches[key]

    def _limits_under(self, clock: Clock, ply: int) -> Mapping[str, float]:
        limits = dict(self._limits)
        budget = self._plan.budget(clock, ply)
        if math.isfinite(budget.seconds):
            limits["seconds"] = min(limits.get("seconds", math.inf), budget.seconds)
        counts = {name: count for name in self._counts if (count := getattr(clock, name))}
        if budget.depth and "depth" in self._counts:
            counts["depth"] = min(counts.get("depth", budget.depth), budget.depth)
        for name, count in counts.items():
            limits[name] = min(limits.get(name, self._counts[name]), count)
        return limits or self._fallback


class SearchWrapper:
    """Base of agents that get most of their moves from a search; forwards all but `choose` to it."""

    info: SearchInfo | None = None

    def __init__(self, search: SearchAgent) -> None:
        self._search = search

    @property
    def on_info(self) -> Callable[[SearchInfo], None] | None:
        """The function that the search calls with a SearchInfo from time to time."""
        return self._search.on_info

    @on_info.setter
    def on_info(self, follower: Callable[[SearchInfo], None] | None) -> None:
        self._search.on_info = follower

    def prepare_game(self, start: State) -> None:
        """Create the search before the clock runs."""
        self._search.prepare_game(start)

    def stop(self) -> None:
        """Make a search that runs in another thread return its best move so far."""
        self._search.stop()

    def forget(self) -> None:
        """Discard what earlier searches left."""
        self._search.forget()

    def analyze(self, state: State, **options: Any) -> Analysis:
        """Return the search's analysis of a position. Its exceptions propagate."""
        return self._search.analyze(state, **options)


# Limits and the evaluation are arguments of the core's calls; all other parameters are options of the search.
_NOT_OPTIONS = {"seconds", "nodes", "iterations", "depth", "eval", "plan"}


def core_settings(parameters: SearchParameters, game: type[State]) -> dict[str, Any]:
    """Return the parameters that are options of the core, which uses the same names."""
    names = {field.name for field in dataclasses.fields(parameters)} - _NOT_OPTIONS
    settings = {name: getattr(parameters, name) for name in names}
    return settings | {"generator": generator_of(parameters.generator, game)}


def verdict_without_moves(state: State) -> str:
    """Return the verdict about the player to move if there are no moves: the game is over, or chance is to move."""
    if state.result is None:
        return "is not to move"
    return {1: "has won", 0: "has drawn", -1: "has lost"}[state.result.outcome_for(state.to_move)]


def proven_in_words(found: MoveResult) -> str:
    """Return the result of a move, as in ``wins in 5 plies``, ``draws`` or ``wins, not proven``; empty if it is open.

    A win is not proven if the search saw it but considers only some of the legal moves.
    """
    if found.lower == found.upper:
        word = {1: "wins", 0: "draws", -1: "loses"}[found.lower]
        return f"{word} in {found.end_in} {'ply' if found.end_in == 1 else 'plies'}" if found.end_in >= 0 else word
    if found.lower == 0:
        return "does not lose"
    if found.upper == 0:
        return "does not win"
    if found.is_exact and is_decided(found.value):
        return "wins, not proven" if found.value > 0 else "loses, not proven"
    return ""
