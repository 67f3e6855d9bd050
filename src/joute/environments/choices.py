"""The numbered actions and the observations of a game, for learners.

Games of the core that support networks have both (core/chooser.hpp): the planes that a network sees, and the indices of
its policy. A game written in Python has them too if it defines `observation_shape` and `observe()`, and `action_count`
and `action_of(move)`. Where it does not, an observation is the text of the position, and an action is the place of a
move in `legal_moves`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from joute._core import one_line
from joute.errors import IllegalMoveError, JouteError
from joute.games import Move, State, new
from joute.games.registry import find_game
from joute.spec import Value, parse_spec, value_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The number of actions of a game whose moves have no numbers.
MOST_MOVES = 512
#: The number of bytes of an observation that is a text.
MOST_BYTES = 512


def start_of(game: str, rules: dict[str, Value]) -> State:
    """The start position of a spec, with these rules options added."""
    if not rules:
        return new(game)
    name, pairs = parse_spec(game)
    given = {option: value_text(value) for option, value in rules.items()}
    known = {option.name for option in find_game(name).rule_parameters_of({**pairs, **given})}
    for option in rules:
        if option not in known:  # Python's own words: it may be a mistyped argument
            options = f"rules options {', '.join(sorted(known))}" if known else "no rules options"
            raise JouteError(f"'{option}' is neither an argument nor an option of {name}, which has {options}")
    settings = ",".join(f"{key}={value}" for key, value in given.items())
    return new(f"{game}{',' if ':' in game else ':'}{settings}")


def checked_starts(start: State, starts: Sequence[State]) -> tuple[State, ...]:
    """The positions that games begin at: `start` if none are given. JouteError if one is of another game."""
    shape = choices_of(start).observation_shape
    for each in starts:
        if each.spec != start.spec:
            raise JouteError(f"a start is a position of {each.spec}, and the environment plays {start.spec}")
        if choices_of(each).observation_shape != shape:
            raise JouteError("the board of a start differs in size from the others")
        if each.is_terminal:
            raise JouteError("a start must be a position where the game is not over")
    return tuple(starts) or (start,)


class Choices(ABC):
    """The actions and observations of one game under one set of rules.

    `taken` are the actions of a move that is not complete yet, in games where a move takes several.
    """

    #: The number of actions; they are numbered from 0.
    action_count: int
    observation_shape: tuple[int, ...]

    @abstractmethod
    def legal(self, state: State, taken: Sequence[int]) -> Sequence[int]:
        """The legal actions; none if the game is over."""

    @abstractmethod
    def observe(self, state: State, taken: Sequence[int]) -> NDArray[np.uint8]:
        """Return the planes that the player to move sees."""

    @abstractmethod
    def move(self, state: State, taken: Sequence[int]) -> Move | None:
        """The move that these actions make; None if it needs more."""

    @abstractmethod
    def actions_of(self, state: State, move: Move) -> Sequence[int]:
        """The actions that make a legal move."""

    @abstractmethod
    def text(self, state: State, action: int, taken: Sequence[int]) -> str:
        """A legal action in the game's notation."""


def choices_of(start: State) -> Choices:
    """The actions and observations of the game of a position."""
    return _NativeChoices(start) if hasattr(start, "legal_actions") else _PythonChoices(start)


class _NativeChoices(Choices):
    """Choices of games of the core."""

    def __init__(self, start: Any) -> None:
        self.action_count = start.action_count
        self.observation_shape = start.observation_shape

    def legal(self, state: Any, taken: Sequence[int]) -> Sequence[int]:
        legal: list[int] = state.legal_actions(taken)
        return legal

    def observe(self, state: Any, taken: Sequence[int]) -> NDArray[np.uint8]:
        # A copy: bytes cannot be written to, and learners may want to.
        return np.frombuffer(state.observe(taken), np.uint8).reshape(self.observation_shape).copy()

    def move(self, state: Any, taken: Sequence[int]) -> Move | None:
        move: Move | None = state.move_of(taken)
        return move

    def actions_of(self, state: Any, move: Move) -> Sequence[int]:
        if hasattr(state, "actions_of"):  # in games where a move takes several
            several: list[int] = state.actions_of(move)
            return several
        return [next(action for action in state.legal_actions() if state.move_of([action]) == move)]

    def text(self, state: Any, action: int, taken: Sequence[int]) -> str:
        return str(state.action_text(action, taken))


class _PythonChoices(Choices):
    """Choices of a game written in Python, or of one in C++ that does not support networks."""

    def __init__(self, start: Any) -> None:
        self._has_planes = hasattr(start, "observe") and hasattr(start, "observation_shape")
        self._has_numbers = hasattr(start, "action_of") and hasattr(start, "action_count")
        self.action_count = start.action_count if self._has_numbers else MOST_MOVES
        self.observation_shape = tuple(start.observation_shape) if self._has_planes else (MOST_BYTES,)

    def legal(self, state: Any, taken: Sequence[int]) -> Sequence[int]:
        moves = state.legal_moves
        if not self._has_numbers:
            if len(moves) > MOST_MOVES:
                raise JouteError(
                    f"{len(moves)} moves are legal at ply {state.ply} of {state.game}, and environments have room for "
                    f"{MOST_MOVES}: define action_count and action_of"
                )
            return range(len(moves))
        return [self._number(state, move) for move in moves]

    def observe(self, state: Any, taken: Sequence[int]) -> NDArray[np.uint8]:
        if self._has_planes:
            return np.frombuffer(bytes(state.observe()), np.uint8).reshape(self.observation_shape).copy()
        text = state.position.encode()
        if len(text) > MOST_BYTES:
            raise JouteError(
                f"a position of {state.game} is a text of {len(text)} bytes, and an observation has room for "
                f"{MOST_BYTES}: define observation_shape and observe"
            )
        return np.frombuffer(text.ljust(MOST_BYTES, b"\0"), np.uint8).copy()

    def move(self, state: Any, taken: Sequence[int]) -> Move | None:
        *before, action = taken
        if before:
            raise JouteError("an action follows a complete move")
        moves = state.legal_moves
        for number, move in zip(self.legal(state, ()), moves, strict=True):
            if number == action:
                found: Move = move
                return found
        raise IllegalMoveError(f"illegal action {action} at ply {state.ply} of {state.game}")

    def actions_of(self, state: Any, move: Move) -> Sequence[int]:
        return [self._number(state, move) if self._has_numbers else list(state.legal_moves).index(move)]

    def text(self, state: Any, action: int, taken: Sequence[int]) -> str:
        return str(self.move(state, [*taken, action]))

    def _number(self, state: Any, move: Move) -> int:
        number = state.action_of(move)
        if type(number) is not int or not 0 <= number < self.action_count:
            raise JouteError(
                f"action_of of {state.game} must return a whole number below {self.action_count} for {move}, "
                f"not {one_line(number)}"
            )
        return number
