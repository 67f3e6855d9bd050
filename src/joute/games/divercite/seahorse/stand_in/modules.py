"""Install the stand-ins under the module names that students' files import."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from joute.games.divercite.seahorse.stand_in import divercite, framework

#: The course's own files, which a student may have beside the agent. They import one another, so all or none are used.
COURSE_MODULES: dict[str, dict[str, Any]] = {
    "board_divercite": {"BoardDivercite": divercite.BoardDivercite},
    "player_divercite": {"PlayerDivercite": divercite.PlayerDivercite},
    "game_state_divercite": {"GameStateDivercite": divercite.GameStateDivercite},
}

_SEAHORSE: dict[str, dict[str, Any]] = {
    "seahorse": {},
    "seahorse.game": {},
    "seahorse.game.action": {"Action": framework.Action},
    "seahorse.game.light_action": {"LightAction": framework.LightAction},
    "seahorse.game.heavy_action": {"HeavyAction": framework.HeavyAction},
    "seahorse.game.stateless_action": {"StatelessAction": framework.LightAction},
    "seahorse.game.stateful_action": {"StatefulAction": framework.HeavyAction},
    "seahorse.game.game_state": {"GameState": framework.GameState},
    "seahorse.game.representation": {"Representation": framework.Representation},
    "seahorse.game.game_layout": {},
    "seahorse.game.game_layout.board": {"Board": framework.Board, "Piece": framework.Piece},
    "seahorse.player": {},
    "seahorse.player.player": {"Player": framework.Player},
    "seahorse.utils": {},
    "seahorse.utils.serializer": {"Serializable": framework.Serializable},
    "seahorse.utils.custom_exceptions": {each.__name__: each for each in framework.EXCEPTIONS},
}


def provide(folder: Path) -> None:
    """Make the modules that the course's agents import available in this process, for an agent in a folder.

    If the folder has the course's own files, they are used, with seahorse if it is installed. Otherwise stand-ins
    replace them, and also seahorse, which must have the same classes.
    """
    has_course_files = all((folder / f"{name}.py").is_file() for name in COURSE_MODULES)
    if not has_course_files:
        _install(COURSE_MODULES)
    if not has_course_files or importlib.util.find_spec("seahorse") is None:
        _install(_SEAHORSE)


def classes() -> tuple[Any, Any, Any, Any]:
    """Return the classes of state, board, player and piece that this process uses."""
    state = importlib.import_module("game_state_divercite").GameStateDivercite
    board = importlib.import_module("board_divercite").BoardDivercite
    player = importlib.import_module("player_divercite").PlayerDivercite
    return state, board, player, importlib.import_module("seahorse.game.game_layout.board").Piece


def _install(modules: dict[str, dict[str, Any]]) -> None:
    # A real module also has the names that it imports, and some files import them from there.
    known = {key: value for contents in (*_SEAHORSE.values(), *modules.values()) for key, value in contents.items()}
    for name, contents in modules.items():
        module = ModuleType(name, __doc__)
        vars(module).update(known if contents else {})
        if any(other.startswith(f"{name}.") for other in modules):
            module.__path__ = []  # a package; all of its modules are installed here
        sys.modules[name] = module
        package, _, own = name.rpartition(".")
        if package:
            setattr(sys.modules[package], own, module)
