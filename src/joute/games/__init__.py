"""Games: what a position is in Python, which games there are, and how they are drawn."""

from joute.games.registry import (
    find_game,
    game_names,
    new,
    register,
    restore_move,
    restore_result,
    restore_state,
)
from joute.games.scene import Scene
from joute.games.state import Move, NativeState, State

__all__ = [
    "Move",
    "NativeState",
    "Scene",
    "State",
    "find_game",
    "game_names",
    "new",
    "register",
    "restore_move",
    "restore_result",
    "restore_state",
]
