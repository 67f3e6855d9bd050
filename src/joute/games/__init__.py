"""Games: what a position is in Python, which games there are, and how they are drawn."""

from joute.games.registry import all_games, find_game, game_names, new, register
from joute.games.scene import Scene
from joute.games.state import Move, NativeState, State

__all__ = [
    "Move",
    "NativeState",
    "Scene",
    "State",
    "all_games",
    "find_game",
    "game_names",
    "new",
    "register",
]
