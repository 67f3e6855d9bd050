"""Every generic test runs on every game: the built-in ones, the plug-in, and two toys."""

from __future__ import annotations

from typing import Any, ClassVar

import joute_toys
import pytest

from joute.games import NativeState, game_names, new, register
from joute.games.state import State


@register
class Dice(joute_toys.Dice, NativeState):
    __slots__ = ()
    game: ClassVar[str] = "dice"
    title: ClassVar[str] = "Dice race"
    opening_plies: ClassVar[int] = 2


@register
class Boxes(joute_toys.Boxes, NativeState):
    __slots__ = ()
    game: ClassVar[str] = "boxes"
    title: ClassVar[str] = "Dots and boxes"
    opening_plies: ClassVar[int] = 2


def pytest_generate_tests(metafunc: Any) -> None:
    if "game" in metafunc.fixturenames:
        assert {"connect4", "tictactoe", "dice", "boxes"} <= set(game_names())
        metafunc.parametrize("game", game_names())


@pytest.fixture
def start(game: str) -> State:
    return new(game)
