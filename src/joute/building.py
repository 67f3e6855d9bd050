"""Folders of the headers and CMake files with which plug-in packages build games in C++ (CONTRIBUTING.md)."""

from __future__ import annotations

from pathlib import Path

from joute import _core


def get_include() -> str:
    """Return the folder of the core's headers, which a plug-in includes as ``joute/game.hpp``."""
    return str(_installed() / "include")


def get_cmake_dir() -> str:
    """Return the folder of the CMake package ``joute``, which defines ``joute_add_game``."""
    return str(_installed() / "cmake")


def _installed() -> Path:
    """Return the folder of the extension. In an editable install it is in site-packages, not in the source tree."""
    assert _core.__file__ is not None
    return Path(_core.__file__).parent
