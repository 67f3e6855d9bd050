"""Joute: a laboratory for two-player board-game AI.

>>> import joute
>>> state = joute.new("connect4")
>>> state = state.play("4").play("4")
>>> print(state)
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . O . . .
. . . X . . .
1 2 3 4 5 6 7
ply 2: first (X) to move
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

import joute.system  # noqa: F401  # isort: skip  # refuses Windows before the core is looked for
from joute._core import Playouts, Random, Result
from joute.agents import Agent, Clock, agent
from joute.building import get_cmake_dir, get_include
from joute.errors import IllegalMoveError, JouteError
from joute.games import Move, State, new
from joute.moved import install as _find_moved_modules
from joute.version import __version__

if TYPE_CHECKING:
    from joute import openspiel, pettingzoo, plot
    from joute.arena.games_frame import read_db
    from joute.arena.match import play_match
    from joute.environments.vector import vector_env
    from joute.match import play_game
    from joute.protocol.analysis_client import AnalysisClient
    from joute.reviews.hint import hint
    from joute.reviews.review import review
    from joute.sweeps.sweep import sweep

__all__ = [
    "Agent",
    "AnalysisClient",
    "Clock",
    "IllegalMoveError",
    "JouteError",
    "Move",
    "Random",
    "Result",
    "State",
    "__version__",
    "agent",
    "get_cmake_dir",
    "get_include",
    "hint",
    "new",
    "openspiel",
    "pettingzoo",
    "play_game",
    "play_match",
    "playouts",
    "plot",
    "read_db",
    "review",
    "sweep",
    "vector_env",
]

# Names that are imported when they are used. They load what `import joute` does not, such as the store of tournaments;
# a process that serves one agent needs none of it.
_LAZY = {
    "AnalysisClient": "joute.protocol.analysis_client",
    "hint": "joute.reviews.hint",
    "openspiel": "joute.openspiel",
    "pettingzoo": "joute.pettingzoo",
    "play_game": "joute.match.referee",
    "play_match": "joute.arena.match",
    "plot": "joute.plot",
    "read_db": "joute.arena.games_frame",
    "review": "joute.reviews.review",
    "sweep": "joute.sweeps.sweep",
    "vector_env": "joute.environments.vector",
}

_find_moved_modules()


def playouts(state: State, n: int, seed: int = 0) -> Playouts:
    """Play n random games from a state in one call, at the core's speed.

    >>> playouts(new("connect4"), 100_000, seed=1)
    <100000 random games: first 55520, draws 239, second 44241>
    """
    return state.playouts(n, seed)


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _import_module(_LAZY[name])
    return globals().setdefault(name, getattr(module, name, module))


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
