"""What an agent is: anything with `choose(state, clock) -> move`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from joute.agents.clock import Clock
from joute.games import Move, State


@dataclass(frozen=True)
class SearchInfo:
    """What an agent may tell of its last choice, in an attribute `info`; all of it is optional."""

    value_for_mover: float | None = None
    depth: int | None = None
    nodes: int | None = None
    pv: tuple[Move, ...] = ()


@dataclass(frozen=True)
class MoveValue:
    """What a move is worth to the mover, as a number and in words."""

    move: Move
    value: float | None
    verdict: str
    visits: int | None = None
    pv: tuple[Move, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """What an agent says of a position, from the mover's view; moves are listed best first.

    `unit` says what values are: ``score`` on the game's own scale, ``win share``, or ``evaluation``.
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


@runtime_checkable
class Analyst(Protocol):
    """An agent that can also say what it thinks of a position."""

    def analyze(
        self,
        state: State,
        *,
        with_line: bool = True,
        lines: int | None = None,
        seconds: float | None = None,
        on_update: Callable[[Analysis], None] | None = None,
    ) -> Analysis:
        """The value of the position and of its moves, and best play if wanted.

        `lines` is how many moves get a value and a line of their own, where that costs something; `seconds`
        replaces the agent's own limits; `on_update` is told now and then what is known so far.
        """
        ...


@runtime_checkable
class Agent(Protocol):
    """An agent plays a game by choosing moves.

    A class of your own needs no base class: a method `choose` is enough. What else there is, is used:

    - an attribute `info` of type SearchInfo is kept with each move;
    - a method `stop()`, called from another thread, makes a running `choose` answer soon. It may come when none
      runs, and it may come again: it concerns no later `choose`;
    - an attribute `on_info`, None at first: who wants to follow the agent's thoughts sets it to a function, and
      `choose` calls that with a SearchInfo now and then.
    """

    def choose(self, state: State, clock: Clock) -> Any:
        """A legal move of `state`, as an object or as text."""
        ...
