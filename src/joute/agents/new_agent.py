"""The file of a new agent: starter.py with a game's own heuristic."""

from __future__ import annotations

import inspect
import re
import sys

from joute.agents import starter
from joute.games import State
from joute.games.guide import find_guide, heuristic_source

# The lines of starter.py that depend on the game, and those of a student's file.
_TITLE = '"""An agent that'
_IMPORTS = """from joute.agents.clock import Clock
from joute.games import Move, State
from joute.games.guide import playout_heuristic as heuristic
"""
_AFTER_HEURISTIC = "class OutOfTimeError"
_CHANGE = "Change it, and measure whether it plays better.\n"


def new_agent(game: type[State]) -> str:
    """Return the source of an agent for a game: a commented alpha-beta search with the heuristic of its guide."""
    guide = find_guide(game)
    function = heuristic_source(guide).replace(guide.heuristic.__name__, "heuristic", 1)
    source = inspect.getsource(starter)
    for old, new in (
        (_TITLE, f'"""An agent for {game.title} that'),
        (_CHANGE, f"{_CHANGE}`joute games {game.game}` lists what positions and moves can tell.\n"),
        (_IMPORTS, f"from joute import Clock, Move\nfrom {_package(game)} import {game.__name__}\n"),
        (_AFTER_HEURISTIC, f"{function}\n\n{_AFTER_HEURISTIC}"),
    ):
        before, found, after = source.partition(old)
        if not found:
            raise AssertionError(f"starter.py has no line {old!r}")
        source = before + new + after
    return re.sub(r"\bState\b", game.__name__, source)


def _package(game: type[State]) -> str:
    """Return the shortest module from which a game's class can be imported."""
    parts = game.__module__.split(".")
    prefixes = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    return next(name for name in prefixes if getattr(sys.modules.get(name), game.__name__, None) is game)
