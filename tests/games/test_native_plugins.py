"""Games in C++: what Python refuses of an extension that is half bound, or that was built in another way."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import joute_toys
import pytest

import joute
from joute import _core
from joute.games import NativeState

ROOT = Path(__file__).parents[2]


def test_a_native_game_whose_searches_are_not_bound_is_refused() -> None:
    with pytest.raises(TypeError, match="the searches of pile are not bound"):

        class Pile(joute_toys.Pile, NativeState):  # type: ignore[misc]
            game = "pile"
            title = "Pile"


def test_a_native_game_whose_networks_are_not_bound_is_refused() -> None:
    with pytest.raises(TypeError, match="pile supports networks, but they are not bound"):

        class Pile(joute_toys.Pile, NativeState):  # type: ignore[misc]
            game = "pile"
            title = "Pile"

            @staticmethod
            def search(options: Any, evaluation: Any = None) -> Any:
                return None


def test_a_base_of_native_games_is_not_checked() -> None:
    class Base(joute_toys.Pile, NativeState):  # type: ignore[misc]
        pass

    assert not hasattr(Base, "game")


def test_the_headers_of_the_core_are_installed_and_those_of_its_games_are_not() -> None:
    include = Path(joute.get_include()) / "joute"
    core = ROOT / "core"
    shipped = {path.relative_to(include).as_posix() for path in include.rglob("*.hpp")}
    ours = {path.relative_to(core).as_posix() for path in core.rglob("*.hpp") if "games" not in path.parts}
    assert shipped == ours | {"bind/build_version.hpp"}
    for name in ours:
        assert (include / name).read_bytes() == (core / name).read_bytes()


def test_the_cmake_package_is_installed() -> None:
    folder = Path(joute.get_cmake_dir())
    assert "joute_add_game" in (folder / "joute-config.cmake").read_text()
    assert {path.stem for path in folder.glob("units/*.cpp.in")} == {
        "rules.cpp",
        "searches.cpp",
        "networks.cpp",
        "plugin.cpp",
    }


def test_the_stamp_names_the_version_and_the_compiler() -> None:
    stamp = dict(_core.build_stamp())
    assert stamp["joute"] == joute.__version__
    assert stamp.keys() == {"joute", "joute headers", "nanobind", "C++ library", "compiler", "flags"}
    assert all(stamp.values())


def test_an_extension_of_another_version_is_refused_with_a_sentence() -> None:
    with pytest.raises(ImportError) as refused:
        importlib.import_module("joute_stale")
    assert str(refused.value) == (
        f"joute_stale was built with joute 0.0.1, and this joute with {joute.__version__}: "
        "build and install it again, against the joute that is installed here"
    )


@pytest.mark.parametrize("changed", range(6))
def test_each_part_of_the_stamp_is_compared(changed: int) -> None:
    stamp = list(_core.build_stamp())
    _core.check_plugin("mine", stamp)
    name = stamp[changed][0]
    stamp[changed] = (name, "another")
    with pytest.raises(ImportError, match=rf"mine was built with {re.escape(name)} another, and this"):
        _core.check_plugin("mine", stamp)


def test_a_stamp_of_fewer_parts_is_refused() -> None:
    with pytest.raises(ImportError, match="mine was built with flags none"):
        _core.check_plugin("mine", _core.build_stamp()[:-1])


def test_a_room_whose_extension_is_refused_costs_that_game_alone() -> None:
    program = (
        "from joute import _core\n"
        "def refuse(name, stamp): raise ImportError(f'{name} was built with joute 9')\n"
        "_core.check_plugin = refuse\n"
        "from joute.games import all_games\n"
        "games, problems = all_games()\n"
        "assert 'connect4' in [game.game for game in games]\n"
        "print(problems['othello'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "joute_othello._othello was built with joute 9" in done.stdout
