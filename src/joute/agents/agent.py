"""What an agent is: anything with `choose(state, clock) -> move`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from joute.games import Move, State


@dataclass(frozen=True)
class Clock:
    """What an agent is told of its time. Infinite where there is no limit."""

    remaining_s: float = math.inf
    increment_s: float = 0.0
    move_limit_s: float = math.inf


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
    value: float
    verdict: str


@dataclass(frozen=True)
class Analysis:
    """What an agent says of a position, from the mover's view; moves are listed best first."""

    value: float
    verdict: str
    moves: tuple[MoveValue, ...]
    pv: tuple[Move, ...]
    exact: bool


@runtime_checkable
class Analyst(Protocol):
    """An agent that can also say what it thinks of a position."""

    def analyze(self, state: State, *, with_line: bool = True) -> Analysis:
        """The value of the position and of every move, and best play if wanted."""
        ...


@runtime_checkable
class Agent(Protocol):
    """An agent plays a game by choosing moves.

    A class of your own needs no base class: a method `choose` is enough. An attribute `info` of type
    SearchInfo, if there is one, is kept with each move.
    """

    def choose(self, state: State, clock: Clock) -> Any:
        """A legal move of `state`, as an object or as text."""
        ...
