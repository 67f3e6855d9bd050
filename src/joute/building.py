"""Where the files are that a game in C++ is built with, in a package of its own (CONTRIBUTING.md)."""

from __future__ import annotations

from pathlib import Path

from joute import _core


def get_include() -> str:
    """The folder of the core's headers, which a plug-in includes as ``joute/game.hpp``."""
    return str(_installed() / "include")


def get_cmake_dir() -> str:
    """The folder of the CMake package ``joute``, which defines ``joute_add_game``."""
    return str(_installed() / "cmake")


def _installed() -> Path:
    """The folder of the extension. An editable install has it beside the packages, not in the source tree."""
    assert _core.__file__ is not None
    return Path(_core.__file__).parent
