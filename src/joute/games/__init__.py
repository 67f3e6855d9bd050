"""Games: the class of positions, the registry of games, and scenes to draw positions."""

from joute._core import Moves
from joute.games.registry import all_games, find_game, game_names, new, register
from joute.games.scene import Scene
from joute.games.state import Move, NativeState, State

__all__ = [
    "Move",
    "Moves",
    "NativeState",
    "Scene",
    "State",
    "all_games",
    "find_game",
    "game_names",
    "new",
    "register",
]
