"""Stand-ins for the parts of seahorse that agents use: players, actions, pieces, boards, states.

As in the framework, objects are equal if their hashes are equal; a state's hash covers its scores and its board.
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from typing import Any

from joute.games.divercite.seahorse.state import Cell


class MethodNotImplementedError(Exception):
    """A subclass does not define a required method."""


class NoGameStateProvidedError(Exception):
    """An action without a state to apply it to."""


class ActionNotPermittedError(Exception):
    """An illegal action."""


class SeahorseTimeoutError(Exception):
    """A player exceeds its time."""


EXCEPTIONS = (MethodNotImplementedError, NoGameStateProvidedError, ActionNotPermittedError, SeahorseTimeoutError)


class Serializable:
    """An object that can be converted to JSON."""

    def to_json(self) -> Any:
        """Return the object as JSON."""
        raise MethodNotImplementedError

    @classmethod
    def from_json(cls, data: Any, **kwargs: Any) -> Any:
        """Read an object from JSON."""
        raise MethodNotImplementedError


class _Hashed:
    """Equal to any object with the same hash, as most objects of the framework are."""

    def __hash__(self) -> int:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return hash(self) == hash(other)


class Player(Serializable):
    """A player: a name and an id, which is its Python id unless one is given."""

    def __init__(self, name: str = "bob", *, id: int | None = None, **_: Any) -> None:
        self.name = name
        self.id = builtins.id(self) if id is None else id

    def play(self, current_state: Any, remaining_time: float) -> Any:
        """Return the answer of compute_action."""
        return self.compute_action(current_state=current_state, remaining_time=remaining_time)

    def compute_action(self, **kwargs: Any) -> Any:
        """Return the action to play; every agent defines it."""
        raise MethodNotImplementedError

    def get_id(self) -> int:
        """The player's id."""
        return self.id

    def get_name(self) -> str:
        """The player's name."""
        return self.name

    def __str__(self) -> str:
        return f"Player {self.get_name()}({self.get_id()})"


class Action(Serializable):
    """A player's action."""

    def get_heavy_action(self, *_: Any) -> Action:
        """Return the action with the states before and after it."""
        raise MethodNotImplementedError


class LightAction(_Hashed, Action):
    """An action as data; 1.2 calls it StatelessAction."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def get_heavy_action(self, game_state: Any = None) -> HeavyAction:
        """Return the action with the states before and after it."""
        if game_state is None:
            raise NoGameStateProvidedError
        return HeavyAction(game_state, game_state.apply_action(self))

    get_stateful_action = get_heavy_action

    def __hash__(self) -> int:
        return hash(tuple(self.data.items()))

    def __str__(self) -> str:
        return f"LightAction: {self.data}"

    def to_json(self) -> dict[str, Any]:
        """The data."""
        return self.__dict__


class HeavyAction(_Hashed, Action):
    """An action as the states before and after it; 1.2 calls it StatefulAction."""

    def __init__(self, current_game_state: Any, next_game_state: Any) -> None:
        self.current_game_state = current_game_state
        self.next_game_state = next_game_state

    def get_current_game_state(self) -> Any:
        """Return the state before the action."""
        return self.current_game_state

    def get_next_game_state(self) -> Any:
        """Return the state after the action."""
        return self.next_game_state

    def get_heavy_action(self, *_: Any, **__: Any) -> HeavyAction:
        """Return the action itself."""
        return self

    get_stateful_action = get_heavy_action

    def __hash__(self) -> int:
        return hash((hash(self.next_game_state), hash(self.current_game_state)))

    def __str__(self) -> str:
        return f"From:\n{self.current_game_state.get_rep()}\nto:\n{self.next_game_state.get_rep()}"

    def to_json(self) -> dict[str, Any]:
        """Both states."""
        return self.__dict__


class Piece(_Hashed, Serializable):
    """A piece on the board, with its owner."""

    def __init__(self, piece_type: str, owner: Player | None = None, owner_id: int = -1) -> None:
        self.piece_type = piece_type
        self.owner_id = owner_id if owner is None else owner.get_id()

    def get_type(self) -> str:
        """Return the piece's type."""
        return self.piece_type

    def get_owner_id(self) -> int:
        """Return the id of the piece's owner."""
        return self.owner_id

    def copy(self) -> Piece:
        """Return a piece of the same type without an owner."""
        return Piece(self.piece_type)

    def __hash__(self) -> int:
        return hash((hash(self.piece_type), hash(self.owner_id)))

    def to_json(self) -> dict[str, Any]:
        """Type and owner."""
        return self.__dict__

    @classmethod
    def from_json(cls, data: Any, **_: Any) -> Piece:
        """Read a piece from JSON."""
        return cls(**(json.loads(data) if isinstance(data, str) else data))


class Representation(Serializable):
    """The contents of a state."""

    def __init__(self, env: dict[Cell, Piece]) -> None:
        self.env = env

    def get_env(self) -> dict[Cell, Piece]:
        """The pieces by their cells."""
        return self.env

    def find(self, to_find: Any) -> Any:
        """Return the piece in a cell; -1 if it is empty."""
        return self.env.get(to_find, -1)


class Board(_Hashed, Representation):
    """Pieces on a board."""

    def __init__(self, env: dict[Cell, Piece], dim: list[int]) -> None:
        super().__init__(env)
        self.dimensions = dim

    def get_dimensions(self) -> list[int]:
        """Rows and columns."""
        return self.dimensions

    def get_pieces_player(self, owner: Player) -> tuple[int, list[Cell]]:
        """Return the number of a player's pieces on the board, and their cells."""
        cells = [cell for cell, piece in self.env.items() if piece.get_owner_id() == owner.get_id()]
        return len(cells), cells

    def __hash__(self) -> int:
        return hash(frozenset((hash(cell), hash(piece)) for cell, piece in self.env.items()))

    def __str__(self) -> str:
        rows, columns = self.dimensions
        cells = [[self.env.get((row, column)) for column in range(columns)] for row in range(rows)]
        return "".join("".join(f"{piece.get_type() if piece else '_'} " for piece in row) + "\n" for row in cells)


class GameState(_Hashed, Serializable):
    """A state of a game. Its possible actions are generated once and cached."""

    def __init__(self, scores: dict[int, Any], next_player: Player, players: list[Player], rep: Any) -> None:
        self.scores = scores
        self.next_player: Any = next_player
        self.players = players
        self.rep = rep
        self._possible_light_actions: frozenset[LightAction] | None = None
        self._possible_heavy_actions: frozenset[HeavyAction] | None = None

    @property
    def active_player(self) -> Any:
        """The player to move, by its name in 1.2."""
        return self.next_player

    def get_next_player(self) -> Any:
        """Return the player to move."""
        return self.next_player

    get_active_player = get_next_player

    def compute_next_player(self) -> Player:
        """Return the player to move after this one."""
        return self.players[(self.players.index(self.next_player) + 1) % len(self.players)]

    def get_player_score(self, player: Player) -> Any:
        """The score of a player."""
        return self.scores[player.get_id()]

    def get_scores(self) -> dict[int, Any]:
        """The scores by the players' ids."""
        return self.scores

    def get_players(self) -> list[Player]:
        """The players in their order."""
        return self.players

    def get_rep(self) -> Any:
        """The board."""
        return self.rep

    def is_done(self) -> bool:
        """Whether the game is over."""
        raise MethodNotImplementedError

    def generate_possible_light_actions(self) -> Iterator[LightAction]:
        """Yield the possible actions as data."""
        raise MethodNotImplementedError

    def generate_possible_heavy_actions(self) -> Iterator[HeavyAction]:
        """Yield the possible actions with their states."""
        raise MethodNotImplementedError

    def apply_action(self, action: LightAction) -> GameState:
        """The state after an action."""
        raise MethodNotImplementedError

    def get_possible_light_actions(self) -> frozenset[LightAction]:
        """Return the possible actions as data; none when the game is over."""
        if self.is_done():
            return frozenset()
        if self._possible_light_actions is None:
            self._possible_light_actions = frozenset(self.generate_possible_light_actions())
        return self._possible_light_actions

    def get_possible_heavy_actions(self) -> frozenset[HeavyAction]:
        """Return the possible actions with their states; none when the game is over."""
        if self.is_done():
            return frozenset()
        if self._possible_heavy_actions is None:
            self._possible_heavy_actions = frozenset(self.generate_possible_heavy_actions())
        return self._possible_heavy_actions

    # Methods rather than aliases: an agent's subclass may override one of each pair.
    def generate_possible_stateless_actions(self) -> Iterator[LightAction]:
        """Yield the possible actions as data, by the method's name in 1.2."""
        return self.generate_possible_light_actions()

    def generate_possible_stateful_actions(self) -> Iterator[HeavyAction]:
        """Yield the possible actions with their states, by the method's name in 1.2."""
        return self.generate_possible_heavy_actions()

    def get_possible_stateless_actions(self) -> frozenset[LightAction]:
        """Return the possible actions as data, by the method's name in 1.2."""
        return self.get_possible_light_actions()

    def get_possible_stateful_actions(self) -> frozenset[HeavyAction]:
        """Return the possible actions with their states, by the method's name in 1.2."""
        return self.get_possible_heavy_actions()

    def check_action(self, action: Action) -> bool:
        """Whether an action is possible."""
        if isinstance(action, LightAction):
            return action in self.get_possible_light_actions()
        return isinstance(action, HeavyAction) and action in self.get_possible_heavy_actions()

    def __hash__(self) -> int:
        return hash((hash(frozenset(self.scores.items())), hash(self.rep)))

    def __str__(self) -> str:
        player = self.get_next_player()
        return (
            f"Current scores are {self.get_scores()}.\n"
            f"Next person to play is player {player.get_id()} ({player.get_name()}).\n"
        )
