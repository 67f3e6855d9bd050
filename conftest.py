"""Every test of a game has the game's name as its marker: here for tests/ and for the plug-ins in examples/."""

from __future__ import annotations

import gc
from functools import cache

import pytest

from joute.games import game_names


def pytest_configure(config: pytest.Config) -> None:
    """Make the markers known."""
    gc.disable()  # until all tests are collected: nothing of them is garbage, and to look through it takes a second
    for game in game_names():
        config.addinivalue_line("markers", f"{game}: the tests of that game, and generic tests that run on it")


def pytest_collection_finish() -> None:
    """Let the garbage collector begin, past all that stays."""
    gc.freeze()
    gc.enable()


@cache  # a test may register a game, but only after all are collected; to ask for each of thousands takes a second
def _games() -> tuple[str, ...]:
    return tuple(game_names())


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test with its game: that of its folder, or the one that a generic test runs on."""
    callspec = getattr(item, "callspec", None)
    runs_on = callspec.params.get("game") if callspec else None
    folders = item.path.relative_to(item.config.rootpath).parts
    for game in _games():
        if game == runs_on or game in folders:
            item.add_marker(game)
