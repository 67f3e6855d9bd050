"""A game of Joute as a game of OpenSpiel, and its positions; registration.py makes it known there.

Actions and observations are those of joute.environments: policy indices, and the planes that a network sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from joute.environments.choices import Choices, choices_of
from joute.errors import JouteError
from joute.games import State, new
from joute.openspiel.rules import MOST_OUTCOMES

# In games where a move takes several actions, each of them orders one unit or more.
_MOST_ACTIONS_A_MOVE = 1000


@dataclass(frozen=True)
class Place:
    """A position of Joute, the actions of a move that is not complete yet, and the plies before the game is stopped."""

    state: State
    left: int
    taken: tuple[int, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Place:
        """Return the same place, which is immutable: OpenSpiel copies states with deepcopy."""
        return self


class JouteGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A game of Joute. A game that has not ended after `max_plies` plies is decided as if it was stopped there."""

    def __init__(self, kind: Any, spec: str, max_plies: int, parameters: dict[str, Any]) -> None:
        start = new(spec)
        choices = choices_of(start)
        one_each = all(choices.move(start, [action]) is not None for action in choices.legal(start, ()))
        self._longest = max_plies * (1 if one_each else _MOST_ACTIONS_A_MOVE)
        info = pyspiel.GameInfo(
            num_distinct_actions=choices.action_count,
            max_chance_outcomes=MOST_OUTCOMES if start.has_chance else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self._longest,
        )
        super().__init__(kind, info, parameters)
        self._start, self._max_plies = start, max_plies

    def new_initial_state(self, position: Any = None) -> JouteState:
        """Return the start of a game, or a position in Joute's notation."""
        if position is None:
            return JouteState(self, Place(self._start, self._max_plies))
        if not isinstance(position, str):
            raise JouteError("a state is made from a position in Joute's notation, a text")
        return self.state_at(new(self._start.spec, position))

    def state_at(self, position: State) -> JouteState:
        """Return the state of a position; JouteError if it is of another game."""
        if position.spec != self._start.spec:
            raise JouteError(f"a position of {position.spec} is none of {self._start.spec}")
        if choices_of(position).observation_shape != choices_of(self._start).observation_shape:
            raise JouteError("the board of the position differs in size from the start's")
        return JouteState(self, Place(position, self._max_plies))

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound: at most one random event for each action."""
        return self._longest if self._start.has_chance else 0

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Any:
        """Return what observes planes, or for observations with perfect recall, histories."""
        if kind is None or (kind.public_info and not kind.perfect_recall):
            if params:
                raise JouteError(f"observations have no parameters such as {', '.join(params)}")
            return _Planes(self._start)
        return IIGObserverForPublicInfoGame(kind, params)


class JouteState(pyspiel.State):  # type: ignore[misc]
    """A state of a game of Joute."""

    def __init__(self, game: JouteGame, place: Place) -> None:
        super().__init__(game)
        self._place = place  # all that differs between states of a game: OpenSpiel copies and pickles it

    @property
    def position(self) -> State:
        """The position, for whatever else Joute knows about it."""
        return self._place.state

    @property
    def taken(self) -> tuple[int, ...]:
        """The actions of a move that is not complete yet, in games where a move takes several."""
        return self._place.taken

    # --- The interface of OpenSpiel ---

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's numbers of chance and of the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.position.is_chance else self.position.to_move

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.is_terminal or self._is_stopped

    def returns(self) -> list[float]:
        """Return what each player won: 1, 0 or −1; 0 while the game goes on."""
        if not self.is_terminal():
            return [0.0, 0.0]
        result = self.position.result_if_stopped
        return [float(result.outcome_for(player)) for player in (0, 1)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible outcomes of the random event, with their probabilities."""
        return [(outcome, each) for outcome, each in enumerate(self.position.outcomes) if each > 0]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._choices.legal(self.position, self.taken))

    def _apply_action(self, action: int) -> None:
        state, taken, left = self.position, self.taken, self._place.left
        if state.is_chance:
            self._place = Place(state.resolve(action), left)
            return
        move = self._choices.move(state, [*taken, action])
        self._place = Place(state, left, (*taken, action)) if move is None else Place(state.play(move), left - 1)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}: {self.position.outcome_text(action)}".removesuffix(": ")
        return self._choices.text(self.position, action, self.taken)

    def __str__(self) -> str:
        given = [self._choices.text(self.position, each, self.taken[:at]) for at, each in enumerate(self.taken)]
        return f"{self.position}" + f"\norders so far: {' '.join(given)}" * bool(given)

    @property
    def _choices(self) -> Choices:
        return _choices(self.position.spec)

    @property
    def _is_stopped(self) -> bool:
        return self._place.left <= 0 and not self.position.is_chance


@cache
def _choices(spec: str) -> Choices:
    """The actions of a game; the boards of all its positions have the size of its start."""
    return choices_of(new(spec))


class _Planes:
    """OpenSpiel's interface of an observer: the planes that the player to move sees, about 1 in size."""

    def __init__(self, start: Any) -> None:
        self._choices = choices_of(start)
        shape = self._choices.observation_shape
        scales = np.array(getattr(start, "observation_scales", [1]), np.float32)
        self._scales = scales.reshape(-1, *[1] * (len(shape) - 1))
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: JouteState, player: int) -> None:
        """Write the planes of a state."""
        planes: NDArray[np.uint8] = self._choices.observe(state.position, state.taken)
        np.multiply(planes, self._scales, out=self.dict["observation"])

    def string_from(self, state: JouteState, player: int) -> str:
        """Return the position as text, and the actions of a move in progress."""
        return " ".join((state.position.position, *map(str, state.taken)))
