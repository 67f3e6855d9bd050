"""A game of OpenSpiel as a game of Joute: ``openspiel:game=hex,board_size=7``.

A position is the history of actions, random events included, because OpenSpiel has no notation of positions that all
its games share. Two histories that lead to the same board are therefore two positions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar, overload

from joute._core import Result, position_key
from joute.errors import JouteError, NotationError
from joute.games import Moves, Scene, State
from joute.games.scene import text_scene
from joute.openspiel.library import check_installed, reason
from joute.openspiel.rules import NAME, Rules, game_parameter, load, parameters_of
from joute.spec import Parameter

check_installed()  # without OpenSpiel, there is no such game

#: The text of a position without history.
START = "start"
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")  # colours of terminals
_MASK = 2**64 - 1
# Utilities are numbers of any size, and a score is a whole number.
_SCORE_SCALE, _MOST_SCORE = 1000, 2**31 - 1
T = TypeVar("T")


class SpielMove(NamedTuple):
    """An action of OpenSpiel, and its text there, without blanks."""

    action: int
    text: str

    def __str__(self) -> str:
        return self.text


class _OfGame(Generic[T]):
    """An attribute that depends on the game of OpenSpiel; the class has a value for all of them."""

    def __init__(self, name: str, for_all: T) -> None:
        self._name, self._for_all = name, for_all

    @overload
    def __get__(self, state: None, owner: type) -> T: ...
    @overload
    def __get__(self, state: SpielState, owner: type) -> T: ...
    def __get__(self, state: SpielState | None, owner: type) -> T:
        """The value of a position's game, or the class's."""
        return self._for_all if state is None else getattr(state._rules, self._name)


class SpielState(State):
    """A position of a game of OpenSpiel."""

    __slots__ = ("_history", "_key", "_mover", "_moves", "_ply", "_rules", "_spiel")

    game: ClassVar[str] = NAME
    title = _OfGame("title", "OpenSpiel")
    has_chance = _OfGame("has_chance", False)
    action_count = _OfGame("actions", 0)

    def __init__(self, rules: Rules, spiel: Any, before: SpielState | None = None, action: int = 0) -> None:
        self._rules = rules
        self._spiel = spiel  # never changed
        self._moves: Moves[SpielMove] | None = None
        if before is None:
            self._history, self._ply, self._mover = START, 0, 0
            self._key = position_key(f"{NAME}:{rules.text}", START)
            return
        is_move = not before.is_chance
        self._history = f"{before._history}.{action}" if before._history != START else str(action)
        self._ply = before.ply + is_move
        self._mover = before.to_move if is_move else before._mover
        self._key = _mixed(before._key, action)

    @classmethod
    def new(cls, position: str | None = None, rules: str = "") -> Self:
        """Return the start of a game, or the position after a history of actions: ``4.0.8``."""
        loaded = load(rules)
        state = cls(loaded, loaded.start)
        if position is None or position == START:
            return state
        for text in position.split("."):
            legal = state._spiel.legal_actions()
            action = int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else -1
            if action not in legal or str(action) != text:
                raise NotationError(
                    f"'{position[:60]}' is not a history of {loaded.text}, such as "
                    f"{'.'.join(map(str, (*state._actions, *legal[:1]))) or START}"
                )
            state = state._child(action)
        return state

    @property
    def spiel(self) -> Any:
        """A copy of the position as OpenSpiel's ``pyspiel.State``."""
        return self._spiel.clone()

    @property
    def position(self) -> str:
        """The actions since the start, those of random events included: ``4.0.8``."""
        return self._history

    @property
    def rules(self) -> str:
        """The game and those of its options that were given."""
        return self._rules.text

    @classmethod
    def rule_parameters(cls) -> tuple[Parameter, ...]:
        """The option that names the game; its own options depend on it."""
        return (game_parameter(),)

    @classmethod
    def rule_parameters_of(cls, settings: Mapping[str, str]) -> tuple[Parameter, ...]:
        """The option that names the game, and those of the game that it names."""
        return parameters_of(settings)

    @property
    def to_move(self) -> int:
        """The player to move; after the end, the one who did not move last."""
        player: int = self._spiel.current_player()
        if player >= 0:
            return player ^ self._rules.first
        return self._mover if self.is_chance else 1 - self._mover

    @property
    def ply(self) -> int:
        """The number of moves since the start."""
        return self._ply

    @property
    def legal_moves(self) -> Moves[SpielMove]:
        """The legal actions by their texts, or by their numbers if two have the same text."""
        if self._moves is None:
            spiel = self._spiel
            try:
                actions = [] if spiel.is_chance_node() else spiel.legal_actions()
                player = spiel.current_player()
                texts = ["_".join(spiel.action_to_string(player, each).replace(", ", ",").split()) for each in actions]
            except RuntimeError as error:
                raise self._failed(error) from error
            if not actions and not self.is_terminal and not self.is_chance:
                raise self._failed(ValueError("no move is legal, and the game is not over"))
            if len(set(texts)) < len(texts) or "" in texts:
                texts = [str(action) for action in actions]
            self._moves = Moves(map(SpielMove, actions, texts))
        return self._moves

    def after(self, move: SpielMove) -> Self:
        """The position after an action."""
        return self._child(move.action)

    @property
    def result(self) -> Result | None:
        """The result by OpenSpiel's utilities; None while the game goes on."""
        if not self._spiel.is_terminal():
            return None
        utilities = self._spiel.returns()
        margin = (utilities[self._rules.first] - utilities[1 - self._rules.first]) / 2
        outcome = (margin > 0) - (margin < 0)
        score = max(-_MOST_SCORE, min(_MOST_SCORE, round(_SCORE_SCALE * margin))) if abs(margin) != 1 else outcome
        decided_by = "the rules of OpenSpiel" if abs(margin) in (0, 1) else f"a utility of {abs(margin):g}"
        return Result(outcome, score=score or outcome, margin=0, decided_by=decided_by)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return bool(self._spiel.is_terminal())

    def diagram(self) -> str:
        """OpenSpiel's text of the position."""
        try:
            return "\n".join(line.rstrip() for line in _ESCAPES.sub("", str(self._spiel)).rstrip().split("\n"))
        except (RuntimeError, UnicodeDecodeError) as error:
            raise self._failed(error) from error

    def scene(self, last_move: Any = None) -> Scene:
        """Draw OpenSpiel's text of the position."""
        lines = self.diagram() + (f"\n\nlast move: {last_move}" if last_move is not None else "")
        return text_scene(lines, title=f"{self.title}, {self.status}")

    @property
    def key(self) -> int:
        """The key of the history."""
        return self._key

    def recompute_key(self) -> int:
        """The key, from the start on."""
        key = position_key(self.spec, START)
        for action in self._actions:
            key = _mixed(key, action)
        return key

    @property
    def is_chance(self) -> bool:
        """Whether a random event is pending, such as a roll of dice."""
        return bool(self._spiel.is_chance_node())

    @property
    def outcomes(self) -> list[float]:
        """The probabilities of OpenSpiel's chance outcomes, in its order."""
        return [probability for _, probability in self._spiel.chance_outcomes()] if self.is_chance else []

    def outcome_text(self, outcome: int) -> str:
        """OpenSpiel's text of an outcome."""
        action, _ = self._spiel.chance_outcomes()[outcome]
        return str(self._spiel.action_to_string(self._spiel.current_player(), action))

    def resolve(self, outcome: int) -> Self:
        """The position after an outcome of the random event."""
        if not self.is_chance:
            return super().resolve(outcome)
        outcomes = self._spiel.chance_outcomes()
        if not 0 <= outcome < len(outcomes):
            raise IndexError(f"the random event has {len(outcomes)} outcomes, so no outcome {outcome}")
        return self._child(outcomes[outcome][0])

    def action_of(self, move: SpielMove) -> int:
        """The number of a move, for learners."""
        return move.action

    @property
    def _actions(self) -> list[int]:
        return [] if self._history == START else [int(action) for action in self._history.split(".")]

    def _child(self, action: int) -> Self:
        try:
            return type(self)(self._rules, self._spiel.child(action), self, action)
        except RuntimeError as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> JouteError:
        return JouteError(f"OpenSpiel fails in {self._rules.text} after {self._history}: {reason(error)}")


def _mixed(key: int, action: int) -> int:
    """The key after an action (the finalizer of SplitMix64)."""
    mixed = (key ^ ((action + 1) * 0x9E3779B97F4A7C15)) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)
