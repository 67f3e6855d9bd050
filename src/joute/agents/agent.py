"""The protocol of agents: an agent is any object with `choose(state, clock) -> move`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from joute.agents.analysis_view import analysis_frame, analysis_html, analysis_repr, analysis_text
from joute.agents.clock import Clock
from joute.games import Move, State


@dataclass(frozen=True)
class SearchInfo:
    """Data about an agent's last choice, read from its attribute `info`. Every field is optional."""

    value_for_mover: float | None = None
    depth: int | None = None
    nodes: int | None = None
    pv: tuple[Move, ...] = ()


@dataclass(frozen=True)
class MoveValue:
    """The value of a move for the mover, as a number and in words."""

    move: Move
    value: float | None
    verdict: str
    visits: int | None = None
    pv: tuple[Move, ...] = ()
    #: The proven result for the mover, 1, 0 or -1; None if it is open.
    outcome: int | None = None


@dataclass(frozen=True)
class Analysis:
    """An agent's analysis of a position, from the mover's view; moves are sorted best first.

    `unit` is the unit of the values: ``score`` on the game's own scale, ``win share``, or ``evaluation``.
    """

    value: float | None
    verdict: str
    moves: tuple[MoveValue, ...]
    pv: tuple[Move, ...]
    exact: bool
    unit: str = "score"
    depth: int | None = None
    nodes: int | None = None
    iterations: int | None = None

    __str__, __repr__, _repr_html_ = analysis_text, analysis_repr, analysis_html
    to_frame = analysis_frame


@runtime_checkable
class Analyst(Protocol):
    """An agent that can also analyze a position."""

    def analyze(
        self,
        state: State,
        *,
        with_line: bool = True,
        lines: int | None = None,
        seconds: float | None = None,
        on_update: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """Return the value of the position and of its moves, and the principal variation if `with_line`.

        `lines` is the number of moves that get an exact value and a line, in searches where each one costs time.
        `seconds` replaces the agent's own limits. `on_update` is called from time to time with the analysis so far.
        """
        ...


@runtime_checkable
class BatchAnalyst(Analyst, Protocol):
    """An analyst to which several positions together may cost less time than one after another."""

    #: The most positions that pay off in one call; 1 if it does not matter.
    most_together: int

    def analyze_together(self, states: Sequence[State], *, lines: int | None = None) -> list[Analysis]:
        """Return the analysis of each position, the same as `analyze` returns. All are of one game and its rules."""
        ...


@runtime_checkable
class Agent(Protocol):
    """An agent plays a game by choosing moves.

    Your own class needs no base class: a method `choose` is enough. Joute also uses these members where they exist:

    - `prepare_game(start)`: called with the start position of a game before the clock runs, e.g. to load files;
    - `info`, a SearchInfo: recorded with each move;
    - `stop()`: called from another thread, makes a running `choose` return soon. It may be called while no `choose`
      is running, and more than once; it must not affect a later `choose`;
    - `on_info`, initially None: a caller that follows the search sets it to a function, which `choose` then calls
      with a SearchInfo from time to time;
    - `forget()`: discards what earlier searches left, so that the agent then analyzes as a new one with the same seed
      does. The analysis service reuses agents that have it, and makes a new agent for every request otherwise.
    """

    def choose(self, state: State, clock: Clock) -> Any:
        """Return a legal move of `state`, as an object or as text."""
        ...


def prepare_game(agent: Agent, start: State) -> None:
    """Let an agent prepare a game before the clock runs: call its `prepare_game` if it has one.

    The exceptions of the agent propagate.
    """
    prepare = getattr(agent, "prepare_game", None)
    if callable(prepare):
        prepare(start)
