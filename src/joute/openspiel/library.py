"""The package ``open_spiel``, imported on first use: it is an extra, and a list of games or agents does not need it."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

from joute._core import one_line
from joute.errors import MissingPackageError

_WHERE = re.compile(r"^\S+:\d+ ")  # the C++ file and line at the beginning of a message


def check_installed() -> None:
    """Raise MissingPackageError if OpenSpiel is not installed."""
    if find_spec("pyspiel") is None:
        raise MissingPackageError("OpenSpiel's games and bots need open_spiel: pip install 'joute[openspiel]'")


def pyspiel() -> Any:
    """Return OpenSpiel's module; MissingPackageError if it is not installed."""
    check_installed()
    import pyspiel

    return pyspiel


def reason(error: Exception) -> str:
    """Return the first line of OpenSpiel's error message, without the place in its sources."""
    return _WHERE.sub("", one_line(str(error).partition("\n")[0])).strip()
